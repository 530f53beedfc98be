import { generateKeyPairSync } from "node:crypto";
import ssh2 from "ssh2";
import { expect, test } from "vitest";
import { parsedKey } from "#runtime/features/actions/sftp/private-key.ts";

const pkcs8 = { type: "pkcs8", format: "pem" } as const;

test.each([
  ["RSA", generateKeyPairSync("rsa", { modulusLength: 2048 }), "ssh-rsa"],
  ["P-256", generateKeyPairSync("ec", { namedCurve: "P-256" }), "ecdsa-sha2-nistp256"],
  ["P-384", generateKeyPairSync("ec", { namedCurve: "P-384" }), "ecdsa-sha2-nistp384"],
  ["P-521", generateKeyPairSync("ec", { namedCurve: "P-521" }), "ecdsa-sha2-nistp521"],
  ["Ed25519", generateKeyPairSync("ed25519"), "ssh-ed25519"],
])("a key of PKCS #8 is read, and what it signs its public key verifies: %s", (_, { privateKey }, type) => {
  const key = parsedKey({ text: privateKey.export(pkcs8).toString(), passphrase: undefined }, ssh2.utils);
  expect(key.type).toBe(type);
  expect(key.verify("letter", key.sign("letter") as Buffer)).toBe(true);
  expect(key.verify("another", key.sign("letter") as Buffer)).toBe(false);
});

test.each([
  [
    "an encrypted one",
    generateKeyPairSync("ed25519")
      .privateKey.export({ ...pkcs8, cipher: "aes-256-cbc", passphrase: "x" })
      .toString(),
    "sftp: private_key is an encrypted key of PKCS #8; openssl pkey -in FILE writes it without its passphrase",
  ],
  [
    "another kind",
    generateKeyPairSync("x25519").privateKey.export(pkcs8).toString(),
    "sftp: private_key cannot be read: it is no private key of OpenSSH or PEM, or its passphrase is another one",
  ],
  [
    "none",
    "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
    "sftp: private_key cannot be read: it is no private key of OpenSSH or PEM, or its passphrase is another one",
  ],
])("%s is refused", (_, text, error) => {
  expect(() => parsedKey({ text, passphrase: "x" }, ssh2.utils)).toThrow(error);
});
