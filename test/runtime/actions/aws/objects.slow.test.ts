import { afterEach, describe, expect, test } from "vitest";
import { send } from "../../../harness/sockets.ts";
import { closePeers, credentialOf, dataOf, errorOf, peer } from "./aws-run.ts";

afterEach(closePeers);

describe("objects", () => {
  test.each(["plain.txt", "a b+c/ü&=?#%25 '(1)*!~.txt", "x//y", "/lead", "日本/🎉"])(
    "are stored, fetched, listed and deleted by any key: %s",
    async (key) => {
      const at = await peer();
      const stored = await dataOf(at, {
        upload_object: {
          ...{ bucket: "shop", key, base64_bytes: Buffer.from("Grüße").toString("base64"), content_type: "text/plain" },
          ...{ acl: "public-read", metadata: { Owner: "ann  b", n: 1 } },
        },
      });
      expect(at.seen.map(({ refusal }) => refusal)).toEqual([undefined]);
      expect(stored).toMatchObject({ bucket: "shop", key, size: 7, etag: expect.stringMatching(/^[0-9a-f]{32}$/), version_id: null });
      expect(at.seen[0]?.headers).toMatchObject({ "x-amz-acl": "public-read", "content-type": "text/plain", "x-amz-meta-n": "1" });
      expect([...at.objects.keys()]).toEqual([`shop/${key}`]);
      expect(await dataOf(at, { get_object: { bucket: "shop", key } })).toMatchObject({
        ...{ key, size: 7, encoding: "text", content: "Grüße", content_type: "text/plain", modified: "1970-01-01T00:00:00.000Z" },
        metadata: { n: "1" },
      });
      expect(await dataOf(at, { list_objects: { bucket: "shop" } })).toEqual({
        objects: [{ key, size: 7, etag: "e", modified: "1970-01-01T00:00:00.000Z", storage_class: "STANDARD" }],
        ...{ prefixes: [], truncated: false },
      });
      expect(await dataOf(at, { delete_object: { bucket: "shop", key } })).toEqual({ bucket: "shop", key, ok: true });
      expect(at.objects.size).toBe(0);
    },
  );

  test("that are no text are given as Base64 alone", async () => {
    const at = await peer();
    at.objects.set("shop/a", { bytes: Buffer.from([0xff, 0]), headers: {} });
    expect(await errorOf(at, { get_object: { bucket: "shop", key: "a" } })).toBe(
      "aws s3: the object is no UTF-8 text; use encoding: base64",
    );
    expect(await dataOf(at, { get_object: { bucket: "shop", key: "a", encoding: "base64" } })).toMatchObject({ content: "/wA=" });
  });

  test("have at most 64 MiB, in either direction", async () => {
    const at = await peer();
    const large = Buffer.alloc(67_108_865).toString("base64");
    expect(await errorOf(at, { upload_object: { bucket: "shop", key: "a", base64_bytes: large } })).toBe(
      "aws s3: the object is larger than 64 MiB",
    );
    expect(at.seen).toEqual([]);
    at.objects.set("shop/a", { bytes: Buffer.alloc(67_108_865), headers: {} });
    expect(await errorOf(at, { get_object: { bucket: "shop", key: "a" } })).toBe("aws s3: response exceeds 67108864 bytes");
    at.objects.set("shop/a", { bytes: Buffer.alloc(33_554_432), headers: {} });
    expect(await dataOf(at, { get_object: { bucket: "shop", key: "a", encoding: "base64" } })).toMatchObject({ size: 33_554_432 });
  });

  test("are listed over pages, by prefix and by folder, as many as asked for", async () => {
    const at = await peer();
    for (let i = 0; i < 2500; i++) at.objects.set(`shop/in/${String(i).padStart(5, "0")}`, { bytes: Buffer.from("a"), headers: {} });
    at.objects.set("shop/in/sub/one", { bytes: Buffer.from("a"), headers: {} });
    const all = await dataOf(at, { list_objects: { bucket: "shop", prefix: "in/", limit: 100_000 } });
    expect(all).toMatchObject({ truncated: false });
    expect(at.seen).toHaveLength(3);
    expect(JSON.stringify(all).match(/"key"/g)).toHaveLength(2501);
    const some = await dataOf(at, { list_objects: { bucket: "shop", prefix: "in/", limit: 2, start_after: "in/00007" } });
    expect(some).toMatchObject({ objects: [{ key: "in/00008" }, { key: "in/00009" }], truncated: true });
    const folders = await dataOf(at, { list_objects: { bucket: "shop", delimiter: "/" } });
    expect(folders).toEqual({ objects: [], prefixes: ["in/"], truncated: false });
  });
});

describe("links", () => {
  test("store and fetch one object, and carry what they demand", async () => {
    const at = await peer();
    const up = await dataOf(at, {
      get_signed_upload_url: { bucket: "shop", key: "in/a b.png", acl: "public-read", content_type: "image/png", expires: 60_000 },
    });
    expect(at.seen).toEqual([]);
    expect(up).toEqual({
      url: expect.stringContaining(`${at.url}/shop/in/a%20b.png?`),
      ...{ method: "PUT", headers: { "content-type": "image/png" }, expires_at: "2026-11-24T01:03:03.000Z" },
    });
    const { url } = up as { url: string };
    const path = url.slice(at.url.length);
    expect((await send(at.url, path, { method: "PUT", body: "png", headers: { "content-type": "image/png" } })).status).toBe(200);
    expect((await send(at.url, path, { method: "PUT", body: "html", headers: { "content-type": "text/html" } })).status).toBe(403);
    expect(
      (await send(at.url, path.replace("public-read", "private"), { method: "PUT", headers: { "content-type": "image/png" } })).status,
    ).toBe(403);
    const down = await dataOf(at, { get_signed_download_url: { bucket: "shop", key: "in/a b.png", filename: 'ü"; x=.png' } });
    const fetched = await send(at.url, (down as { url: string }).url.slice(at.url.length));
    expect([fetched.status, fetched.text]).toEqual([200, "png"]);
    expect(decodeURIComponent((down as { url: string }).url)).toContain(`attachment; filename*=UTF-8''%C3%BC%22%3B%20x%3D.png`);
  });

  test("of temporary credentials hold their token", async () => {
    const at = await peer();
    const credential = { ...credentialOf(at), session_token: "the token" };
    const link = await dataOf(at, { credential, get_signed_download_url: { bucket: "shop", key: "a" } });
    expect((link as { url: string }).url).toContain("X-Amz-Security-Token=the%20token");
    await send(at.url, (link as { url: string }).url.slice(at.url.length));
    expect(at.seen[0]?.refusal).toBeUndefined();
  });

  test("work for a second to seven days", async () => {
    const at = await peer();
    for (const expires of [999, 604_800_001])
      expect(await errorOf(at, { get_signed_upload_url: { bucket: "shop", key: "a", expires } })).toBe("field expires: expected 1s to 7d");
  });
});
