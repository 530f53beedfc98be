import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readDotenv } from "#runtime/files/settings-file.ts";

test("a byte order mark is no part of the first name", () => {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-test-"));
  try {
    writeFileSync(join(folder, ".env"), "\uFEFFA=1\nB=2\n");
    expect(readDotenv(join(folder, ".env"))).toEqual({ value: { A: "1", B: "2" } });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
