import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { fuse, nodeInFile } from "../../../compiler/7-link/node-file.ts";
import { nodePackages } from "../../../compiler/7-link/node-packages.ts";
import { programHeader } from "../../../compiler/7-link/program-file.ts";
import { run } from "../../harness/terminal.ts";
import { newFolder } from "../cli/command-folder.ts";

// `build --node FILE`: the platform of a Node is read from its header, and nothing but a whole Node of the right version is taken.

const scratch = mkdtempSync(join(tmpdir(), "pipewright-given-"));
const folder = newFolder();
afterAll(() => {
  for (const made of [scratch, folder]) rmSync(made, { recursive: true, force: true });
});

const { version } = nodePackages["linux-x64"];
const given = (file: string) => nodeInFile(file, () => undefined);

/** The texts of an official build that matter here. */
const texts = ({ of = version, carries = "0" }: { readonly of?: string; readonly carries?: string } = {}): string =>
  `https://nodejs.org/download/release/v${of}/node-v${of}-headers.tar.gz\0${fuse}:${carries}\0`;

/** A program whose header names 4096 bytes, with these texts in it. */
function program(header: Buffer, text: string = texts()): Buffer {
  const whole = Buffer.alloc(4096);
  header.copy(whole);
  whole.write(text, 2048, "latin1");
  return whole;
}

function elf(machine: number, interpreter = "/lib64/ld-linux-x86-64.so.2"): Buffer {
  const header = Buffer.alloc(512);
  header.write("\x7fELF\x02\x01", "latin1");
  header.writeUInt16LE(machine, 18);
  header.writeBigUInt64LE(64n, 32);
  header.writeUInt16LE(56, 54);
  header.writeUInt16LE(1, 56);
  header.writeUInt32LE(3, 64);
  header.writeBigUInt64LE(256n, 64 + 8);
  header.writeBigUInt64LE(BigInt(interpreter.length + 1), 64 + 32);
  header.write(interpreter, 256, "latin1");
  return header;
}

function portableExecutable(machine: number): Buffer {
  const header = Buffer.alloc(512);
  header.write("MZ", "latin1");
  header.writeUInt32LE(128, 0x3c);
  header.write("PE\0\0", 128, "latin1");
  header.writeUInt16LE(machine, 132);
  header.writeUInt16LE(1, 134);
  header.writeUInt32LE(2048, 128 + 24 + 16);
  header.writeUInt32LE(2048, 128 + 24 + 20);
  return header;
}

function machO(processor: number): Buffer {
  const header = Buffer.alloc(512);
  header.writeUInt32LE(0xfeedfacf);
  header.writeUInt32LE(processor, 4);
  header.writeUInt32LE(1, 16);
  header.writeUInt32LE(0x19, 32);
  header.writeUInt32LE(72, 36);
  header.writeBigUInt64LE(4096n, 32 + 48);
  return header;
}

test.each<[platform: string, header: Buffer, ending: string]>([
  ["linux-x64", elf(62), ""],
  ["linux-arm64", elf(183, "/lib/ld-linux-aarch64.so.1"), ""],
  ["linux-x64-musl", elf(62, "/lib/ld-musl-x86_64.so.1"), ""],
  ["win-x64", portableExecutable(0x8664), ".exe"],
  ["win-arm64", portableExecutable(0xaa64), ".exe"],
  ["darwin-x64", machO(0x01000007), ""],
  ["darwin-arm64", machO(0x0100000c), ""],
])("a Node for %s is known by its header", async (platform, header, ending) => {
  const file = join(scratch, platform);
  writeFileSync(file, program(header));
  expect(await given(file)).toMatchObject({ target: platform, version, ending, binary: file });
});

test("the Node that runs is taken, with the licence of Node and no other text of that name", async () => {
  mkdirSync(join(scratch, "own", "bin"), { recursive: true });
  writeFileSync(join(scratch, "own", "LICENSE"), "All rights reserved by the author of this project.");
  const file = join(scratch, "own", "bin", "node");
  cpSync(process.execPath, file);
  const found = await given(file);
  expect(found).toMatchObject({ target: `${process.platform}-${process.arch}`, version: process.versions.node });
  expect(found.licence).toMatch(/^Node\.js is licensed for use as follows/);
  // Cut off at its end, where the fuse and the version are still there.
  truncateSync(file, 100_000_000);
  await expect(given(file)).rejects.toThrow("is cut off: its header names parts that are not there");
});

test.skipIf(process.platform === "win32")("a pipe, a device, and links to them are not opened", async () => {
  execFileSync("mkfifo", [join(scratch, "pipe")]);
  symlinkSync(join(scratch, "pipe"), join(scratch, "linked-pipe"));
  symlinkSync("/dev/zero", join(scratch, "linked-device"));
  await expect(given(join(scratch, "pipe"))).rejects.toThrow("it is a pipe, not a regular file");
  await expect(given(join(scratch, "linked-pipe"))).rejects.toThrow("it is a pipe, not a regular file");
  await expect(given(join(scratch, "linked-device"))).rejects.toThrow("it is a device, not a regular file");
  await expect(given(scratch)).rejects.toThrow("it is a folder, not a regular file");
});

describe("a file that is no such Node is refused, with a remedy", () => {
  const official = `https://nodejs.org/dist/v${version}/node-v${version}-linux-x64.tar.xz`;
  test.each<[name: string, content: Buffer, says: string, remedy: string]>([
    ["empty", Buffer.alloc(0), "is no program for Linux, macOS or Windows on x64 or arm64", "bin/node or node.exe"],
    ["text", Buffer.from("#!/bin/sh\nexec node\n"), "is no program for", "bin/node"],
    ["of another processor", program(elf(243)), "is no program for", "bin/node"],
    ["no more than a beginning", elf(62).subarray(0, 40), "is cut off", "load it again"],
    ["shorter than its header says", program(machO(0x0100000c)).subarray(0, 4000), "is cut off", "load it again"],
    [
      "for several processors",
      Buffer.concat([Buffer.from([0xca, 0xfe, 0xba, 0xbe]), Buffer.alloc(64)]),
      "several processors",
      "lipo -thin",
    ],
    ["some other program", program(elf(62), "hello"), "is no official build of Node: it does not say its version", official],
    ["of another version", program(elf(62), texts({ of: "22.1.0" })), `is Node 22.1.0; an executable can be made of ${version}`, official],
    ["without a fuse", program(elf(62), texts().replace(fuse, "")), "is a Node that cannot carry a script", "take an official build"],
    ["with two fuses", program(elf(62), texts() + texts()), "is a Node that cannot carry a script", "take an official build"],
    ["an executable already", program(elf(62), texts({ carries: "1" })), "carries a script already", "the program of Node itself"],
  ])("%s", async (name, content, says, remedy) => {
    writeFileSync(join(folder, "node-file"), content);
    const ended = await run(folder, "build", "ok.yaml", "--env", "staging", "--quiet", "--node", "node-file");
    expect([name, ended.status, ended.out]).toEqual([name, 1, ""]);
    expect(ended.err).toContain(says);
    expect(ended.err).toContain(remedy);
  });

  test("missing, or twice for one target", async () => {
    const absent = await run(folder, "build", "ok.yaml", "--env", "staging", "--node", "nowhere");
    expect(absent).toEqual({ status: 3, out: "", err: "pipewright: --node nowhere: there is no such file\n" });
    for (const name of ["one", "two"]) writeFileSync(join(folder, name), program(machO(0x0100000c)));
    const twice = await run(folder, "build", "ok.yaml", "--env", "staging", "--quiet", "--node", "one", "--node", "two");
    expect([twice.status, twice.err]).toEqual([1, expect.stringContaining("are both for darwin-arm64\ngive one of them")]);
  });
});

test("no header, whatever its numbers, leads to anything but a platform, nothing, or a RangeError", () => {
  const begins = [elf(62), portableExecutable(0x8664), machO(0x0100000c)];
  fc.assert(
    fc.property(
      fc.constantFrom(...begins),
      fc.array(fc.tuple(fc.nat(300), fc.nat(255)), { maxLength: 12 }),
      fc.nat(600),
      (base, changes, length) => {
        const content = Buffer.from(program(base).subarray(0, length));
        for (const [at, byte] of changes) if (at < content.length) content[at] = byte;
        try {
          expect(programHeader(content)?.platform ?? "linux-x64").toMatch(/^(?:linux|win|darwin)-(?:x64|arm64)(?:-musl)?$/);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      },
    ),
  );
});
