import { AwsV4Signer } from "aws4fetch";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Presigned, presignedUrl } from "../../../runtime/keys/presigned-url.ts";

/** The worked example of "Authenticating Requests: Using Query Parameters" in the Amazon S3 API reference. */
const example: Presigned = {
  method: "GET",
  endpoint: new URL("https://s3.amazonaws.com"),
  bucket: "examplebucket",
  file_key: "test.txt",
  region: "us-east-1",
  access_key_id: "AKIAIOSFODNN7EXAMPLE",
  secret_access_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  expires: 86_400,
};

it("the published example", () => {
  expect(presignedUrl(example, Date.UTC(2013, 4, 24))).toBe(
    "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
});

// A library of its own signs the address that we made, without its signature: it must come to the same.
it("agrees with aws4fetch on keys of any characters", async () => {
  const segment = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).filter((text) => !/^\.{1,2}$|\//.test(text));
  await fc.assert(
    fc.asyncProperty(
      fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/")),
      fc.constantFrom("GET", "PUT" as const),
      fc.constantFrom("https://s3.eu-central-1.amazonaws.com", "http://127.0.0.1:9000", "http://localhost", "https://[::1]:9000"),
      fc.integer({ min: 1, max: 604_800 }),
      fc.date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true }),
      async (file_key, method, endpoint, expires, date) => {
        const link = { ...example, file_key, method, endpoint: new URL(endpoint), expires, region: "eu-central-1" };
        const url = new URL(presignedUrl(link, date.getTime()));
        const signature = url.searchParams.get("X-Amz-Signature");
        url.searchParams.delete("X-Amz-Signature");
        const oracle = new AwsV4Signer({
          method,
          url: url.href,
          accessKeyId: link.access_key_id,
          secretAccessKey: link.secret_access_key,
          service: "s3",
          region: link.region,
          datetime: url.searchParams.get("X-Amz-Date") ?? "",
          signQuery: true,
          singleEncode: false,
        });
        const { url: signed } = await oracle.sign();
        expect(signature).toBe(signed.searchParams.get("X-Amz-Signature"));
      },
    ),
    { numRuns: 200 },
  );
});

it("the secret is not in the link", () => {
  expect(presignedUrl(example, 0)).not.toContain("wJalr");
});
