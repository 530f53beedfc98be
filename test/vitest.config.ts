import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const root = new URL("..", import.meta.url).pathname;

// Test processes, and the commands that they start, load a thousand files each: Node keeps what it has compiled of them.
const compiled = join(root, "node_modules/.cache/compiled");
if (existsSync(compiled) && bytesIn(compiled) > 200_000_000) rmSync(compiled, { recursive: true, force: true });
process.env.NODE_COMPILE_CACHE ??= compiled;

/** Tests that take long, draw at random, load the machine, or need a server: only `npm run test:all` runs them. */
const slow = ["test/**/*.slow.test.ts", "test/{attack,load,packs}/**/*.test.ts"];

/** Tests that measure their process, such as its stack or its memory: each has one of its own. */
const alone = ["test/**/*.alone.test.ts"];

export default defineConfig(({ mode }) => ({
  test: {
    root,
    setupFiles: ["test/harness/setup.ts"],
    env: { SEED: process.env.SEED ?? seed(), DRAWS: process.env.DRAWS ?? (mode === "all" ? "all" : "some") },
    // An alarm for what never ends, not a measure: a busy machine stretches every wait.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 10 } },
    pool: "forks",
    maxWorkers: 2,
    // Some tests of this mode depend on other processes, which a busy machine holds up. One that fails twice with the same seed fails.
    retry: mode === "all" ? 1 : 0,
    reporters: ["default", "./test/failures-reporter.ts"],
    // Node imports the sources as it does outside of tests, and strips their types itself.
    experimental: { viteModuleRunner: false },
    projects: [
      // Files share a process and with it what they import: most of the time of a small test would go into imports.
      { extends: true, test: { name: "quick", include: ["test/**/*.test.ts"], exclude: [...slow, ...alone], isolate: false } },
      { extends: true, test: { name: "alone", include: alone, exclude: slow } },
      { extends: true, test: { name: "slow", include: slow } },
    ],
  },
}));

/** The seed of everything that is drawn at random: the same at every desk, and another one each day where CI searches. */
function seed(): string {
  return process.env.CI === "true" ? new Date().toISOString().slice(0, 10).replaceAll("-", "") : "20260101";
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  // Another run of tests may remove its files meanwhile.
  return files.reduce((sum, file) => sum + (statSync(join(file.parentPath, file.name), { throwIfNoEntry: false })?.size ?? 0), 0);
}
