import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const root = new URL("..", import.meta.url).pathname;

export default defineConfig({
  test: {
    root,
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/harness/setup.ts"],
    env: { SEED: process.env.SEED ?? String(seedOfSources()) },
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
    maxWorkers: 2,
  },
});

/**
 * The seed of random tests: the same sources draw the same, so that a red run is red again until it is mended, and every change draws anew.
 * A number of 31 bits, as fast-check takes them.
 */
function seedOfSources(): number {
  const hash = createHash("sha256");
  for (const folder of ["compiler", "runtime"]) {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
    for (const file of files.filter((name) => name.endsWith(".ts")).sort())
      hash.update(file).update(readFileSync(join(root, folder, file)));
  }
  return hash.digest().readUInt32BE(0) >>> 1;
}
