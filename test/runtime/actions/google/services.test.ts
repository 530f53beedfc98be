import { afterEach, describe, expect, test } from "vitest";
import { type GoogleArgs, google } from "#runtime/features/actions/google.ts";
import { createHost } from "#runtime/process/host.ts";
import type { Act } from "#runtime/run/run.ts";
import { type JsonObject, own } from "#runtime/value/json.ts";
import { type GooglePeer, googlePeer } from "../../../harness/peers/google-peer.ts";
import { actOn, send } from "../../../harness/sockets.ts";

const open: { readonly close: () => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

interface World {
  readonly peer: GooglePeer;
  readonly run: (args: Partial<GoogleArgs>) => Promise<Act>;
}

async function world(): Promise<World> {
  const peer = await googlePeer();
  const host = createHost({ env: {} });
  open.push(peer, host);
  const usual = { credential: { ...peer.credential, project_id: "shop-1" }, endpoint: peer.url };
  return { peer, run: (args) => actOn(host, (act) => google(act, { ...usual, ...args })) };
}

const hello = Buffer.from("héllo\n").toString("base64");
const linkOf = ({ data }: Act): string => String(own(data as JsonObject, "url"));

test("a request is measured, one for a token is not", async () => {
  const peer = await googlePeer();
  const host = createHost({ env: {} });
  open.push(peer, host);
  const called: JsonObject[] = [];
  const args = { credential: { ...peer.credential }, endpoint: peer.url, delete_object: { bucket: "reports", key: "a" } };
  await actOn(
    host,
    (act) => google(act, args),
    (run) => Object.assign(run.config, { metrics: () => ({ called: (of: JsonObject) => called.push(of) }) }),
  );
  expect(called).toEqual([{ config: "t", interface: "t", action: "A" }]);
});

describe("objects", () => {
  test("are stored, read and deleted", async () => {
    const { peer, run } = await world();
    const at = { bucket: "reports", key: "2026/may & june #1?.csv" };
    const stored = await run({ upload_object: { ...at, base64_bytes: hello, content_type: "text/csv" } });
    expect(stored.error).toBeUndefined();
    expect(stored.data).toEqual({
      ...{ bucket: "reports", key: at.key, size: 7, content_type: "text/csv", etag: "CAE=" },
      modified: "2026-01-02T03:04:05.678Z",
    });
    expect(peer.objects.get(`reports/${at.key}`)).toEqual({ bytes: Buffer.from("héllo\n"), type: "text/csv" });
    const read = { ...at, size: 7, content_type: "text/csv", etag: "CAE=" };
    expect((await run({ get_object: at })).data).toEqual({ ...read, encoding: "text", content: "héllo\n" });
    expect((await run({ get_object: { ...at, encoding: "base64" } })).data).toEqual({ ...read, encoding: "base64", content: hello });
    expect((await run({ delete_object: at })).data).toEqual({ ...at, ok: true });
    const gone = await run({ delete_object: at });
    expect(gone.error).toBe(`google storage: 404 notFound: No such object: reports/${at.key}`);
    expect(gone.upstream).toBe(404);
  });

  test("that are no text are not given as one", async () => {
    const { peer, run } = await world();
    peer.objects.set("reports/a", { bytes: Buffer.from([255, 0]), type: "image/png" });
    expect((await run({ get_object: { bucket: "reports", key: "a" } })).error).toBe(
      "google storage: the object is no UTF-8 text; use encoding: base64",
    );
  });

  test("of a folder are listed over pages, up to a limit", async () => {
    const { peer, run } = await world();
    for (const key of ["a/1", "a/2", "a/b/3", "a/c", "b/1"])
      peer.objects.set(`reports/${key}`, { bytes: Buffer.from(key), type: "text/plain" });
    const all = (await run({ list_objects: { bucket: "reports" } })).data as { objects: { key: string }[] };
    expect(all.objects.map(({ key }) => key)).toEqual(["a/1", "a/2", "a/b/3", "a/c", "b/1"]);
    expect(all).toMatchObject({ prefixes: [], truncated: false });
    const folder = (await run({ list_objects: { bucket: "reports", prefix: "a/", delimiter: "/" } })).data;
    expect(folder).toMatchObject({
      objects: [{ key: "a/1", size: 3 }, { key: "a/2" }, { key: "a/c" }],
      prefixes: ["a/b/"],
      truncated: false,
    });
    const some = (await run({ list_objects: { bucket: "reports", limit: 3 } })).data as { objects: { key: string }[] };
    expect(some.objects).toHaveLength(3);
    expect(some).toMatchObject({ truncated: true });
  });

  test("a list that goes round ends", async () => {
    const { peer, run } = await world();
    peer.faults.storage.push(...Array.from({ length: 1001 }, () => ({ body: { nextPageToken: "a" } })));
    expect((await run({ list_objects: { bucket: "reports" } })).error).toBe("google storage: there are more than 1000 pages");
    expect(peer.faults.storage).toHaveLength(1);
  });

  test.each([0, -1, 100_001])("a list has no limit of %d", async (limit) => {
    const { run } = await world();
    expect((await run({ list_objects: { bucket: "reports", limit } })).error).toBe(`field limit: expected 1 to 100000, got ${limit}`);
  });

  test("a list that lies keeps its shape", async () => {
    const { peer, run } = await world();
    peer.faults.storage.push({ body: { items: [1, { name: 5, size: "x", etag: {} }], prefixes: [7, "a/"], nextPageToken: 3 } });
    expect((await run({ list_objects: { bucket: "reports" } })).data).toEqual({
      objects: [{ key: null, size: null, content_type: null, etag: null, modified: null }],
      ...{ prefixes: ["a/"], truncated: false },
    });
    peer.faults.storage.push({ body: { items: "a" } });
    expect((await run({ list_objects: { bucket: "reports" } })).error).toBe("google storage: items of the answer are no list");
  });

  test.each([
    ["../other", "a", "field bucket: not the name of a bucket"],
    ["reports/o/x?", "a", "field bucket: not the name of a bucket"],
    ["a..b", "a", "field bucket: not the name of a bucket"],
    [null, "a", "field bucket: not the name of a bucket"],
    ["reports", "a/../b", "field key: not the key of an object"],
    ["reports", "..", "field key: not the key of an object"],
    ["reports", "a\r\nb", "field key: not the key of an object"],
    ["reports", "é".repeat(513), "field key: not the key of an object"],
    ["reports", "\ud800", "field key: not the key of an object"],
    ["reports", "", "field key: expected a key, got none"],
    ["reports", null, "field key: expected a key, got null"],
  ])("bucket %j, key %j: nobody is asked", async (bucket, key, error) => {
    const { peer, run } = await world();
    for (const operation of ["get_object", "delete_object", "get_signed_upload_url", "upload_object"] as const)
      expect((await run({ [operation]: { bucket, key, base64_bytes: hello } })).error).toBe(error);
    expect(peer.seen).toEqual([]);
  });

  test.each(["a?alt=json&x", "a#b", "a%2Fb", "a\\b", "a//b", "/a", "<&>\"'", "日本"])("key %j is a key", async (key) => {
    const { peer, run } = await world();
    expect((await run({ upload_object: { bucket: "reports", key, base64_bytes: hello } })).error).toBeUndefined();
    expect([...peer.objects.keys()]).toEqual([`reports/${key}`]);
    expect((await run({ get_object: { bucket: "reports", key } })).data).toMatchObject({ key, content: "héllo\n" });
    const link = linkOf(await run({ get_signed_download_url: { bucket: "reports", key } }));
    expect((await send(peer.url, link.slice(peer.url.length))).text).toBe("héllo\n");
  });

  test.each([
    ["%", "field base64_bytes: not base64"],
    [null, "field base64_bytes: expected text, got null"],
    ["A".repeat(90_000_000), "google storage: the object is larger than 64 MiB"],
  ])("a content that is none is not sent", async (base64_bytes, error) => {
    const { peer, run } = await world();
    expect((await run({ upload_object: { bucket: "reports", key: "a", base64_bytes } })).error).toBe(error);
    expect(peer.seen).toEqual([]);
  });

  test("a content type cannot be two headers", async () => {
    const { run } = await world();
    const { error } = await run({ upload_object: { bucket: "reports", key: "a", base64_bytes: hello, content_type: "a\r\nx: y" } });
    expect(error).toBe("field content_type: not a content type");
  });
});

describe("links", () => {
  test("store an object with the content type that was signed, and no other", async () => {
    const { peer, run } = await world();
    const made = await run({ get_signed_upload_url: { bucket: "reports", key: "in/a b.csv", content_type: "text/csv", expires: 60_000 } });
    expect(Object.keys(made.data as JsonObject)).toEqual(["url", "method", "headers", "expires_at"]);
    expect(made.data).toMatchObject({ method: "PUT", headers: { "content-type": "text/csv" } });
    expect(peer.seen).toEqual([]);
    const path = linkOf(made).slice(peer.url.length);
    const put = (type: string) => send(peer.url, path, { method: "PUT", headers: { "content-type": type }, body: "a,b" });
    expect((await put("text/html")).status).toBe(403);
    expect((await put("text/csv")).status).toBe(200);
    expect(peer.objects.get("reports/in/a b.csv")?.bytes.toString()).toBe("a,b");
    expect((await send(peer.url, path)).status).toBe(403);
    expect((await send(peer.url, path.replace("/in/", "/out/"), { method: "PUT", headers: { "content-type": "text/csv" } })).status).toBe(
      403,
    );
  });

  test.each([0, 999, 604_800_001])("do not work for %d ms", async (expires) => {
    const { run } = await world();
    expect((await run({ get_signed_upload_url: { bucket: "reports", key: "a", expires } })).error).toBe(
      "field expires: expected 1 s to 7 days",
    );
  });
});

describe("messages of Firebase", () => {
  test("are sent, with texts as data", async () => {
    const { peer, run } = await world();
    const message = { token: "t1", notification: { title: "Hi" }, data: { order: 7, paid: true, note: "a", items: [1] } };
    const sent = await run({ send_message: { message } });
    expect(sent.error).toBeUndefined();
    expect(sent.data).toEqual({ name: "projects/shop-1/messages/0:1", message_id: "0:1" });
    expect(peer.messages).toEqual([{ ...message, data: { order: "7", paid: "true", note: "a", items: "[1]" } }]);
    await run({ send_message: { project: "other-2", message, validate_only: true } });
    expect(peer.seen.at(-1)?.path).toBe("/v1/projects/other-2/messages:send");
    expect(peer.messages).toHaveLength(1);
  });

  test("to an app that is gone say so", async () => {
    const { run } = await world();
    const { error, data, upstream } = await run({ send_message: { message: { token: "gone" } } });
    expect(error).toBe("google fcm: 404 UNREGISTERED: the app is gone or its token has ended; delete the token");
    expect(data).toMatchObject({ status: 404, code: "UNREGISTERED", message: "Requested entity was not found." });
    expect(upstream).toBe(404);
  });

  test("beyond the quota say how long to wait", async () => {
    const { peer, run } = await world();
    const details = [{ "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode: "QUOTA_EXCEEDED" }];
    const body = { error: { code: 429, message: "Quota", status: "RESOURCE_EXHAUSTED", details } };
    peer.faults.fcm.push({ status: 429, headers: { "retry-after": "60" }, body });
    const { error, data } = await run({ send_message: { message: { topic: "news" } } });
    expect(error).toBe("google fcm: 429 QUOTA_EXCEEDED: too many messages; retry waits as long as the service asks for");
    expect(data).toEqual({ status: 429, code: "QUOTA_EXCEEDED", message: "Quota", details, headers: { "retry-after": "60" } });
  });

  test("with a token that was ended get a new one, once", async () => {
    const { peer, run } = await world();
    await run({ send_message: { message: { topic: "news" } } });
    peer.revoke();
    expect((await run({ send_message: { message: { topic: "news" } } })).error).toBeUndefined();
    expect(peer.assertions).toHaveLength(2);
    const body = { error: { code: 401, message: "no", status: "UNAUTHENTICATED" } };
    peer.faults.fcm.push({ status: 401, body }, { status: 401, body });
    expect((await run({ send_message: { message: { topic: "news" } } })).error).toBe("google fcm: 401 UNAUTHENTICATED: no");
    expect(peer.assertions).toHaveLength(3);
  });

  test("that Apple refuses are not sent again", async () => {
    const { peer, run } = await world();
    const details = [{ errorCode: "THIRD_PARTY_AUTH_ERROR" }];
    peer.faults.fcm.push({ status: 401, body: { error: { code: 401, message: "no", status: "UNAUTHENTICATED", details } } });
    expect((await run({ send_message: { message: { topic: "news" } } })).error).toBe(
      "google fcm: 401 THIRD_PARTY_AUTH_ERROR: the key of the project for Apple or for web push is missing or wrong",
    );
  });

  test.each([
    ["a/b", { topic: "a" }, "field project: not the id of a project"],
    ["", { topic: "a" }, "field project: not the id of a project"],
    ["shop", "text", "field message: expected a map"],
    ["shop", null, "field message: expected a map"],
  ])("project %j, message %j", async (project, message, error) => {
    const { peer, run } = await world();
    expect((await run({ send_message: { project, message } })).error).toBe(error);
    expect(peer.seen).toEqual([]);
  });
});

test("half an answer, and none", async () => {
  const { peer, run } = await world();
  await run({ create_token: { scopes: ["https://www.googleapis.com/auth/firebase.messaging"] } });
  peer.faults.fcm.push({ body: '{"name":' }, { body: { name: "projects/a" }, breaksAfter: 3 }, { silent: true });
  const message = { topic: "a" };
  expect((await run({ send_message: { message } })).error).toBe("google fcm: the answer is not a JSON object");
  expect((await run({ send_message: { message } })).error).toMatch(/^google fcm: connection lost: /);
  expect((await run({ send_message: { message }, timeout: 200 })).error).toBe("google fcm: timeout after 200ms");
});

test("an endpoint that data name is none of this network", async () => {
  const { peer, run } = await world();
  const { error } = await run({ list_objects: { bucket: "reports" }, from_data: ["endpoint"] });
  expect(error).toBe("address not allowed");
  expect(peer.seen.map(({ path }) => path)).toEqual(["/token"]);
  for (const endpoint of ["ftp://a.example", "http://u:p@a.example", "a.example", "https://a.example?x"])
    expect((await run({ list_objects: { bucket: "reports" }, endpoint })).error).toBe(
      "field endpoint: expected an address of http or https",
    );
});
