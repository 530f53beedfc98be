import { afterEach, describe, expect, test } from "vitest";
import { aws } from "#runtime/features/actions/aws.ts";
import { createHost } from "#runtime/process/host.ts";
import { act, actOn } from "../../../harness/sockets.ts";
import { clock, closePeers, credentialOf, errorOf, outcome, peer } from "./aws-run.ts";

afterEach(closePeers);

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
        (each) =>
          aws(each, { credential: { region, access_key_id: "A", secret_access_key: "S" }, get_signed_download_url: { bucket, key: "k" } }),
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
      Boolean(
        response
          .writeHead(301, { "x-amz-bucket-region": "us-west-2" })
          .end("<Error><Code>PermanentRedirect</Code><Message>Elsewhere</Message></Error>"),
      );
    expect(await errorOf(at, { get_object: { bucket: "shop", key: "a" } })).toBe(
      "aws s3: 301 PermanentRedirect: Elsewhere; the bucket is in us-west-2",
    );
    expect(at.seen).toHaveLength(1);
  });

  test("breaks off or is not there", async () => {
    const at = await peer();
    at.answer = (_, response) => {
      response.writeHead(200, { "content-length": "9" }).write("a", () => response.destroy());
      return true;
    };
    expect(await errorOf(at, { get_object: { bucket: "shop", key: "a" } })).toMatch(/^aws s3: connection lost: /);
    at.answer = () => true;
    expect(await errorOf(at, { timeout: 200, get_object: { bucket: "shop", key: "a" } })).toBe("aws s3: timeout after 200ms");
  });

  test.each([
    ["<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", "a list that can be continued"],
    [
      "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>",
      "the list that was asked for",
    ],
    ["<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>", "a list with sizes"],
    [
      "<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>%ff</Key><Size>1</Size></Contents></ListBucketResult>",
      "a list of keys in UTF-8",
    ],
    ["<Other/>", "an XML document <ListBucketResult>"],
    ["no XML", "XML"],
    [
      `<ListBucketResult>${"<Contents><Key>a</Key><Size>1</Size></Contents>".repeat(1001)}</ListBucketResult>`,
      "the list that was asked for",
    ],
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
    const link = await actOn(host, (made) =>
      aws(made, { credential: credentialOf(at), get_signed_upload_url: { bucket: "shop", key: "a" } }),
    );
    expect(link.data).toMatchObject({
      url: expect.stringContaining("X-Amz-Date=20261124T020203Z"),
      expires_at: "2026-11-24T01:17:03.000Z",
    });
    await host.close();
  });

  test("are no excuse for a wrong key, and a service that keeps refusing is asked twice", async () => {
    const at = await peer();
    const credential = { ...credentialOf(at), secret_access_key: "another secret" };
    expect(await errorOf(at, { credential, get_object: { bucket: "shop", key: "a" } })).toBe(
      "aws s3: 403 SignatureDoesNotMatch: refused (request REQ1)",
    );
    expect(at.seen).toHaveLength(1);
    at.answer = (_, response) =>
      Boolean(
        response.writeHead(403, { date: new Date(clock + 9e6).toUTCString() }).end("<Error><Code>RequestTimeTooSkewed</Code></Error>"),
      );
    expect(await errorOf(at, { get_object: { bucket: "shop", key: "a" } })).toBe("aws s3: 403 RequestTimeTooSkewed");
    expect(at.seen).toHaveLength(3);
  });
});
