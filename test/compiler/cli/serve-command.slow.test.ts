import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { main } from "../../../compiler/cli/main.ts";
import { send } from "../../harness/sockets.ts";
import { run } from "../../harness/terminal.ts";

// `pipewright serve`: which configurations it serves when one is broken, and where it says what the compiler warns of.

const folder = mkdtempSync(join(tmpdir(), "pipewright-serve-"));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const good = `name: good
interfaces:
  a: { method: GET, actions: [{ name: A, json_output: 1 }] }
  job:
    schedule: { cron: "0 3 * * *" }
    actions: [{ name: A, json_output: 1 }]
`;
const bad = "name: bad\ninterfaces:\n  b: { method: GET, actions: [{ name: B, jsn_output: 1 }] }\n";

let projects = 0;

/** A folder with these files. */
function project(files: Readonly<Record<string, string>>): string {
  const cwd = join(folder, String(projects++));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(cwd, file, ".."), { recursive: true });
    writeFileSync(join(cwd, file), text);
  }
  return cwd;
}

interface Serving {
  readonly url: string;
  readonly records: readonly Record<string, unknown>[];
  readonly err: () => string;
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
}

/** A process that serves a folder, as soon as it listens. */
async function serving(cwd: string, ...flags: readonly string[]): Promise<Serving> {
  const bin = fileURLToPath(new URL("../../../bin/pipewright.mjs", import.meta.url));
  const child = spawn(process.execPath, [bin, "serve", ".", "--address", "127.0.0.1", "--port", "0", ...flags], {
    cwd,
    env: { PATH: process.env.PATH, PIPEWRIGHT_METRICS_BIND: "off" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let err = "";
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const records: Record<string, unknown>[] = [];
  for await (const line of createInterface(child.stdout)) {
    const record: Record<string, unknown> = JSON.parse(line);
    records.push(record);
    if (record.msg === "listening") return { url: String(record.url), records, err: () => err, child, ended };
  }
  throw new Error(`it does not listen: ${err}`);
}

describe("a configuration in error", () => {
  test("stops only itself with --keep-going, and warnings are records of the log where nobody reads frames", async () => {
    const { url, records, err, child, ended } = await serving(project({ "good.yaml": good, "bad.yaml": bad }), "--keep-going");
    expect((await send(url, "/a")).status).toBe(200);
    expect((await send(url, "/b")).status).toBe(404);
    expect(err()).toMatch(/^bad\.yaml:3:\d+: error PW110: /);
    expect(err()).not.toContain("warning");
    const warnings = records.filter(({ code }) => code !== undefined);
    expect(warnings).toMatchObject([
      { level: "warn", code: "PW655", file: "good.yaml", line: 5, msg: "the schedule is off until enabled: true" },
    ]);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  test("stops all by default", async () => {
    const { status, out, err } = await run(project({ "good.yaml": good, "bad.yaml": bad }), "serve", ".");
    expect([status, out, err]).toEqual([1, "", expect.stringContaining("error PW110: ")]);
  });

  test("stops all when none is left, or when the mistake is in a module that any may use", async () => {
    expect((await run(project({ "bad.yaml": bad }), "serve", ".", "--keep-going")).status).toBe(1);
    const cwd = project({ "good.yaml": good.replace("json_output: 1", "input: a|module::m|"), "modules/m.yaml": "a: [" });
    const { status, out } = await run(cwd, "serve", ".", "--keep-going");
    expect([status, out]).toEqual([1, ""]);
  });
});

test("warnings are frames on a terminal", async () => {
  let err = "";
  const status = await main(["serve", ".", "--address", "203.0.113.1", "--port", "0"], {
    cwd: project({ "good.yaml": good }),
    isTerminal: true,
    colors: { out: false, err: false },
    env: { PIPEWRIGHT_METRICS_BIND: "off" },
    out: () => undefined,
    err: (text) => {
      err += text;
    },
  });
  // No machine has that address, so the process ends when it has reported everything.
  expect(status).toBe(78);
  expect(err).toMatch(/^good\.yaml:5:\d+: warning PW655: the schedule is off until enabled: true\n/);
  expect(err).toContain(">  5 |     schedule:");
});
