import { generateKeyPairSync, type KeyObject } from "node:crypto";

/** A key pair: the private key as `openssl genpkey` writes it, and the public one as a line of `authorized_keys`. */
interface Pair {
  readonly pem: string;
  readonly line: string;
}

/** Pairs of RSA, P-256 and Ed25519. */
export const pkcs8Pairs = (): readonly Pair[] =>
  [
    generateKeyPairSync("rsa", { modulusLength: 2048 }),
    generateKeyPairSync("ec", { namedCurve: "P-256" }),
    generateKeyPairSync("ed25519"),
  ].map(({ privateKey, publicKey }) => ({ pem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(), line: lineOf(publicKey) }));

/** The public key as a line of `authorized_keys` (RFC 4253 6.6, RFC 5656 3.1, RFC 8709 4). */
function lineOf(key: KeyObject): string {
  const fields = fieldsOf(key);
  const written = fields.flatMap((field) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(field.length);
    return [length, field];
  });
  return `${String(fields[0])} ${Buffer.concat(written).toString("base64")}`;
}

function fieldsOf(key: KeyObject): readonly Buffer[] {
  const { kty, n = "", e = "", x = "", y = "" } = key.export({ format: "jwk" });
  const bytes = (text: string): Buffer => Buffer.from(text, "base64url");
  // A zero byte before the modulus keeps it positive, since its first bit is set.
  if (kty === "RSA") return [Buffer.from("ssh-rsa"), bytes(e), Buffer.concat([Buffer.alloc(1), bytes(n)])];
  const point = Buffer.concat([Buffer.from([4]), bytes(x), bytes(y)]);
  return kty === "EC" ? [Buffer.from("ecdsa-sha2-nistp256"), Buffer.from("nistp256"), point] : [Buffer.from("ssh-ed25519"), bytes(x)];
}
