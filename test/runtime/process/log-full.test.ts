import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

// A log whose disk is full, as /dev/full of Linux is.

const log = fileURLToPath(new URL("../../../runtime/process/log.ts", import.meta.url));

const script = `
  const { createLog } = await import(${JSON.stringify(log)});
  const log = createLog();
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 20_000; n++) log("info", "a record of a service that goes on " + "x".repeat(1_000));
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc();
  const grown = Math.round((process.memoryUsage().heapUsed - before) / 1_048_576);
  console.error(JSON.stringify({ wentOn: true, grown }));
`;

test.skipIf(!existsSync("/dev/full"))("a log that cannot be written ends nothing, is told once on stderr, and takes no memory", () => {
  const full = openSync("/dev/full", "w");
  const ended = spawnSync(process.execPath, ["--expose-gc", "--input-type=module", "--eval", script], {
    stdio: ["ignore", full, "pipe"],
    encoding: "utf8",
  });
  closeSync(full);
  const [told = "", said = "{}", ...rest] = ended.stderr.trim().split("\n");
  expect(ended.status).toBe(0);
  expect(told).toMatch(/^pipewright: the log cannot be written \(ENOSPC\)/);
  expect(JSON.parse(said)).toMatchObject({ wentOn: true });
  // 20 MB of records were dropped.
  expect(JSON.parse(said).grown).toBeLessThan(12);
  expect(rest).toEqual([]);
});
