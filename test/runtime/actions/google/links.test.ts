import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { type SignedLink, signedLink, unsignedLink } from "#runtime/keys/google-signature.ts";

/** Published facts of the signing process V4: the request, and the hash at the end of the text that is signed for it. */
const client_email = "test-iam-credentials@dummy-project-id.iam.gserviceaccount.com";
const usual = {
  method: "GET",
  endpoint: "https://storage.googleapis.com",
  bucket: "test-bucket",
  key: "test-object",
  expires: 10,
} as const;
const first = "2019-02-01T09:00:00Z";

const links: readonly (readonly [name: string, link: Partial<SignedLink>, at: string, hash: string])[] = [
  ["simple get", {}, first, "00e2fb794ea93d7adb703edaebdd509821fcc7d4f1a79ac5c8d2b394df109320"],
  ["simple put", { method: "PUT" }, first, "78742860705da91404222d5d66ff89850292471199c3c2808d116ad12e6177b4"],
  [
    "vary expiration and timestamp",
    { expires: 20 },
    "2019-03-01T09:00:00Z",
    "779f19fdb6fd381390e2d5af04947cf21750277ee3c20e0c97b7e46a1dff8907",
  ],
  [
    "vary bucket and object",
    { bucket: "test-bucket2", key: "test-object2" },
    first,
    "a139afbf35ac30e9864f63197f79609731ab1b0ca166e2a456dba156fcd3f9ce",
  ],
  [
    "forward slashes should not be stripped",
    { key: "/path/with/slashes/under_score/amper&sand/file.ext" },
    first,
    "63c601ecd6ccfec84f1113fc906609cbdf7651395f4300cecd96ddd2c35164f8",
  ],
  [
    "simple headers",
    { headers: { bar: "BAR-value", foo: "foo-value" } },
    first,
    "59c1ac1a6ee7d773d5c4487ecc861d60b71c4871dd18fc7d8485fac09df1d296",
  ],
  [
    "headers with colons",
    { headers: { bar: "2023-02-10T03:", foo: "2023-02-10T02:00:00Z" } },
    first,
    "a2a6df7e6bd818894e1f60ac3c393901b512ca1cf1061ba602dace3fb38c19a6",
  ],
  [
    "headers should be trimmed",
    { headers: { collapsed: "abc    def", leading: "    xyz", trailing: "abc    ", tabs: "\tabc\t\t\t\tdef\t" } },
    first,
    "19153e83555808dbfeb8969043cc8ce8d5db0cce91dc11fb9df58b8130f09d42",
  ],
  [
    "header value with multiple inline values",
    { headers: { multiple: " xyz ,  abc, def  , xyz   " } },
    first,
    "4df8e486146c31f1c8cd4e4c730554cde4326791ba48ec11fa969a3de064cd7f",
  ],
  [
    "customer-supplied encryption key",
    { headers: { "x-goog-encryption-algorithm": "AES256", "x-goog-encryption-key": "key", "x-goog-encryption-key-sha256": "key-hash" } },
    first,
    "66a45104eba8bdd9748723b45cbd54c3f0f6dba337a5deb9fb6a66334223dc06",
  ],
  [
    "header ordering",
    { headers: { "x-goog-date": "20190201T090000Z" } },
    first,
    "4052143280d90d5f4a8c878ff7418be6fee5d34e50b1da28d8081a094b88fa61",
  ],
];

test.each(links)("%s", (_, link, at, hash) => {
  const { toSign } = unsignedLink({ ...usual, headers: {}, client_email, ...link }, Date.parse(at));
  const time = at.replace(/[:-]/g, "");
  expect(toSign).toBe(`GOOG4-RSA-SHA256\n${time}\n${time.slice(0, 8)}/auto/storage/goog4_request\n${hash}`);
});

test("the signature stands behind the query that it signs", () => {
  const sign = (text: string): Buffer => createHash("sha256").update(text).digest();
  const link = { ...usual, headers: {}, client_email };
  const { url, toSign } = unsignedLink(link, Date.parse(first));
  expect(signedLink(link, sign, Date.parse(first))).toBe(`${url}&X-Goog-Signature=${sign(toSign).toString("hex")}`);
  expect(url).toBe(
    "https://storage.googleapis.com/test-bucket/test-object?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=test-iam-credentials%40dummy-project-id.iam.gserviceaccount.com%2F20190201%2Fauto%2Fstorage%2Fgoog4_request&X-Goog-Date=20190201T090000Z&X-Goog-Expires=10&X-Goog-SignedHeaders=host",
  );
});
