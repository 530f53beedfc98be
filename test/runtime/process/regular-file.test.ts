import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FileRefused, readNamed, readRegular, readRegularSync } from "#runtime/files/regular-file.ts";

// Only regular files of a bounded size are read.

const folder = mkdtempSync(join(tmpdir(), "pipewright-test-"));
const at = (name: string): string => join(folder, name);
const socket = createServer();
beforeAll(async () => {
  execFileSync("mkfifo", [at("pipe")]);
  await new Promise<void>((resolve) => socket.listen(at("socket"), resolve));
  writeFileSync(at("full"), "x".repeat(100));
  writeFileSync(at("over"), "x".repeat(101));
  writeFileSync(at("empty"), "");
  symlinkSync("full", at("link"));
  writeFileSync(at("sparse"), "");
  truncateSync(at("sparse"), 2 ** 40);
});
afterAll(() => {
  socket.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Both ways of reading say the same. */
async function told(file: string): Promise<unknown> {
  const said = (error: unknown): unknown => (error instanceof FileRefused ? [error.message, error.isTooLarge] : error);
  const later = await readRegular(file, 100).then((bytes) => bytes.toString(), said);
  let now: unknown;
  try {
    now = readRegularSync(file, 100).toString();
  } catch (error) {
    now = said(error);
  }
  expect(later).toEqual(now);
  return now;
}

test.each([
  ["/dev/zero", ["it is a device, not a regular file", false]],
  ["pipe", ["it is a pipe, not a regular file", false]],
  ["socket", ["it is a socket, not a regular file", false]],
  [".", ["it is a folder, not a regular file", false]],
  ["over", ["it is larger than 100 bytes", true]],
  ["sparse", ["it is larger than 100 bytes", true]],
  ["full", "x".repeat(100)],
  ["link", "x".repeat(100)],
  ["empty", ""],
])("%s", async (name, expected) => {
  expect(await told(name.startsWith("/") ? name : at(name))).toEqual(expected);
});

test("a file whose size is not known before is read to its end, and no further than the bound", async () => {
  // The kernel says that these have no bytes.
  expect(String(await told("/proc/self/comm")).length).toBeGreaterThan(1);
  expect(await told("/proc/self/status")).toEqual(["it is larger than 100 bytes", true]);
});

/** A file that a person has named is read while a shell writes to the pipe; the writer of an endless one gets SIGPIPE. */
async function named(file: string, writer?: string): Promise<unknown> {
  const child = writer === undefined ? undefined : spawn("sh", ["-c", `${writer} > "$0"`, file], { stdio: "ignore" });
  const ended = child === undefined ? undefined : new Promise((resolve) => child.on("exit", resolve));
  const read = await readNamed(file, 100).then((bytes) => bytes.toString(), String);
  await ended;
  return read;
}

test.each([
  ["pipe", "printf '%s' 'A: 1'", "A: 1"],
  ["pipe", "true", ""],
  ["pipe", "yes | tr -d '\\n' | head -c 100", "y".repeat(100)],
  ["pipe", "yes | tr -d '\\n' | head -c 101", "FileRefused: it is larger than 100 bytes"],
  ["pipe", "exec cat /dev/zero", "FileRefused: it is larger than 100 bytes"],
  ["full", undefined, "x".repeat(100)],
  ["/dev/zero", undefined, "FileRefused: it is a device, not a regular file"],
  ["socket", undefined, "FileRefused: it is a socket, not a regular file"],
  [".", undefined, "FileRefused: it is a folder, not a regular file"],
  ["over", undefined, "FileRefused: it is larger than 100 bytes"],
])("%s, named by a person, with the writer %s", async (name, writer, expected) => {
  expect(await named(name.startsWith("/") ? name : at(name), writer)).toBe(expected);
});
