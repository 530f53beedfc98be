import * as nodeCrypto from "node:crypto";
import { isIP as nodeIsIP } from "node:net";
import { expect, test } from "vitest";
import { Bytes, isUtf8 } from "../../../templates/playground/node/buffer.ts";
import { createHash, createPublicKey } from "../../../templates/playground/node/crypto.ts";
import { isIP } from "../../../templates/playground/node/net.ts";

// Stand-ins of the playground say the same as the modules of Node whose place they take.

test("SHA-256 at every length around the blocks", () => {
  for (let length = 0; length < 200; length++) {
    const text = "aä€😀z".repeat(40).slice(0, length).toWellFormed();
    expect(createHash("sha256").update(text).digest("hex")).toBe(nodeCrypto.createHash("sha256").update(text).digest("hex"));
  }
});

test("the kind of a public key", () => {
  const made = [
    nodeCrypto.generateKeyPairSync("rsa", { modulusLength: 1024 }),
    nodeCrypto.generateKeyPairSync("rsa", { modulusLength: 2048 }),
    nodeCrypto.generateKeyPairSync("ec", { namedCurve: "prime256v1" }),
    nodeCrypto.generateKeyPairSync("ec", { namedCurve: "secp384r1" }),
    nodeCrypto.generateKeyPairSync("ec", { namedCurve: "secp521r1" }),
    nodeCrypto.generateKeyPairSync("ed25519"),
  ];
  for (const { publicKey } of made) {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = publicKey;
    const found = createPublicKey(String(publicKey.export({ type: "spki", format: "pem" })));
    expect([found.asymmetricKeyType, found.asymmetricKeyDetails?.namedCurve, found.asymmetricKeyDetails?.modulusLength]).toEqual([
      type,
      details?.namedCurve,
      details?.modulusLength,
    ]);
  }
  for (const modulusLength of [1024, 2048, 4096]) {
    const { publicKey } = nodeCrypto.generateKeyPairSync("rsa", { modulusLength });
    const found = createPublicKey(String(publicKey.export({ type: "pkcs1", format: "pem" })));
    expect([found.asymmetricKeyType, found.asymmetricKeyDetails?.modulusLength]).toEqual(["rsa", modulusLength]);
  }
  expect(() => createPublicKey("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----")).toThrow();
});

test("IP addresses", () => {
  const texts = [
    ...["", "1", "1.2.3.4", "01.2.3.4", "1.2.3.256", "1.2.3", "0.0.0.0", "255.255.255.255", "1.2.3.4.5", " 1.2.3.4", "1.2.3.00"],
    ...["::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7", "1::2::3", ":::", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "::ffff:1.2.3.4"],
    ...[
      "::1.2.3.4:1",
      "1.2.3.4::",
      "fe80::1%eth0",
      "fe80::1%",
      "12345::",
      "::g",
      "1:2:3:4:5:6:1.2.3.4",
      "1:2:3:4:5:6:7:1.2.3.4",
      "::01.2.3.4",
    ],
    ...["1::2:3:4:5:6:7:8", "1::3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8"],
  ];
  for (const text of texts) expect([text, isIP(text)]).toEqual([text, nodeIsIP(text)]);
});

test("bytes of texts", () => {
  for (const text of ["", "a", "äöü", "😀 x", "00ff10"]) {
    const bytes = Bytes.from(text);
    const own = Buffer.from(text);
    expect([...bytes]).toEqual([...own]);
    expect(Bytes.byteLength(text)).toBe(own.length);
    for (const encoding of ["utf8", "hex", "base64", "base64url"] as const) {
      const written = own.toString(encoding);
      expect(bytes.toString(encoding)).toBe(written);
      expect([...Bytes.from(written, encoding)]).toEqual([...own]);
    }
    expect([...Bytes.concat([Bytes.alloc(2), bytes])]).toEqual([0, 0, ...own]);
  }
  expect(isUtf8(Uint8Array.from([0xc3, 0xa4]))).toBe(true);
  expect(isUtf8(Uint8Array.from([0xc3]))).toBe(false);
});
