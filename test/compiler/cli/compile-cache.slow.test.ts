import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { root } from "../../harness/folders.ts";

// Node keeps what it has compiled of the command in the cache folder of the user.

const folder = mkdtempSync(join(tmpdir(), "pipewright-compiled-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bin = fileURLToPath(new URL("bin/pipewright.mjs", root));

/** Runs the command with a cache folder of its own; says how it ended, and whether something was kept. */
function started(name: string, ...args: readonly string[]): { readonly status: number | null; readonly isKept: boolean } {
  const cache = join(folder, name);
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const { status } = spawnSync(process.execPath, [bin, ...args], { cwd: folder, env: { ...env, XDG_CACHE_HOME: cache } });
  return { status, isKept: existsSync(join(cache, "pipewright", "compiled")) };
}

test.runIf(process.platform === "linux")("the code of the command is kept, that of links is not", () => {
  expect(started("version", "--version")).toEqual({ status: 0, isKept: true });
  expect(started("test", "test", "nowhere")).toEqual({ status: 3, isKept: false });
});
