import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { stub } from "../../harness/sockets.ts";

// The signals that `serve`, `dev` and `run` get: from a terminal that closes, and from a user who wants a debugger.

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

/** A configuration whose run is under way when its upstream is asked, and the process that the upstream may then signal. */
async function signalled(words: readonly string[], stdin: "ignore" | "inherit" = "ignore") {
  const dir = await mkdtemp(join(tmpdir(), "pipewright-signals-"));
  const { promise: reached, resolve: reach } = Promise.withResolvers<() => void>();
  const upstream = await stub((response) => reach(() => response.writeHead(200, { "content-type": "application/json" }).end('{"n":1}')));
  const config = join(dir, "config.yaml");
  await writeFile(config, `name: t\ninterfaces: { ask: { method: GET, actions: [{ name: A, http: { url: "${upstream.url}" } }] } }\n`);
  const env = { ...process.env, PIPEWRIGHT_ADMIN_BIND: "off", PIPEWRIGHT_METRICS_BIND: "off" };
  const child = spawn(process.execPath, [bin, ...words.map((word) => (word === "CONFIG" ? config : word))], {
    env,
    stdio: [stdin, "pipe", "pipe"],
  });
  const ended = once(child, "close");
  let errors = "";
  child.stderr?.on("data", (chunk) => {
    errors += chunk;
  });
  const listening = new Promise<string>((resolve) => {
    if (child.stdout === null) return;
    createInterface(child.stdout).on("line", (line) => {
      if (line.includes('"listening"')) resolve(JSON.parse(line).url);
    });
  });
  const close = async (): Promise<void> => {
    child.kill("SIGKILL");
    await upstream.close();
    await rm(dir, { recursive: true });
  };
  return { child, ended, reached, listening, errors: () => errors, close };
}

test("SIGHUP lets the runs of dev end", async () => {
  const { child, ended, reached, listening, close } = await signalled(["dev", "CONFIG", "--port", "0"]);
  try {
    const answered = fetch(`${await listening}/ask`);
    const answer = await reached;
    child.kill("SIGHUP");
    answer();
    expect((await answered).status).toBe(200);
    expect(await ended).toEqual([0, null]);
  } finally {
    await close();
  }
});

test("SIGHUP ends a run on the command line as SIGTERM does, and what is in flight", async () => {
  const { child, ended, reached, errors, close } = await signalled(["run", "ask", "CONFIG", "--force"]);
  try {
    await reached;
    child.kill("SIGHUP");
    expect(await ended).toEqual([143, null]);
    expect(errors()).not.toContain("unexpected");
  } finally {
    await close();
  }
});
