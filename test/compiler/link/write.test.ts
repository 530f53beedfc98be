import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ownPackage } from "../../../compiler/7-link/root.ts";
import { replaceFolder, writeWhole } from "../../../compiler/7-link/write.ts";

const scratch = mkdtempSync(join(tmpdir(), "pipewright-test-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Earlier output of these tests. */
const hasMark = (folder: string): boolean => existsSync(join(folder, "mark"));

test("an output folder is replaced whole, or stays as it was", async () => {
  const out = join(scratch, "out");
  await replaceFolder(out, hasMark, async (staging) => void writeWhole(join(staging, "mark"), "1"));
  await replaceFolder(out, hasMark, async (staging) => void writeWhole(join(staging, "mark"), "2"));
  expect(readFileSync(join(out, "mark"), "utf8")).toBe("2");
  const failing = replaceFolder(out, hasMark, async (staging) => {
    writeWhole(join(staging, "mark"), "3");
    throw new Error("half-way");
  });
  await expect(failing).rejects.toThrow("half-way");
  expect(readFileSync(join(out, "mark"), "utf8")).toBe("2");
  expect(readdirSync(scratch).filter((name) => name.startsWith("."))).toEqual([]);
});

test("a file is written whole, and not at all when it is the same", () => {
  const file = join(scratch, "new", "folder", "text.ts");
  expect([writeWhole(file, "a"), writeWhole(file, "a"), writeWhole(file, "b")]).toEqual([true, false, true]);
  expect(readdirSync(join(scratch, "new", "folder"))).toEqual(["text.ts"]);
  expect(readFileSync(file, "utf8")).toBe("b");
});

test("a folder with somebody else's files is refused", async () => {
  const folder = join(scratch, "foreign");
  mkdirSync(folder);
  writeFileSync(join(folder, "thesis.tex"), "");
  await expect(replaceFolder(folder, hasMark, async () => undefined)).rejects.toThrow("holds files that pipewright has not written");
  expect(existsSync(join(folder, "thesis.tex"))).toBe(true);
});

test("an interrupted write leaves nothing behind", async () => {
  const script = join(scratch, "interrupt.ts");
  const writer = join(ownPackage().folder, "compiler/7-link/write.ts");
  const out = join(scratch, "interrupted");
  writeFileSync(
    script,
    `const { replaceFolder, writeWhole } = await import(${JSON.stringify(writer)});
await replaceFolder(${JSON.stringify(out)}, () => true, async (staging: string) => {
  writeWhole(staging + "/mark", "1");
  process.kill(process.pid, "SIGINT");
  await new Promise((resolve) => setTimeout(resolve, 5000));
});\n`,
  );
  expect(() => execFileSync(process.execPath, [script])).toThrow(expect.objectContaining({ status: 130 }));
  expect(existsSync(out)).toBe(false);
  expect(readdirSync(scratch).filter((name) => name.startsWith("."))).toEqual([]);
});
