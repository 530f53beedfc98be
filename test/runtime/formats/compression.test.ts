import { crc32, deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { algorithms, byteEncodings, encodedBytes, pack, unpack } from "#runtime/formats/compression.ts";

const limit = 8_388_608;
const hex = (digits: string): Buffer => Buffer.from(digits.replaceAll(" ", ""), "hex");
const unpacked = async (digits: string, algorithm: (typeof algorithms)[number]): Promise<string> =>
  (await unpack(hex(digits), algorithm, limit)).toString();

describe.each(algorithms)("%s", (algorithm) => {
  it("has nothing behind it", async () => {
    const packed = await pack(Buffer.from("hello"), algorithm, 6, limit);
    const unpackedWith = async (more: string): Promise<string> =>
      (await unpack(Buffer.concat([packed, Buffer.from(more, "latin1")]), algorithm, limit)).toString();
    expect(await unpackedWith("")).toBe("hello");
    await expect(unpackedWith("junk")).rejects.toThrow(`not valid ${algorithm} data`);
    await expect(unpackedWith("\0\0j")).rejects.toThrow(`not valid ${algorithm} data`);
    if (algorithm === "gzip") expect(await unpackedWith("\0\0")).toBe("hello");
    else await expect(unpackedWith("\0\0")).rejects.toThrow(`not valid ${algorithm} data`);
  });
});

describe("streams put together by hand", () => {
  it.each([
    ["a stored block (RFC 1951 3.2.4)", "01 0500 faff 68656c6c6f"],
    ["two stored blocks", "00 0200 fdff 6865 01 0300 fcff 6c6c6f"],
    ["a block with fixed codes (RFC 1951 3.2.6)", "cb 48 cd c9 c9 07 00"],
    ["an empty block before the last one", "00 0000 ffff cb 48 cd c9 c9 07 00"],
  ])("deflate: %s", async (_, digits) => {
    expect(await unpacked(digits, "deflate")).toBe("hello");
  });

  it.each([
    ["the default header (RFC 1950 2.2)", "78 9c cb 48 cd c9 c9 07 00 062c0215"],
    ["another level", "78 01 01 0500 faff 68656c6c6f 062c0215"],
  ])("zlib: %s", async (_, digits) => {
    expect(await unpacked(digits, "zlib")).toBe("hello");
  });

  const member = "cb48cdc9c90700 86a61036 05000000";
  // Extra field, name, comment, and the two low bytes of the checksum over the header (RFC 1952 2.3.1).
  const flagged = "1f8b 08 1e 00000000 00 ff 0200 abcd 6e00 6300";
  const checksum = Buffer.alloc(2);
  checksum.writeUInt16LE(crc32(hex(flagged)) & 0xffff);

  it.each([
    ["the shortest header (RFC 1952 2.3)", `1f8b 08 00 00000000 00 ff ${member}`, "hello"],
    ["every optional field", `${flagged} ${checksum.toString("hex")} ${member}`, "hello"],
    ["two members", `1f8b0800000000000003 ${member} 1f8b0800000000000003 ${member}`, "hellohello"],
  ])("gzip: %s", async (_, digits, text) => {
    expect(await unpacked(digits, "gzip")).toBe(text);
  });

  it.each([
    ["deflate", "a reserved block type", "07"],
    ["deflate", "a stored block whose lengths disagree", "01 0500 0000 68656c6c6f"],
    ["deflate", "no last block", "00 0500 faff 68656c6c6f"],
    ["deflate", "nothing", ""],
    ["zlib", "a wrong checksum", "789c cb48cdc9c90700 062c0216"],
    ["zlib", "a preset dictionary", "78bb 062c0215 cb48cdc9c90700 062c0215"],
    ["zlib", "no header", "cb48cdc9c90700"],
    ["zlib", "nothing", ""],
    ["gzip", "a wrong checksum", "1f8b0800000000000003 cb48cdc9c90700 86a61037 05000000"],
    ["gzip", "a wrong length", "1f8b0800000000000003 cb48cdc9c90700 86a61036 06000000"],
    ["gzip", "half a member", "1f8b0800000000000003 cb48"],
    ["gzip", "nothing", ""],
  ] as const)("%s: %s fails", async (algorithm, _, digits) => {
    await expect(unpacked(digits, algorithm)).rejects.toThrow(`not valid ${algorithm} data`);
  });
});

it("a packed gzip has no time and no name", async () => {
  const [first, second] = await Promise.all([pack(Buffer.from("x"), "gzip", 6, limit), pack(Buffer.from("x"), "gzip", 6, limit)]);
  expect(first).toEqual(second);
  expect(first.subarray(0, 8).toString("hex")).toBe("1f8b080000000000");
});

it("unpacks what it packed, through any text", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 2000 }),
      fc.constantFrom(...algorithms),
      fc.constantFrom(...byteEncodings),
      fc.integer({ min: 0, max: 9 }),
      async (bytes, algorithm, encoding, level) => {
        const text = (await pack(Buffer.from(bytes), algorithm, level, limit)).toString(encoding);
        expect(await unpack(encodedBytes(text, encoding), algorithm, limit)).toEqual(Buffer.from(bytes));
      },
    ),
  );
});

describe("the limit", () => {
  it("is that of the input", async () => {
    expect(() => pack(Buffer.alloc(11), "gzip", 6, 10)).toThrow("input is 11 bytes, the limit is 10");
    await expect(unpack(Buffer.alloc(11), "gzip", 10)).rejects.toThrow("input is 11 bytes, the limit is 10");
    expect(await pack(Buffer.alloc(10), "gzip", 6, 10)).toBeInstanceOf(Buffer);
  });

  it("is that of the output, to the byte", async () => {
    const zeros = (count: number): Buffer => deflateRawSync(Buffer.alloc(count));
    expect(await unpack(zeros(100_000), "deflate", 100_000)).toHaveLength(100_000);
    await expect(unpack(zeros(100_001), "deflate", 100_000)).rejects.toThrow("output is over the limit of 100000 bytes");
  });

  it("ends a bomb early", async () => {
    // 256 MiB in 256 KiB.
    const bomb = deflateRawSync(Buffer.alloc(268_435_456));
    const before = process.memoryUsage().arrayBuffers;
    await expect(unpack(bomb, "deflate", limit)).rejects.toThrow("output is over the limit of 8388608 bytes");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(3 * limit);
  });
});
