import { afterEach, describe, expect, test } from "vitest";
import type { CredentialArgs } from "#runtime/features/actions/aws/schema.ts";
import { type AwsArgs, aws } from "#runtime/features/actions/aws.ts";
import { createHost } from "#runtime/process/host.ts";
import { type AwsPeer, awsPeer } from "../../harness/peers/aws-peer.ts";
import { act, actOn, send } from "../../harness/sockets.ts";

const clock = Date.UTC(2026, 10, 24, 1, 2, 3);
const peers: AwsPeer[] = [];
afterEach(async () => {
  await Promise.all(peers.splice(0).map((each) => each.close()));
});

async function peer(): Promise<AwsPeer> {
  const made = await awsPeer(clock);
  peers.push(made);
  return made;
}

const credentialOf = ({ url }: AwsPeer): CredentialArgs => ({
  ...{ region: "eu-central-1", access_key_id: "AKIDEXAMPLE", secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", endpoint: url },
});
const outcome = (at: AwsPeer, args: AwsArgs) => act((made) => aws(made, { credential: credentialOf(at), ...args }), { clock });
const dataOf = async (...given: Parameters<typeof outcome>) => {
  const { data, error } = await outcome(...given);
  expect(error).toBeUndefined();
  return data;
};
const errorOf = async (...given: Parameters<typeof outcome>) => (await outcome(...given)).error;

describe("objects", () => {
  test.each(["plain.txt", "a b+c/ü&=?#%25 '(1)*!~.txt", "x//y", "/lead", "日本/🎉"])("are stored, fetched, listed and deleted by any key: %s", async (key) => {
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
  });

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
    expect((await send(at.url, path.replace("public-read", "private"), { method: "PUT", headers: { "content-type": "image/png" } })).status).toBe(403);
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

describe("names out of data never become structure", () => {
  test.each(["a/../b", "evil.com#", "..", "a..b", "A", "ab", "a b", "x\r\ny", "-a-", "a".repeat(64), "xn@evil.example", "a%2f", "", null])(
    "bucket %j",
    async (bucket) => {
      const at = await peer();
      expect(await errorOf(at, { get_object: { bucket, key: "a" } })).toMatch(/^field bucket: /);
      expect(await errorOf(at, { list_objects: { bucket } })).toMatch(/^field bucket: /);
      expect(at.seen).toEqual([]);
    },
  );

  test.each(["../a", "a/../b", "a/.", ".", "..", "a\nb", "a\u0000", "k".repeat(1025), "\ud800", "", null])("key %j", async (key) => {
    const at = await peer();
    expect(await errorOf(at, { upload_object: { bucket: "shop", key, content: "a" } })).toMatch(/^field key: /);
    expect(at.seen).toEqual([]);
  });

  test.each([
    [{ acl: "public-read\r\nx: y" }, "field acl: expected a canned ACL, such as private or public-read"],
    [{ content_type: "a\r\nx: y" }, "header content-type: invalid character"],
    [{ cache_control: "ü" }, "header cache-control: invalid character"],
    [{ metadata: { "a:b": "c" } }, "field metadata: a name has other than letters, digits, - and _"],
    [{ metadata: { a: "c\r\nx: y" } }, "header x-amz-meta-a: invalid character"],
    [{ base64_bytes: "%" }, "field base64_bytes: not base64"],
  ])("%j", async (field, expected) => {
    const at = await peer();
    expect(await errorOf(at, { upload_object: { bucket: "shop", key: "a", content: "a", ...field } })).toBe(expected);
    expect(at.seen).toEqual([]);
  });

  test("a bucket is part of the host of AWS, and of the path where it has dots", async () => {
    const link = async (bucket: string, region = "eu-central-1") => {
      const made = await act(
        (each) => aws(each, { credential: { region, access_key_id: "A", secret_access_key: "S" }, get_signed_download_url: { bucket, key: "k" } }),
        { clock },
      );
      return new URL((made.data as { url: string }).url).href.split("?")[0];
    };
    expect(await link("shop")).toBe("https://shop.s3.eu-central-1.amazonaws.com/k");
    expect(await link("my.shop")).toBe("https://s3.eu-central-1.amazonaws.com/my.shop/k");
    expect(await link("shop", "cn-north-1")).toBe("https://shop.s3.cn-north-1.amazonaws.com.cn/k");
  });
});

describe("a service that refuses", () => {
  test("is told with code, message and request, and can be retried by its status", async () => {
    const at = await peer();
    const missing = await outcome(at, { get_object: { bucket: "shop", key: "a" } });
    expect(missing.error).toBe("aws s3: 404 NoSuchKey: The specified key does not exist. (request REQ404)");
    expect([missing.failure, missing.upstream]).toEqual(["status", 404]);
    expect(missing.data).toEqual({ status: 404, code: "NoSuchKey", message: "The specified key does not exist.", request_id: "REQ404" });
  });

  test.each([
    ["<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>", 503, 503, "SlowDown"],
    ['{"__type":"com.amazonaws.sqs#ThrottlingException","message":"Rate exceeded"}', 400, 429, "ThrottlingException"],
    ['{"Error":{"Code":"RequestThrottled","Message":"m"}}', 400, 429, "RequestThrottled"],
    ["<ErrorResponse><Error><Code>Throttling</Code></Error><RequestId>R</RequestId></ErrorResponse>", 400, 429, "Throttling"],
    ["<Error><Code>RequestTimeout</Code></Error>", 400, 408, "RequestTimeout"],
    ["<html>busy</html>", 502, 502, "HTTP502"],
    ["<Error><Code>Broken</Error>", 500, 500, "HTTP500"],
    ['<!DOCTYPE e [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><Error><Code>&b;</Code></Error>', 500, 500, "HTTP500"],
    [`<Error>${"<a>".repeat(500)}`, 500, 500, "HTTP500"],
    [`{"__type":"${"x".repeat(70_000)}"}`, 500, 500, "HTTP500"],
    ["", 503, 503, "HTTP503"],
    ["[]", 400, 400, "HTTP400"],
    ['{"__type":7}', 400, 400, "HTTP400"],
  ])("by %s", async (body, status, upstream, code) => {
    const at = await peer();
    at.answer = (_, response) => Boolean(response.writeHead(status, { "retry-after": "7" }).end(body));
    const failed = await outcome(at, { list_objects: { bucket: "shop" } });
    expect(failed).toMatchObject({ failure: "status", upstream, data: { status, code, headers: { "retry-after": "7" } } });
  });

  test("names the region of the bucket", async () => {
    const at = await peer();
    at.answer = (_, response) =>
      Boolean(response.writeHead(301, { "x-amz-bucket-region": "us-west-2" }).end("<Error><Code>PermanentRedirect</Code><Message>Elsewhere</Message></Error>"));
    expect(await errorOf(at, { get_object: { bucket: "shop", key: "a" } })).toBe(
      "aws s3: 301 PermanentRedirect: Elsewhere; the bucket is in us-west-2",
    );
    expect(at.seen).toHaveLength(1);
  });

  test("breaks off or is not there", async () => {
    const at = await peer();
    at.answer = (_, response) => Boolean(response.writeHead(200, { "content-length": "9" }).write("a")) && (response.destroy(), true);
    expect(await errorOf(at, { get_object: { bucket: "shop", key: "a" } })).toMatch(/^aws s3: connect failed: /);
    at.answer = () => true;
    expect(await errorOf(at, { timeout: 200, get_object: { bucket: "shop", key: "a" } })).toBe("aws s3: timeout after 200ms");
  });

  test.each([
    ["<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", "a list that can be continued"],
    ["<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>", "the list that was asked for"],
    ["<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>", "a list with sizes"],
    ["<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>%ff</Key><Size>1</Size></Contents></ListBucketResult>", "a list of keys in UTF-8"],
    ["<Other/>", "an XML document <ListBucketResult>"],
    ["no XML", "XML"],
    [`<ListBucketResult>${"<Contents><Key>a</Key><Size>1</Size></Contents>".repeat(1001)}</ListBucketResult>`, "the list that was asked for"],
  ])("lists are not believed: %s", async (body, what) => {
    const at = await peer();
    at.answer = (_, response) => Boolean(response.end(body));
    expect(await errorOf(at, { list_objects: { bucket: "shop" } })).toBe(`aws s3: the answer is not ${what}`);
  });
});

describe("clocks", () => {
  test("of the service count, once they are known", async () => {
    const at = await peer();
    at.clock = clock + 3_600_000;
    at.objects.set("shop/a", { bytes: Buffer.from("a"), headers: {} });
    const host = createHost({ env: {}, clock });
    const run = () => actOn(host, (made) => aws(made, { credential: credentialOf(at), get_object: { bucket: "shop", key: "a" } }));
    expect((await run()).data).toMatchObject({ content: "a" });
    expect(at.seen.map(({ headers }) => headers["x-amz-date"])).toEqual(["20261124T010203Z", "20261124T020203Z"]);
    expect((await run()).data).toMatchObject({ content: "a" });
    expect(at.seen).toHaveLength(3);
    await host.close();
  });

  test("are no excuse for a wrong key, and a service that keeps refusing is asked twice", async () => {
    const at = await peer();
    const credential = { ...credentialOf(at), secret_access_key: "another secret" };
    expect(await errorOf(at, { credential, get_object: { bucket: "shop", key: "a" } })).toBe(
      "aws s3: 403 SignatureDoesNotMatch: refused (request REQ1)",
    );
    expect(at.seen).toHaveLength(1);
    at.answer = (_, response) => Boolean(response.writeHead(403, { date: new Date(clock + 9e6).toUTCString() }).end("<Error><Code>RequestTimeTooSkewed</Code></Error>"));
    expect(await errorOf(at, { get_object: { bucket: "shop", key: "a" } })).toBe("aws s3: 403 RequestTimeTooSkewed");
    expect(at.seen).toHaveLength(3);
  });
});

describe("messages", () => {
  test("go to a queue of the region, whatever host its URL names", async () => {
    const at = await peer();
    const queue_url = "https://evil.example/123/orders.fifo";
    const sent = await dataOf(at, {
      send_message: { queue_url, body: { id: 7, name: "ü" }, delay: 5000, attributes: { kind: "order", n: 7, on: true }, group_id: "g", deduplication_id: "d" },
    });
    expect(sent).toEqual({ message_id: "sqs-1", sequence_number: null });
    expect(at.seen[0]).toMatchObject({ service: "sqs", refusal: undefined, target: "/" });
    expect(JSON.parse(at.seen[0]?.body.toString() ?? "")).toEqual({
      ...{ QueueUrl: queue_url, MessageBody: '{"id":7,"name":"ü"}', DelaySeconds: 5, MessageGroupId: "g", MessageDeduplicationId: "d" },
      MessageAttributes: {
        kind: { DataType: "String", StringValue: "order" },
        n: { DataType: "Number", StringValue: "7" },
        on: { DataType: "String", StringValue: "true" },
      },
    });
  });

  test("that a queue does not have as they were sent fail", async () => {
    const at = await peer();
    at.answer = (_, response) => Boolean(response.end('{"MessageId":"a","MD5OfMessageBody":"b"}'));
    expect(await errorOf(at, { send_message: { queue_url: "https://q.example/1/a", body: "a" } })).toBe(
      "aws sqs: the queue has another message than was sent",
    );
  });

  test("go to a topic, a device or a phone", async () => {
    const at = await peer();
    const topic_arn = "arn:aws:sns:eu-central-1:1:orders";
    const sent = await dataOf(at, { publish: { topic_arn, message: "a&b=c", subject: "New", attributes: { kind: "x" } } });
    expect(sent).toEqual({ message_id: "sns-1", sequence_number: null });
    expect(Object.fromEntries(new URLSearchParams(at.seen[0]?.body.toString()))).toEqual({
      ...{ Action: "Publish", Version: "2010-03-31", TopicArn: topic_arn, Message: "a&b=c", Subject: "New" },
      "MessageAttributes.entry.1.Name": "kind",
      "MessageAttributes.entry.1.Value.DataType": "String",
      "MessageAttributes.entry.1.Value.StringValue": "x",
    });
    expect(at.seen[0]?.refusal).toBeUndefined();
    expect(await dataOf(at, { publish: { phone_number: "+491701234567", message: "hi" } })).toMatchObject({ message_id: "sns-1" });
  });

  test.each<[AwsArgs, string]>([
    [{ send_message: { queue_url: "orders", body: "a" } }, "field queue_url: not the URL of a queue"],
    [{ send_message: { queue_url: "https://q/1", body: null } }, "field body: expected a message, got none"],
    [{ send_message: { queue_url: "https://q/1", body: "\u0001" } }, "field body: a character that AWS does not take"],
    [{ send_message: { queue_url: "https://q/1", body: "\ud800" } }, "field body: a character that AWS does not take"],
    [{ send_message: { queue_url: "https://q/1", body: "a".repeat(1_048_577) } }, "aws sqs: the message with its attributes is larger than 1048576 bytes"],
    [{ send_message: { queue_url: "https://q/1", body: "a", delay: 900_001 } }, "field delay: expected 0 to 15min"],
    [{ send_message: { queue_url: "https://q/1", body: "a", attributes: { "a b": "c" } } }, "field attributes: a name that AWS does not take"],
    [{ send_message: { queue_url: "https://q/1", body: "a", attributes: { a: ["c"] } } }, "field attributes: expected text, got array"],
    [{ publish: { message: "a" } }, "aws sns: one of topic_arn, target_arn and phone_number is needed"],
    [{ publish: { topic_arn: "arn:a", phone_number: "+4917012345", message: "a" } }, "aws sns: one of topic_arn, target_arn and phone_number is needed"],
    [{ publish: { topic_arn: "orders", message: "a" } }, "aws sns: not an ARN"],
    [{ publish: { phone_number: "0170", message: "a" } }, "aws sns: not a phone number in E.164, such as +491701234567"],
    [{ publish: { topic_arn: "arn:a", message: "ü".repeat(131_073) } }, "aws sns: the message with its attributes is larger than 262144 bytes"],
    [{ publish: { topic_arn: "arn:a", message: "a", subject: "a\nb" } }, "field subject: expected 1 to 99 characters of ASCII"],
    [{}, "aws needs an operation"],
  ])("are refused before they are sent: %#", async (args, expected) => {
    const at = await peer();
    expect(await errorOf(at, args)).toBe(expected);
    expect(at.seen).toEqual([]);
  });
});
