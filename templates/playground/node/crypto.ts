// The part of `node:crypto` that the phases ask for, at once and without its keys: the compiler only wants to know of what kind a key is.

/** SHA-256 of a text as hexadecimal digits (FIPS 180-4). */
export const createHash = (_algorithm: "sha256"): { update(text: string): { digest(encoding: "hex"): string } } => ({
  update: (text) => ({ digest: () => digest(new TextEncoder().encode(text)) }),
});

function digest(bytes: Uint8Array): string {
  const state = [...start];
  const view = new DataView(new ArrayBuffer(64 * Math.ceil((bytes.length + 9) / 64)));
  new Uint8Array(view.buffer).set([...bytes, 0x80]);
  view.setBigUint64(view.byteLength - 8, BigInt(bytes.length) * 8n);
  for (let at = 0; at < view.byteLength; at += 64) mix(state, view, at);
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** Takes one block of 64 bytes into the state. */
function mix(state: number[], view: DataView, at: number): void {
  const words: number[] = [];
  const word = (i: number): number => words[i] ?? 0;
  for (let i = 0; i < 64; i++) {
    if (i < 16) words.push(view.getInt32(at + 4 * i));
    else {
      const [early, late] = [word(i - 15), word(i - 2)];
      const first = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
      const second = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
      words.push((word(i - 16) + first + word(i - 7) + second) | 0);
    }
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + (rounds[i] ?? 0) + word(i)) | 0;
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [i, part] of [a, b, c, d, e, f, g, h].entries()) state[i] = ((state[i] ?? 0) + part) | 0;
}

/** The first primes; SHA-256 takes its constants from their roots. */
const primes = Array.from({ length: 312 }, (_, n) => n).filter((n) => n > 1 && ![2, 3, 5, 7, 11, 13, 17].some((p) => p < n && n % p === 0));

/** The first 32 bits behind the point of the root of a number. A double does not hold a cubic root so exactly, whole numbers do. */
function fraction(prime: number, power: 2 | 3): number {
  const wanted = BigInt(prime) << BigInt(32 * power);
  let [low, high] = [0n, 1n << 40n];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** BigInt(power) <= wanted) low = middle;
    else high = middle;
  }
  return Number(low & 0xffff_ffffn) | 0;
}

const start = primes.slice(0, 8).map((prime) => fraction(prime, 2));
const rounds = primes.slice(0, 64).map((prime) => fraction(prime, 3));

/** The facts about a public key that the compiler asks for. */
interface KeyKind {
  readonly asymmetricKeyType: "rsa" | "ec" | "ed25519";
  readonly asymmetricKeyDetails?: { readonly namedCurve?: string; readonly modulusLength?: number };
}

/** The kind of a public key in PEM, or of one that is named by its curve. Throws for all others, as Node does for what it cannot read. */
export function createPublicKey(key: string | { readonly format: "jwk" }): KeyKind {
  if (typeof key !== "string") return { asymmetricKeyType: "ed25519" };
  const [, text = ""] = /-----BEGIN PUBLIC KEY-----([\s\S]{1,20000}?)-----END PUBLIC KEY-----/.exec(key) ?? [];
  const bytes = Uint8Array.from(atob(text.replace(/\s/g, "")), (sign) => sign.charCodeAt(0));
  const hex = [...bytes.subarray(0, 60)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const [oid, kind] = kinds.find(([digits]) => hex.includes(digits)) ?? [];
  if (oid === undefined || kind === undefined) throw new Error("no public key");
  if (kind.asymmetricKeyType !== "rsa") return kind;
  // A modulus is most of the key: what is around it takes 38 bytes at most, and moduli come in multiples of 256 bits.
  return { ...kind, asymmetricKeyDetails: { modulusLength: Math.floor((bytes.length - 30) / 32) * 256 } };
}

/** Kinds by their object identifiers in DER. */
const kinds: readonly (readonly [digits: string, kind: KeyKind])[] = [
  ["06092a864886f70d010101", { asymmetricKeyType: "rsa" }],
  ["06082a8648ce3d030107", { asymmetricKeyType: "ec", asymmetricKeyDetails: { namedCurve: "prime256v1" } }],
  ["06052b81040022", { asymmetricKeyType: "ec", asymmetricKeyDetails: { namedCurve: "secp384r1" } }],
  ["06052b81040023", { asymmetricKeyType: "ec", asymmetricKeyDetails: { namedCurve: "secp521r1" } }],
  ["06032b6570", { asymmetricKeyType: "ed25519" }],
];
