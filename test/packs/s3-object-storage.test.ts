import { expect } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { gated, passed, time, untested } from "./played/calls.ts";
import { idOf, plays, refused, type Step } from "./played/play.ts";

// The calls of the README of s3-object-storage: links to upload and to download, none of which reaches the store.

const variables = {
  ...{ S3_BUCKET: "private-files", S3_ENDPOINT: "https://s3.eu-west-1.amazonaws.com", S3_REGION: "eu-west-1" },
  ...{ S3_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE", S3_SECRET_KEY: "canary/wJalrXUtnFEMI" },
};

/** A link to this path of the bucket, whose name is part of the host on this store, that it would take for so many seconds. */
const link = (path: string, seconds: number) => ({
  asymmetricMatch: (text: unknown): boolean => {
    const url = new URL(String(text));
    const { "X-Amz-Signature": signature, ...query } = Object.fromEntries(url.searchParams);
    expect(`${url.origin}${url.pathname}`).toBe(`https://private-files.s3.eu-west-1.amazonaws.com/${path}`);
    expect(query).toMatchObject({
      ...{ "X-Amz-Algorithm": "AWS4-HMAC-SHA256", "X-Amz-Expires": String(seconds), "X-Amz-SignedHeaders": "host" },
      ...{ "X-Amz-Date": "20260301T120000Z", "X-Amz-Credential": "AKIAIOSFODNN7EXAMPLE/20260301/eu-west-1/s3/aws4_request" },
    });
    return /^[0-9a-f]{64}$/.test(signature ?? "");
  },
});
const post = (does: string, path: string, body: Json, status = 200): Pick<Step, "does" | "method" | "path" | "body" | "status"> => ({
  ...{ does, method: "POST", path: `/files/${path}`, body, status },
});
const uploads = (does: string, step: number, body: { readonly filename: string }, path = body.filename): Step => ({
  ...post(does, "upload-url", body),
  gives: {
    ...{ ValidateBody: passed, NewObject: untested({ ready: true, file_id: idOf(step) }) },
    Record: untested({ id: idOf(step), object_key: `${idOf(step)}/${body.filename}` }),
    Presign: untested({ file_id: idOf(step), expires_in: 900, upload_url: link(`${idOf(step)}/${path}`, 900) }),
  },
});
const noUpload = (does: string, body: Json): Step => ({
  ...post(does, "upload-url", body, 400),
  gives: {
    ValidateBody: refused(body, "filename is required"),
    ...{ NewObject: gated("ValidateBody"), Record: gated("NewObject"), Presign: gated("Record") },
  },
});
const confirms = (does: string, step: number, size_bytes: Json, filename: string): Step => ({
  ...post(does, "confirm", { file_id: idOf(step), size_bytes }),
  gives: {
    ...{ ValidateBody: passed, MarkStored: { data: { id: idOf(step), filename, size_bytes: Number(size_bytes ?? 0) }, ...passed } },
    Respond: untested({ file_id: idOf(step), filename, status: "stored" }),
  },
});
const unconfirmed = (does: string, body: Json, status: number, entry: unknown): Step => ({
  ...post(does, "confirm", body, status),
  gives: { ValidateBody: passed, MarkStored: entry, Respond: gated("MarkStored") },
});
const downloads = (does: string, query: string, entry: unknown, presign: unknown, status = 200): Step => ({
  ...{ does, path: `/files/download${query}`, status },
  gives: { ReadParams: {}, Lookup: entry, Presign: presign },
});
const unknown = (does: string, query: string): Step =>
  downloads(does, query, refused([], "no stored object with that file_id"), gated("Lookup"), 404);
const files = (does: string, query: string, ...rows: readonly object[]): Step => ({
  ...{ does, path: `/files${query}` },
  gives: { ReadParams: {}, ListFiles: untested(rows.map((row) => ({ ...row, status: "stored", uploaded_at: time, created_at: time }))) },
});

const report = { filename: "report.pdf", content_type: "application/pdf", owner: "alice" };
const hostile = "x'; DROP TABLE s3_objects; --/a\\ü &?#.pdf";
const none = refused([], "no pending object with that file_id");
const [first, second] = [
  { id: idOf(2), filename: "report.pdf", content_type: "application/pdf", owner: "alice", size_bytes: 12345 },
  { id: idOf(3), filename: hostile, content_type: "application/octet-stream", owner: "", size_bytes: 0 },
];

plays({ pack: "s3-object-storage", postgres: true, variables }, [
  {
    ...{ does: "makes its table", method: "POST", path: "/api/seed" },
    gives: { CreateTable: {}, CreateIndexes: {}, Reset: {}, Respond: untested({ status: "seeded" }) },
  },
  uploads("links to an upload", 2, report),
  uploads(
    "links to an upload whose name is hostile",
    3,
    { filename: hostile },
    "x%27%3B%20DROP%20TABLE%20s3_objects%3B%20--/a%5C%C3%BC%20%26%3F%23.pdf",
  ),
  {
    // The row is there before the link: the config records first.
    ...post("links to no path that climbs", "upload-url", { filename: "../../secret" }, 500),
    gives: {
      ...{ ValidateBody: passed, NewObject: untested({ ready: true, file_id: idOf(4) }) },
      ...{ Record: untested({ id: idOf(4), object_key: `${idOf(4)}/../../secret` }), Presign: { data: null, error: "action failed" } },
    },
  },
  noUpload("wants a name", { owner: "alice" }),
  noUpload("wants a name that is not empty", { filename: "" }),
  unknown("downloads nothing that is pending", `?file_id=${idOf(2)}`),
  files("lists nothing that is pending", ""),
  confirms("confirms", 2, 12345, "report.pdf"),
  confirms("confirms without a size", 3, null, hostile),
  unconfirmed("confirms nothing twice", { file_id: idOf(2), size_bytes: 1 }, 404, none),
  unconfirmed("confirms nothing unknown", { file_id: "' OR '1'='1" }, 404, none),
  unconfirmed("fails on a size of SQL", { file_id: "x", size_bytes: "1, status = 'x'" }, 500, { data: null, error: "action failed" }),
  {
    ...post("wants an id", "confirm", {}, 400),
    gives: { ValidateBody: refused({}, "file_id is required"), MarkStored: gated("ValidateBody"), Respond: gated("MarkStored") },
  },
  downloads(
    "links to a download",
    `?file_id=${idOf(2)}`,
    { data: { id: idOf(2), object_key: `${idOf(2)}/report.pdf`, filename: "report.pdf", content_type: "application/pdf" }, ...passed },
    untested({ file_id: idOf(2), filename: "report.pdf", expires_in: 300, download_url: link(`${idOf(2)}/report.pdf`, 300) }),
  ),
  unknown("downloads nothing unknown", "?file_id=%27%20OR%20%271%27%3D%271"),
  unknown("downloads nothing in particular", ""),
  files("lists, newest first", "", second, first),
  files("lists what somebody owns", "?owner=alice&limit=25", first),
  files("lists for an empty owner as for none", "?owner=&limit=1", second),
  files("lists nothing for an owner of SQL", "?owner=%27%20OR%20%271%27%3D%271"),
  {
    ...{ does: "fails on a page of SQL", path: "/files?limit=1%3BDROP%20TABLE%20s3_objects", status: 500 },
    gives: { ReadParams: {}, ListFiles: { data: null, error: "action failed" } },
  },
]);
