import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

// On a Node that is too old the command starts the pinned one. A sender of signals knows only the first process.

const bin = fileURLToPath(new URL("../../../bin/pipewright.mjs", import.meta.url));
/** Runs before the command, which then takes its Node for an old one. */
const aged = `data:text/javascript,${encodeURIComponent('Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.0.0" } });')}`;

test.each(["SIGINT", "SIGTERM"] as const)("%s to the process that was started drains the one that serves", async (signal) => {
  const dir = await mkdtemp(join(tmpdir(), "pipewright-wrapper-"));
  const config = join(dir, "config.yaml");
  await writeFile(config, "name: wrapped\ninterfaces: { ping: { method: GET } }\n");
  const env = { ...process.env, PIPEWRIGHT_ADMIN_BIND: "off" };
  const child = spawn(process.execPath, ["--import", aged, bin, "serve", config, "--address", "127.0.0.1", "--port", "0"], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    const ended = once(child, "exit");
    for await (const line of createInterface(child.stdout)) if (line.includes('"listening"')) break;
    child.kill(signal);
    expect(await ended).toEqual([0, null]);
  } finally {
    child.kill("SIGKILL");
    await rm(dir, { recursive: true });
  }
});

test.skipIf(!existsSync("/dev/full"))("a standard output without room is said in one line", async () => {
  const full = openSync("/dev/full", "w");
  try {
    const child = spawn(process.execPath, [bin, "schema"], { stdio: ["ignore", full, "pipe"] });
    let err = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      err += chunk.toString();
    });
    expect(await once(child, "close")).toEqual([3, null]);
    expect(err).toBe("pipewright: standard output cannot be written: no space left on device\n");
  } finally {
    closeSync(full);
  }
});
