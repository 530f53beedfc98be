import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { root } from "../../harness/folders.ts";

const template = fileURLToPath(new URL("templates/vscode/", root));

test("the extension for VS Code is bundled and packaged as its page says", { timeout: 600_000 }, (cx) => {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-vscode-"));
  try {
    cpSync(template, folder, { recursive: true, filter: (path) => !/[\\/](?:node_modules|dist)(?:[\\/]|$)/.test(path) });
    const npm = (...args: readonly string[]) => spawnSync("npm", args, { cwd: folder, encoding: "utf8", timeout: 300_000 });
    const installed = npm("install", "--no-audit", "--no-fund");
    if (installed.status !== 0 && /E(?:AI_AGAIN|CONNREFUSED|NOTFOUND|404|TIMEDOUT)/.test(installed.stderr)) {
      console.log("skipped: vsce cannot be had from the npm registry");
      return cx.skip();
    }
    for (const done of [installed, npm("run", "build"), npm("run", "package")]) expect(done.status, done.stdout + done.stderr).toBe(0);
    const { size } = statSync(join(folder, "pipewright.vsix"));
    expect(size).toBeGreaterThan(20_000);
    expect(size).toBeLessThan(500_000);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
