import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { readSettings } from "#runtime/process/settings/options.ts";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { placeOf } from "#runtime/process/workers/crew.ts";
import { Crew, type CrewOptions } from "#runtime/process/workers/first.ts";
import { stateOf } from "#runtime/state/open.ts";
import { coordinationOf } from "#runtime/store/open-coordination.ts";
import { type Stub, send, stub } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";

// `--workers N`: several processes behind one port (docs/deploying.md).

const folder = mkdtempSync(join(tmpdir(), "pipewright-test-"));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the first process", () => {
  let files = 0;

  interface Watched {
    readonly crew: Crew;
    readonly ended: Promise<number>;
    readonly log: string[];
    readonly listening: string[];
    readonly notes: () => string[];
  }

  function crew(count: number, ways: readonly string[] = [], options: Partial<CrewOptions> = {}): Watched {
    const file = join(folder, `notes-${files++}`);
    writeFileSync(file, "");
    const [log, listening]: [string[], string[]] = [[], []];
    const made = new Crew({
      count,
      program: { file: fileURLToPath(new URL("crew-worker.ts", import.meta.url)), args: [file, ...ways] },
      log: (level, msg, fields) => log.push(`${level} ${msg} ${JSON.stringify(fields ?? {})}`),
      graceMs: 1_000,
      listening: (url) => listening.push(url),
      ...options,
    });
    return { crew: made, ended: made.run(), log, listening, notes: () => readFileSync(file, "utf8").trim().split("\n") };
  }

  test("starts one worker and then the others, says once that they serve, lets one lead, and ends when all have", async () => {
    const { crew: first, ended, listening, notes, log } = crew(3);
    await until(() => expect(notes().filter((note) => note.endsWith("serving 3"))).toHaveLength(3));
    expect(notes()[0]).toBe("1/3 begins");
    expect(notes().indexOf("2/3 begins")).toBeGreaterThan(notes().indexOf("1/3 begins"));
    expect(listening).toEqual(["http://there"]);
    expect(notes().filter((note) => note.endsWith(" lead"))).toEqual(["1/3 lead"]);
    expect(await first.measure()).toEqual([["1/3"], ["2/3"], ["3/3"]]);
    first.drain();
    expect(await ended).toBe(0);
    expect(notes().filter((note) => note.endsWith(" drain"))).toHaveLength(3);
    expect(log).toEqual([]);
  });

  test("starts a worker again that has ended, later each time; another one leads meanwhile", async () => {
    const { crew: first, ended, log, listening, notes } = crew(2, ["crashes"]);
    await until(() => expect(log.length).toBeGreaterThanOrEqual(4));
    const waits = log.map((line) => Number(/"retry_in_ms":(\d+)/.exec(line)?.[1]));
    expect(waits.slice(0, 4)).toEqual([100, 200, 400, 800]);
    expect(log[0]).toContain('error worker 2 has ended: it is started again {"worker":2,"code":9,"signal":null');
    expect(listening).toEqual([]);
    expect(notes().filter((note) => note.endsWith(" lead"))).toEqual(["1/2 lead"]);
    first.drain();
    expect(await ended).toBe(0);
  });

  test("who leads is replaced", async () => {
    const { crew: first, ended, notes } = crew(2);
    await until(() => expect(notes()).toContain("2/2 serving 2"));
    const { default: cluster } = await import("node:cluster");
    const [lead] = Object.values(cluster.workers ?? {});
    lead?.process.kill("SIGKILL");
    await until(() => expect(notes()).toContain("2/2 lead"));
    await until(() => expect(notes().filter((note) => note === "1/2 begins")).toHaveLength(2));
    expect(notes()).toContain("2/2 serving 1");
    first.drain();
    expect(await ended).toBe(0);
    expect(notes().filter((note) => note.endsWith(" lead"))).toEqual(["1/2 lead", "2/2 lead"]);
  });

  test("what keeps the first worker from starting is its own end", async () => {
    const { ended, notes } = crew(4, ["refuses"]);
    expect(await ended).toBe(78);
    expect(notes()).toEqual(["1/4 begins"]);
  });

  test("ends with 1 when the grace of a worker ran out, and ends those that do not", async () => {
    const late = crew(2, ["late"]);
    await until(() => expect(late.listening).toHaveLength(1));
    late.crew.drain();
    expect(await late.ended).toBe(1);
    const stays = crew(2, ["stays"], { graceMs: -4_900 });
    await until(() => expect(stays.listening).toHaveLength(1));
    stays.crew.drain();
    expect(await stays.ended).toBe(1);
  });
});

describe("serve --workers", () => {
  const bin = fileURLToPath(new URL("../../../bin/pipewright.mjs", import.meta.url));
  const config = join(folder, "t.yaml");
  writeFileSync(
    config,
    `name: t
expose_metrics: true
interfaces:
  a: { method: GET, actions: [{ name: A, json_output: 1 }] }
  wait: { method: GET, actions: [{ name: W, http: { url: a|env::UPSTREAM| } }] }
  count: { method: GET, actions: [{ name: C, state: { set: { key: k, value: 1 } } }] }
  code: { method: GET, response: { http_code_on_error: "a|env::CODE|" }, actions: [{ name: A, assert: { tests: [{ value: a|params::x|, is_not_null: true }] } }] }
`,
  );

  /** Requests of `wait` that are under way, each with the call that it waits for. */
  const held: ServerResponse[] = [];
  let upstream: Stub;
  beforeAll(async () => {
    upstream = await stub((response) => void held.push(response));
  });
  afterEach(() => release());
  afterAll(() => upstream.close());
  const release = (): void => {
    for (const response of held.splice(0)) response.end("1");
  };

  interface Running {
    readonly child: ChildProcess;
    readonly url: string;
    readonly metrics: string;
    readonly lines: () => Record<string, unknown>[];
    readonly ended: Promise<number | null>;
  }

  async function running(...flags: string[]): Promise<Running> {
    const child = spawn(process.execPath, [bin, "serve", config, "--address", "127.0.0.1", "--port", "0", ...flags], {
      env: {
        PATH: process.env.PATH,
        PIPEWRIGHT_METRICS_BIND: "127.0.0.1:0",
        PIPEWRIGHT_SHUTDOWN_GRACE_MS: "30000",
        ...{ CODE: "418", UPSTREAM: upstream.url },
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
    });
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    const lines = (): Record<string, unknown>[] =>
      out.endsWith("\n")
        ? out
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line))
        : [];
    const said = (msg: string): string => String(lines().find((line) => line.msg === msg)?.url);
    await until(() => expect(lines().some(({ msg }) => msg === "listening")).toBe(true));
    return { child, url: said("listening"), metrics: said("metrics"), lines, ended };
  }

  /** Resolves when a service that was told to end takes no more requests. */
  const draining = (url: string): Promise<void> =>
    until(async () => expect(await send(url, "/readyz", { agent: false }).catch(() => undefined)).not.toMatchObject({ status: 200 }));

  test("shares a port, adds up metrics, and ends what is under way before it ends with 0", async () => {
    const { child, url, metrics, lines, ended } = await running("--workers", "2", "--ephemeral");
    await Promise.all(Array.from({ length: 20 }, () => send(url, "/a", { agent: false })));
    await until(async () => {
      const { text } = await send(metrics, "/metrics");
      expect(text).toContain('pipewright_interface_requests_total{config="t",interface="a",status_class="2xx",trigger="http"} 20\n');
    });
    const [named, cpu] = ["pipewright_interface_requests_total{", "process_cpu_seconds_total "];
    for (const accept of ["application/openmetrics-text", "text/plain", "application/openmetrics-text"]) {
      const { text } = await send(metrics, "/metrics", { headers: { accept } });
      expect(text.endsWith("# EOF\n")).toBe(accept !== "text/plain");
      for (const start of [named, cpu]) expect(text.split("\n").filter((line) => line.startsWith(start))).toHaveLength(1);
      expect(text).not.toContain("_total_total");
    }
    expect((await send(url, "/readyz")).text).toBe('{"status":"ready"}');
    expect(lines().filter(({ msg }) => msg === "listening")).toMatchObject([{ workers: 2 }]);
    // Workers without a store that they share must not count each for itself.
    expect((await send(url, "/count")).status).toBe(500);
    // Each of them has read the fields of the start.
    const codes = await Promise.all([1, 2, 3, 4, 5, 6].map(() => send(url, "/code", { agent: false })));
    expect(codes.map(({ status }) => status)).toEqual([418, 418, 418, 418, 418, 418]);
    const asked = [1, 2, 3, 4].map(() => send(url, "/wait", { agent: false }));
    await until(() => expect(held).toHaveLength(4));
    child.kill("SIGTERM");
    await draining(url);
    release();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await ended).toBe(0);
    // Each worker names itself in its records.
    expect(lines().filter(({ msg }) => String(msg).includes("durable state required"))).toMatchObject([{ worker: expect.any(Number) }]);
  });

  test("a field of the start that is wrong is said once, with its line, and ends the first process with 78", async () => {
    let err = "";
    const child = spawn(process.execPath, [bin, "serve", config, "--address", "127.0.0.1", "--port", "0", "--workers", "2"], {
      env: { PATH: process.env.PATH, PIPEWRIGHT_METRICS_BIND: "off", CODE: "teapot" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    children.push(child);
    child.stderr.on("data", (chunk: Buffer) => {
      err += chunk.toString();
    });
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(78);
    expect(err.match(/'code\.response\.http_code_on_error': expected integer, got 'teapot'/g)).toHaveLength(1);
    expect(err).toContain("t.yaml:7: ");
  });

  test("workers end what is under way and then themselves when the first process is gone", async () => {
    const { child, url, ended } = await running("--workers", "2", "--ephemeral");
    const children = `/proc/${child.pid}/task/${child.pid}/children`;
    if (!existsSync(children)) return console.log("skipped: this system does not tell which processes belong to another");
    // The bundler is a child, too.
    const command = (pid: number): string => (existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "");
    const pids = readFileSync(children, "utf8").trim().split(" ").map(Number);
    const workers = pids.filter((pid) => command(pid).includes("worker.mjs"));
    expect(workers).toHaveLength(2);
    const asked = send(url, "/wait", { agent: false });
    await until(() => expect(held).toHaveLength(1));
    child.kill("SIGKILL");
    await ended;
    release();
    expect((await asked).status).toBe(200);
    await until(() => expect(workers.filter((pid) => command(pid) !== "")).toEqual([]));
  });

  test("a second signal ends all at once with 130", async () => {
    const { child, url, ended } = await running("--workers", "2", "--ephemeral");
    const asked = send(url, "/wait", { agent: false }).catch((error: Error) => error);
    await until(() => expect(held).toHaveLength(1));
    child.kill("SIGINT");
    await draining(url);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(await asked).toBeInstanceOf(Error);
  });
});

describe("settings", () => {
  test.each<[string | undefined, string | undefined, number]>([
    [undefined, undefined, 1],
    ["3", "5", 3],
    [undefined, "5", 5],
  ])("--workers %s, PIPEWRIGHT_WORKERS=%s", async (flag, variable, count) => {
    expect((await readSettings(flag === undefined ? {} : { workers: flag }, { PIPEWRIGHT_WORKERS: variable })).workers).toBe(count);
  });

  test("auto is one a processor, all else is wrong", async () => {
    expect((await readSettings({ workers: "auto" }, {})).workers).toBeGreaterThan(0);
    for (const workers of ["0", "257", "x", "1.5", "-1"]) await expect(readSettings({ workers }, {})).rejects.toThrow(UsageError);
    expect((await readSettings({}, { PIPEWRIGHT_WORKERS: "many" })).unmet).toEqual([
      "PIPEWRIGHT_WORKERS must be a number from 1 to 256, or auto, not 'many'",
    ]);
    expect([placeOf("2/4"), placeOf("0/4"), placeOf("2"), placeOf(undefined)]).toEqual([
      { number: 2, count: 4 },
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("--log-level wins over the variable", async () => {
    expect((await readSettings({ logLevel: "debug" }, { PIPEWRIGHT_LOG_LEVEL: "error" })).logLevel).toBe("debug");
    await expect(readSettings({ logLevel: "loud" }, {})).rejects.toThrow("--log-level must be one of trace, debug");
  });
});

test("workers without a database have no state, but the leading one remembers what its schedules have done", async () => {
  const host = createHost({ env: { PIPEWRIGHT_WORKER: "1/2" } });
  await expect(stateOf(host).set({ namespace: "n", key: "k" }, 1, {})).rejects.toThrow("durable state required");
  expect(await coordinationOf(host).take(["c", "i"], 60_000, "n1")).toBe(true);
  expect(await coordinationOf(host).take(["c", "i"], 60_000, "n1")).toBe(false);
  await host.close();
});
