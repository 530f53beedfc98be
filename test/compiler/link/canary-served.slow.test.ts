import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nativeTarget } from "../../../compiler/7-link/node.ts";
import { root } from "../../harness/folders.ts";
import { type Collector, collector } from "../../harness/peers/otlp-collector.ts";
import { type Stub, stub } from "../../harness/sockets.ts";
import { until, untilTrue } from "../../harness/until.ts";
import { canaries, echo, service, traces } from "./canaries.ts";

// A service that has secrets shows them in nothing that it writes, keeps or tells: its log, its answers, recorded runs, the admin API,
// metrics and traces.

const folder = mkdtempSync(join(tmpdir(), "pipewright-canary-"));
const variables = join("api", "vars", "production.yaml");
const command = [process.execPath, fileURLToPath(new URL("bin/pipewright.mjs", root))];
let vault: Stub;
let sink: Collector;

beforeAll(async () => {
  sink = await collector();
  vault = await stub((response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data: { data: { token: canaries.vault } } })),
  );
  mkdirSync(join(folder, "api"));
  writeFileSync(join(folder, "api", "config.yaml"), service);
  writeFileSync(join(folder, "token.txt"), `${canaries.file}\n`);
  writeFileSync(join(folder, "command.txt"), `${canaries.command}\n`);
  mkdirSync(join(folder, "api", "vars"));
  writeFileSync(join(folder, variables), `ENCRYPTED_SEALED: '${canaries.sealed}'\nstored: ${canaries.stored}\n`);
});
afterAll(async () => {
  await Promise.all([vault.close(), sink.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const env = (): Record<string, string> => ({
  PATH: process.env.PATH ?? "",
  CANARY: canaries.env,
  VAULT: vault.url,
  PIPEWRIGHT_ALLOW_COMMANDS: "true",
  PIPEWRIGHT_LOG_LEVEL: "trace",
  PIPEWRIGHT_API_KEYS: canaries.key,
  PIPEWRIGHT_ADMIN_BIND: "127.0.0.1:0",
  PIPEWRIGHT_METRICS_BIND: "127.0.0.1:0",
  PIPEWRIGHT_OTEL_ENDPOINT: sink.url,
});

/** The address that the log gives for a part of the service. */
async function address(log: () => string, msg: string): Promise<string> {
  const line = new RegExp(`"url":"([^"]+)"[^\\n]*"msg":"${msg}"`);
  await until(() => expect(log()).toMatch(line));
  return line.exec(log())?.[1] ?? `no ${msg}: ${log()}`;
}

/** All that a process writes; the text is what it has written so far. */
function started([program = "", ...args]: readonly string[]): { readonly child: ChildProcess; readonly text: () => string } {
  const child = spawn(program, args, { cwd: folder, env: env() });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk));
  return { child, text: () => text };
}

const native = nativeTarget();

/** Builds while every secret is in reach; gives the executable, the files beside it and what was said. */
async function built(target: string) {
  const { child, text } = started([...command, "build", "api", "--env", "production", "--target", target]);
  const [status] = await once(child, "close");
  expect([status, text()]).toEqual([0, expect.stringContaining("inject")]);
  const names = readdirSync(join(folder, "dist"));
  const executable = names.find((name) => name.includes(`-production-${target}`)) ?? "";
  expect(executable).not.toBe("");
  return {
    executable: join(folder, "dist", executable),
    text: text(),
    files: names.map((name) => readFileSync(join(folder, "dist", name))),
  };
}

test("compiled", () => silent([...command, "serve", "api"]));
test("walked", () => silent([...command, "serve", "api", "--interpret"]));
test.skipIf(native === undefined)("an executable and what is built with it", async () => {
  const { executable, text, files } = await built(String(native));
  // The executable, its bundle, map, manifest, bill of materials and licences.
  expect(files.length).toBeGreaterThanOrEqual(6);
  expect(traces(text)).toEqual([]);
  for (const bytes of files) expect(traces(bytes)).toEqual([]);
  await silent([executable, "--vars", variables]);
});

/** Starts the service, lets every interface fail over its secrets, and looks through all that is told and kept. */
async function silent(service: readonly string[]): Promise<void> {
  rmSync(join(folder, ".pipewright"), { recursive: true, force: true });
  sink.spans.length = 0;
  const log = started([...service, "--port", "0", "--address", "127.0.0.1"]);
  const [url, metrics, admin] = await Promise.all(["listening", "metrics", "admin"].map((msg) => address(log.text, msg)));
  const answers: string[] = [];
  for (const name of [`leak/${encodeURIComponent(canaries.env)}?token=${canaries.vault}`, "answer", "envelope"]) {
    const sent = { method: "POST", headers: { "content-type": "application/json", "x-tenant": canaries.file }, body: JSON.stringify(echo) };
    const response = await fetch(`${url}/${name}`, sent);
    expect(response.status).toBeGreaterThanOrEqual(400);
    answers.push(await response.text());
  }
  const told = async (path: string): Promise<string> =>
    (await fetch(`${admin}${path}`, { headers: { authorization: `Bearer ${canaries.key}` } })).text();
  const measured = await (await fetch(String(metrics))).text();
  // Runs are written beside what is answered.
  await untilTrue(async () => JSON.parse(await told("/api/v1/runs?interface=leak")).runs.length > 0);
  const runs = await told("/api/v1/runs?interface=leak");
  const [{ run_uuid }] = JSON.parse(runs).runs;
  const api = [runs, ...(await Promise.all(["runs", `runs/${run_uuid}`, "interfaces", "needs"].map((path) => told(`/api/v1/${path}`))))];
  log.child.kill("SIGTERM");
  await once(log.child, "close");
  const shown = [["show", run_uuid], ["export"]].map((asked) => started([...command, "runs", ...asked]));
  await Promise.all(shown.map(({ child }) => once(child, "close")));
  const kept = readdirSync(join(folder, ".pipewright"), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => readFileSync(join(each.parentPath, each.name), "utf8"));
  const spans = JSON.stringify(sink.spans, (_key, value) => (typeof value === "bigint" ? String(value) : value));
  // Each of them has something to tell.
  const telling = [runs, measured, spans, kept.join(), ...shown.map(({ text }) => text())];
  expect(telling.map((text) => text.includes("leak"))).toEqual(new Array(telling.length).fill(true));
  const texts = { answers, log: [log.text()], metrics: [measured], spans: [spans], api, kept, shown: shown.map(({ text }) => text()) };
  for (const [where, found] of Object.entries(texts)) expect([where, found.flatMap(traces)]).toEqual([where, []]);
}
