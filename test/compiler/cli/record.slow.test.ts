import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { root } from "../../harness/folders.ts";

test("the picture of the README is what the commands show now", () => {
  const script = fileURLToPath(new URL("scripts/record.mjs", root));
  expect(() => execFileSync(process.execPath, [script, "--check"], { stdio: "pipe", env: {} })).not.toThrow();
  expect(readFileSync(new URL("README.md", root), "utf8")).toContain("](docs/images/first-minutes.svg)");
});
