import fc from "fast-check";
import { expect, it } from "vitest";
import { seal, unseal } from "../../../runtime/keys/aes-gcm.ts";

const hex = (text: string): Buffer => Buffer.from(text, "hex");

/** Test cases 13, 14 and 15 of the GCM specification that NIST SP 800-38D took over: key, nonce, plain text, cipher text, tag. */
const vectors: readonly (readonly [number, string, string, string, string, string])[] = [
  [13, "00".repeat(32), "00".repeat(12), "", "", "530f8afbc74536b9a963b4f1c4cb738b"],
  [14, "00".repeat(32), "00".repeat(12), "00".repeat(16), "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"],
  [
    15,
    "feffe9928665731c6d6a8f9467308308".repeat(2),
    "cafebabefacedbaddecaf888",
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
    "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
    "b094dac5d93471bdec1a502270e3cc6c",
  ],
];

it.each(vectors)("test case %s", (_, key, nonce, plain, value, tag) => {
  const sealed = seal(hex(plain), hex(key), hex(nonce));
  expect(Buffer.from(sealed.value).toString("hex")).toBe(value);
  expect(Buffer.from(sealed.tag).toString("hex")).toBe(tag);
  expect(unseal({ value: hex(value), tag: hex(tag) }, hex(key), hex(nonce))).toEqual(hex(plain));
});

const bytes = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length });

it("one bit that is altered anywhere gives nothing", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), bytes(32), bytes(12), fc.nat(), (plain, key, nonce, at) => {
      const { value, tag } = seal(plain, key, nonce);
      const parts = [value, tag, key, nonce].map((part) => Buffer.from(part));
      const bit = at % (8 * parts.reduce((sum, part) => sum + part.length, 0));
      flip(parts, bit);
      const [a = value, b = tag, c = key, d = nonce] = parts;
      expect(unseal({ value: a, tag: b }, c, d)).toBeUndefined();
      flip(parts, bit);
      expect(unseal({ value: a, tag: b }, c, d)).toEqual(Buffer.from(plain));
    }),
  );
});

function flip(parts: readonly Buffer[], bit: number): void {
  let byte = Math.floor(bit / 8);
  for (const part of parts) {
    if (byte < part.length) {
      part.writeUInt8(part.readUInt8(byte) ^ (1 << (bit % 8)), byte);
      return;
    }
    byte -= part.length;
  }
}

it("a tag that was cut is no tag", () => {
  const [key, nonce] = [Buffer.alloc(32), Buffer.alloc(12)];
  const { value, tag } = seal(Buffer.from("a"), key, nonce);
  for (const length of [0, 4, 8, 12, 15]) expect(unseal({ value, tag: tag.subarray(0, length) }, key, nonce)).toBeUndefined();
});
