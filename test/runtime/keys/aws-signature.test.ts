import { describe, expect, test } from "vitest";
import { signedRequest, signer } from "#runtime/keys/aws-signature.ts";
import { presignedUrl } from "#runtime/keys/presigned-url.ts";

/** The credentials and the moment of the examples in the documentation of S3. */
const ofS3 = { access_key_id: "AKIAIOSFODNN7EXAMPLE", secret_access_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" };
const s3Now = Date.UTC(2013, 4, 24);
const s3 = { service: "s3", region: "us-east-1", host: "examplebucket.s3.amazonaws.com", query: {}, headers: {}, body: "" } as const;
const signature = (headers: Readonly<Record<string, string>>): string => (headers.authorization ?? "").replace(/^.*Signature=/, "");

describe("the examples that AWS publishes for S3", () => {
  test("GET of an object with a range", () => {
    const { headers } = signedRequest({ ...s3, method: "GET", path: "/test.txt", headers: { range: "bytes=0-9" } }, ofS3, s3Now);
    expect(signature(headers)).toBe("f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  });

  test("PUT of an object whose key has a sign that is encoded", () => {
    const sent = { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" };
    const { headers } = signedRequest(
      { ...s3, method: "PUT", path: "/test%24file.text", headers: sent, body: "Welcome to Amazon S3." },
      ofS3,
      s3Now,
    );
    expect(signature(headers)).toBe("98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
  });

  test("GET with a field of the query that has no value", () => {
    const { headers } = signedRequest({ ...s3, method: "GET", path: "/", query: { lifecycle: "" } }, ofS3, s3Now);
    expect(signature(headers)).toBe("fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  });

  test("a list of objects", () => {
    const { headers } = signedRequest({ ...s3, method: "GET", path: "/", query: { "max-keys": "2", prefix: "J" } }, ofS3, s3Now);
    expect(signature(headers)).toBe("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
  });

  test("a link", () => {
    const link = { endpoint: new URL("https://s3.amazonaws.com"), bucket: "examplebucket", file_key: "test.txt", expires: 86_400 };
    const url = presignedUrl({ ...ofS3, ...link, method: "GET", region: "us-east-1" }, s3Now);
    expect(url).toBe(
      "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
    );
  });
});

describe("the test suite of the signature", () => {
  const credentials = { access_key_id: "AKIDEXAMPLE", secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
  const now = Date.UTC(2015, 7, 30, 12, 36, 0);
  const { sign } = signer("service", "us-east-1", credentials, now);
  const nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  const headers = { host: "example.amazonaws.com", "x-amz-date": "20150830T123600Z" };

  test.each([
    ["get-vanilla", "GET", {}, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
    ["post-vanilla", "POST", {}, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
    [
      "get-vanilla-query-order-key-case",
      "GET",
      { Param2: "value2", Param1: "value1" },
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ],
  ])("%s", (_, method, query, expected) => {
    expect(sign({ method, path: "/", query, headers, payload: nothing }).signature).toBe(expected);
  });
});
