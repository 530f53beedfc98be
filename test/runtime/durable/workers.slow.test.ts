import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { send } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";

// Durable runs with `--workers N`: each worker claims, and no action is done twice (spec/surfaces 14).

const config = (upstream: string): string => `name: shop
interfaces:
  approve:
    method: POST
    actions:
      - { name: Approval, wait_for_callback: { token: a|body::token|, timeout: 2d } }
      - { name: Effect, run_when_succeeded: [Approval], http: { method: POST, url: "${upstream}", body: "a|body::token|" } }
`;

const count = 60;

let folder: string;
let child: ChildProcess | undefined;
const effects: string[] = [];
const upstream = createServer((message, response) => {
  message.setEncoding("utf8");
  let text = "";
  message.on("data", (chunk: string) => {
    text += chunk;
  });
  message.on("end", () => {
    effects.push(text.replaceAll('"', ""));
    response.end();
  });
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-workers-"));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  child?.kill("SIGKILL");
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a store that cannot be opened ends all workers with what to do", () => {
  const file = join(folder, "shop.yaml");
  writeFileSync(file, config("http://127.0.0.1:1/"));
  const bin = fileURLToPath(new URL("../../../bin/pipewright.mjs", import.meta.url));
  const ended = spawnSync(process.execPath, [bin, "serve", file, "--address", "127.0.0.1", "--port", "0", "--workers", "2"], {
    env: { PATH: process.env.PATH, PIPEWRIGHT_METRICS_BIND: "off", PIPEWRIGHT_DATABASE_URL: `sqlite:${folder}` },
    encoding: "utf8",
  });
  const need = `the store ${folder} cannot be opened: it is a folder; name a file in it`;
  expect([ended.status, ended.stderr]).toEqual([78, `pipewright: cannot start:\n  - ${need}\n`]);
});

test("each worker goes on with runs, and each effect happens once", async () => {
  const file = join(folder, "shop.yaml");
  writeFileSync(file, config(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`));
  const bin = fileURLToPath(new URL("../../../bin/pipewright.mjs", import.meta.url));
  const started = spawn(process.execPath, [bin, "serve", file, "--address", "127.0.0.1", "--port", "0", "--workers", "3"], {
    env: { PATH: process.env.PATH, PIPEWRIGHT_METRICS_BIND: "off", PIPEWRIGHT_DATABASE_URL: `sqlite:${join(folder, "runs.db")}` },
    stdio: ["ignore", "pipe", "inherit"],
  });
  child = started;
  let out = "";
  started.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString();
  });
  const lines = (): Record<string, unknown>[] =>
    out
      .slice(0, out.lastIndexOf("\n") + 1)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  const url = await until(() => {
    const line = lines().find(({ msg }) => msg === "listening");
    expect(line).toBeDefined();
    return String(line?.url);
  });
  const tokens = Array.from({ length: count }, (_, i) => `token-of-the-run-${i}`);
  const headers = { "content-type": "application/json" };
  const post = (path: string, body: unknown): Promise<{ status: number }> =>
    send(url, path, { agent: false, method: "POST", headers, body: JSON.stringify(body) });
  const begun = await Promise.all(tokens.map((token) => post("/approve", { token })));
  expect(begun.filter(({ status }) => status !== 202)).toEqual([]);
  const sent = await Promise.all(tokens.map((token) => post(`/_pipewright/callback/${token}`, true)));
  expect(sent.filter(({ status }) => status !== 202)).toEqual([]);
  const ended = (): Record<string, unknown>[] => lines().filter(({ msg }) => msg === "detached run ended");
  await until(() => expect(ended()).toHaveLength(count));
  expect(effects.toSorted()).toEqual(tokens.toSorted());
  expect(new Set(ended().map(({ worker }) => worker)).size).toBeGreaterThan(1);
  // Runs that another worker claims again are claimed before the end, since a worker hands over the runs that it holds.
  started.kill("SIGTERM");
  expect(await new Promise((resolve) => started.on("exit", resolve))).toBe(0);
  expect(effects).toHaveLength(count);
});
