import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openHistory } from "#runtime/capture/open.ts";
import type { CapturedRun, Entry, History } from "#runtime/capture/recording.ts";
import { ownFolder, placeOf } from "../../harness/captured.ts";
import { root } from "../../harness/folders.ts";
import { run } from "../../harness/terminal.ts";

// pipewright runs tail and export (spec/surfaces 16).

const bin = fileURLToPath(new URL("bin/pipewright.mjs", root));

let folder: ReturnType<typeof ownFolder>;
let cwd: string;
let history: History;
let tail: ChildProcess | undefined;
beforeEach(() => {
  folder = ownFolder();
  cwd = join(folder.folder, "..");
  history = openHistory(placeOf(folder.env));
});
afterEach(async () => {
  if (tail !== undefined && tail.exitCode === null && tail.signalCode === null) tail.kill("SIGKILL");
  tail = undefined;
  await history.close();
  folder.remove();
});

function record(n: number, more: Partial<CapturedRun> = {}): CapturedRun {
  return {
    ...{ run_uuid: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`, parent: null, config: "shop", interface: "order" },
    ...{ trigger: "http", started: new Date(Date.UTC(2026, 0, 1) + n).toISOString(), ms: n, status: 200 },
    ...{ request: { params: {}, headers: {}, body: null }, actions: [] },
    ...more,
  };
}

/** As a process writes it that has recorded these runs. */
const write = (...runs: readonly CapturedRun[]): Promise<void> =>
  history.write(runs.map((each): Entry => ({ ...each, at: Date.parse(each.started), text: JSON.stringify(each) })));

const numbers = (text: string): number[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Number(JSON.parse(line).run_uuid.slice(-12)));

describe("export", () => {
  test("gives all records, the newest first, one a line", async () => {
    const runs = Array.from({ length: 120 }, (_, n) => record(n, n === 7 ? { interface: "x\u202e\u001b[31m", status: 500 } : {}));
    await write(...runs);
    const { status, out, err } = await run(cwd, "runs", "export");
    expect([status, err]).toEqual([0, "120 runs\n"]);
    expect(numbers(out)).toEqual(runs.map((_, n) => 119 - n));
    const some = await run(cwd, "runs", "export", "--status", "5xx", "--json");
    expect([some.err, JSON.parse(some.out)]).toEqual(["1 run\n", runs[7]]);
    // Text that callers have sent does not move the terminal.
    for (const character of ["\u001b", "\u202e"]) expect(some.out).not.toContain(character);
  });

  test("into a new file of its owner; one that is there stays as it is", async () => {
    await write(record(1), record(2));
    expect(await run(cwd, "runs", "export", "--out", "all.ndjson")).toEqual({ status: 0, out: "", err: "2 runs in all.ndjson\n" });
    const file = join(cwd, "all.ndjson");
    expect([numbers(readFileSync(file, "utf8")), statSync(file).mode & 0o777]).toEqual([[2, 1], 0o600]);
    writeFileSync(file, "mine");
    const again = await run(cwd, "runs", "export", "--out", "all.ndjson");
    expect([again.status, again.err]).toEqual([3, "pipewright: --out all.ndjson is already there; nothing is overwritten\n"]);
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  test("of nothing is nothing, and of a store that does not answer leaves no file", async () => {
    expect(await run(cwd, "runs", "export")).toEqual({ status: 0, out: "", err: "0 runs\n" });
    writeFileSync(join(cwd, ".env"), "PIPEWRIGHT_DATABASE_URL=postgres://svc@127.0.0.1:1/db\n");
    const { status } = await run(cwd, "runs", "export", "--dotenv", ".env", "--out", "none.ndjson");
    expect(status).toBe(78);
    expect(() => statSync(join(cwd, "none.ndjson"))).toThrow("ENOENT");
  });

  test.each([
    [["--since", "soon"], "--since must be a time"],
    [["--out", "nowhere/a.ndjson"], "--out nowhere/a.ndjson cannot be written"],
    [["--limit", "3"], "unknown option '--limit'"],
  ])("%j is wrong usage", async (flags, problem) => {
    const { status, err } = await run(cwd, "runs", "export", ...flags);
    expect([status, err]).toEqual([3, expect.stringContaining(problem)]);
  });
});

describe("tail", () => {
  /** The command as a process of its own, and what it has written so far. */
  function following(...flags: readonly string[]): { readonly text: () => string; readonly ended: Promise<unknown[]> } {
    const child = spawn(process.execPath, [bin, "runs", "tail", ...flags], { cwd, env: { PATH: process.env.PATH } });
    tail = child;
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk));
    return { text: () => text, ended: once(child, "close") };
  }

  test("shows the newest runs, then each that ends, until it is interrupted", async () => {
    await write(record(1), record(2, { status: 500 }), record(3));
    const { text, ended } = following("--limit", "2");
    await expect.poll(text).toContain("000000000003");
    // A caller may give its runs one UUID.
    await write(record(4, { interface: "\u001b[31m" }), record(3, { started: "2026-02-01T00:00:00.000Z" }));
    await expect.poll(text).toContain("2026-02-01");
    tail?.kill("SIGINT");
    expect(await ended).toEqual([130, null]);
    expect(
      text()
        .split("\n")
        .map((line) => line.trimEnd().replace(/ {2,}/g, "  ")),
    ).toEqual([
      "STARTED  STATUS  MS  TRIGGER  RUN  INTERFACE",
      "2026-01-01T00:00:00.002Z  500  2  http  00000000-0000-4000-8000-000000000002  order of shop",
      "2026-01-01T00:00:00.003Z  200  3  http  00000000-0000-4000-8000-000000000003  order of shop",
      "2026-01-01T00:00:00.004Z  200  4  http  00000000-0000-4000-8000-000000000004  \\u001b[31m of shop",
      "2026-02-01T00:00:00.000Z  200  3  http  00000000-0000-4000-8000-000000000003  order of shop",
      "",
    ]);
  });

  test("waits for a service that has recorded nothing yet, and gives lines of JSON of those that fit", async () => {
    writeFileSync(join(cwd, ".env"), "PIPEWRIGHT_DATABASE_URL=sqlite:runs.db\n");
    const { text, ended } = following("--json", "--status", "5xx", "--dotenv", ".env");
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await history.close();
    history = openHistory(placeOf({ PIPEWRIGHT_DATABASE_URL: `sqlite:${join(cwd, "runs.db")}` }));
    await write(record(1), record(2, { status: 503 }));
    await expect.poll(text).toContain("503");
    tail?.kill("SIGTERM");
    expect(await ended).toEqual([143, null]);
    expect(numbers(text())).toEqual([2]);
  });

  test("of a store that does not answer ends with what to do", async () => {
    writeFileSync(join(cwd, ".env"), "PIPEWRIGHT_DATABASE_URL=postgres://svc:canary-pass@127.0.0.1:1/db\n");
    const { text, ended } = following("--dotenv", ".env");
    expect(await ended).toEqual([78, null]);
    expect(text()).toContain("pipewright: the store of runs does not answer: ");
    expect(text()).not.toContain("canary-pass");
  });
});

test.each([["tail"], ["export"]])("runs %s --help has examples", async (command) => {
  const { out, status } = await run(cwd, "runs", command, "--help");
  expect([status, out]).toEqual([0, expect.stringContaining(`Examples:\n  pipewright runs ${command}`)]);
});
