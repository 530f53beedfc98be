import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { stub } from "../../harness/sockets.ts";

// `serve` and the signals of a terminal that goes, and of somebody who wants a debugger.

const bin = fileURLToPath(new URL("../../../bin/pipewright.mjs", import.meta.url));

test("SIGHUP lets the runs of serve end, and SIGUSR1 opens no debugger", async () => {
  const dir = await mkdtemp(join(tmpdir(), "pipewright-signals-"));
  const config = join(dir, "config.yaml");
  // The run is under way when the signals come.
  const upstream = await stub((response) => {
    child.kill("SIGUSR1");
    child.kill("SIGHUP");
    response.writeHead(200, { "content-type": "application/json" }).end('{"n":1}');
  });
  await writeFile(config, `name: t\ninterfaces: { ask: { method: GET, actions: [{ name: A, http: { url: "${upstream.url}" } }] } }\n`);
  const env = { ...process.env, PIPEWRIGHT_ADMIN_BIND: "off" };
  const child = spawn(process.execPath, [bin, "serve", config, "--address", "127.0.0.1", "--port", "0"], { env });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  try {
    const ended = once(child, "close");
    const { url } = await new Promise<{ readonly url: string }>((resolve) => {
      createInterface(child.stdout).on("line", (line) => {
        if (line.includes('"listening"')) resolve(JSON.parse(line));
      });
    });
    expect((await fetch(`${url}/ask`)).status).toBe(200);
    expect(await ended).toEqual([0, null]);
    expect(errors).not.toMatch(/debugger/i);
  } finally {
    child.kill("SIGKILL");
    await upstream.close();
    await rm(dir, { recursive: true });
  }
});
