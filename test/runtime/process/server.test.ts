import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { createLog } from "#runtime/process/log.ts";
import { type Served, type ServeOptions, serve } from "#runtime/process/server.ts";
import { parseFlags, readSettings, UsageError } from "#runtime/process/settings/options.ts";
import type { Unmet } from "#runtime/process/unmet.ts";
import type { Config } from "#runtime/run/interface.ts";
import { Failure } from "#runtime/value/failure.ts";
import type { Json } from "#runtime/value/json.ts";
import { configOf, send, served } from "../../harness/sockets.ts";

const folder = mkdtempSync(join(tmpdir(), "pipewright-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const local = { address: "127.0.0.1", port: 0, noticeMs: 0, env: {}, log: () => undefined } as const satisfies ServeOptions;

const running: Served[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.close()));
});

async function start(configs: readonly Config[], options: ServeOptions = {}): Promise<Served> {
  const made = await serve(configs, { ...local, ...options });
  running.push(made);
  return made;
}

/** The needs that keep a process from starting. */
async function unmetOf(configs: readonly Config[], options: ServeOptions = {}): Promise<readonly string[]> {
  const error = await serve(configs, { ...local, ...options }).catch((thrown: Unmet) => thrown);
  if (!("needs" in error)) throw new Error("it has started");
  return error.needs;
}

const withDatabase = (ping: () => Promise<void>): Config => ({
  ...configOf(served("GET", "/a", () => 1)),
  name: "posts",
  needs: { env: ["DATABASE_URL"], vars: ["DB"], secrets: [] },
  databases: [{ name: "main", ping }],
});

describe("serve", () => {
  test("logs where it listens and answers there", async () => {
    const records: [string, unknown][] = [];
    const { url } = await start([configOf(served("GET", "/a", () => 1))], {
      log: (level, msg, fields) => records.push([`${level} ${msg}`, fields]),
    });
    expect(records).toEqual([["info listening", { url, environment: "production", configs: ["t"] }]]);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect((await send(url, "/a")).status).toBe(200);
  });

  test.each([
    ["", [["warn state and only_new have no database: they are kept in memory", { configs: ["posts"] }]]],
    ["sqlite::memory:", []],
  ])("state that only the memory keeps is worth a warning: '%s'", async (address, expected) => {
    const records: [string, unknown][] = [];
    const configs = [configOf(served("GET", "/a", () => 1)), { ...withDatabase(async () => undefined), store: async () => undefined }];
    await start(configs, {
      env: { PIPEWRIGHT_DATABASE_URL: address },
      log: (level, msg, fields) => records.push([`${level} ${msg.split(",")[0]}`, fields]),
    });
    expect(records.filter(([msg]) => msg.startsWith("warn state"))).toEqual(expected);
  });

  test("a wildcard address is shown as the loopback one", async () => {
    expect((await start([], { address: "0.0.0.0" })).url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  });

  test("secrets that are managed variables must be set; all that are not are listed", async () => {
    const config = {
      ...configOf(served("GET", "/a", (cx) => cx.env("OPEN"))),
      name: "posts",
      needs: { env: [], vars: [], secrets: ["DECLARED", "FIRST", "SEALED", "SECOND", "SET"] },
      secrets: ["DECLARED"],
    };
    const variables = { SET: "x", SEALED: () => undefined };
    expect(await unmetOf([config], { variables, environment: "staging" })).toEqual([
      "secret FIRST of posts is not set: pipewright vars set FIRST - --seal --env staging",
      "secret SECOND of posts is not set: pipewright vars set SECOND - --seal --env staging",
    ]);
    expect((await start([{ ...config, needs: { ...config.needs, secrets: ["SET", "SEALED"] } }], { variables })).url).toMatch(/^http/);
  });

  test("configs read the environment variables that the operator allows, and never the keys of the service", async () => {
    const env = { OPEN: "o", DATABASE_URL: "d", SECRET: "s", A1: "a", PIPEWRIGHT_MASTER_KEY: "k", PIPEWRIGHT_API_KEYS: "k" };
    const names = [...Object.keys(env), "PIPEWRIGHT_ENV_ALLOW"];
    const config = configOf(served("GET", "/a", (cx) => names.map((name) => cx.env(name))));
    const read = async (allow: string): Promise<unknown> => {
      const { url } = await start([config], { env: { ...env, PIPEWRIGHT_ENV_ALLOW: allow } });
      return JSON.parse((await send(url, "/a")).text).data.A.data;
    };
    expect(await read("")).toEqual(["o", "d", "s", "a", null, null, null]);
    expect(await read("OPEN, DATABASE_*")).toEqual(["o", "d", null, null, null, null, null]);
    expect(await read("A.")).toEqual([null, null, null, null, null, null, null]);
    expect(await read("*")).toEqual(["o", "d", "s", "a", null, null, "*"]);
  });

  test("what cannot be opened is a warning at the start", async () => {
    const said: string[] = [];
    await start([], {
      warnings: ["sealed variables cannot be opened: A; what reads them fails"],
      log: (level, msg) => said.push(`${level} ${msg}`),
    });
    expect(said[0]).toBe("warn sealed variables cannot be opened: A; what reads them fails");
  });

  test("a name that is merely unset keeps nothing from starting", async () => {
    const config = {
      ...configOf(served("GET", "/a", (cx) => [cx.env("NOPE"), cx.var("NOPE")])),
      needs: { env: ["NOPE"], vars: ["NOPE"], secrets: [] },
    };
    const { url } = await start([config]);
    expect(JSON.parse((await send(url, "/a")).text).data.A.data).toEqual([null, null]);
  });

  test("settings reach the runs", async () => {
    const config = configOf(served("GET", "/a", (cx) => [cx.env("E"), cx.var("V"), cx.host.now(), cx.request.environment ?? null]));
    const { url } = await start([config], { env: { E: "e" }, variables: { V: [1] }, clock: 5, environment: "dev", organisation: "acme" });
    expect(JSON.parse((await send(url, "/acme/dev/a")).text).data.A.data).toEqual(["e", [1], 5, "dev"]);
  });

  test("everything unmet is named at once, with what to set", async () => {
    const busy = createServer();
    await new Promise<void>((resolve) => busy.listen(0, "127.0.0.1", resolve));
    const address = busy.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const unset = withDatabase(async () => {
      throw new Failure("database", "database: conn_string is not set");
    });
    const needs = await unmetOf([unset], { port, unmet: ["vars.yaml cannot be read"] });
    busy.close();
    expect(needs).toEqual([
      "vars.yaml cannot be read",
      "database main of posts: conn_string is not set; set environment variable DATABASE_URL, variable DB (--vars)",
      `address 127.0.0.1:${port} is in use: choose another with --port or --address`,
    ]);
  });

  test("an address that is none of this machine", async () => {
    expect(await unmetOf([], { address: "203.0.113.1" })).toEqual([
      "address 203.0.113.1 is none of this machine: choose another with --address",
    ]);
  });

  test("a store of the state that does not answer keeps it from being ready", async () => {
    let up = false;
    const store = async (): Promise<void> => {
      if (!up) throw new Failure("state", "state is not available");
    };
    const { url } = await start([{ ...configOf(), store }]);
    expect(await send(url, "/readyz")).toMatchObject({ status: 503, text: '{"status":"unready"}' });
    up = true;
    expect((await send(url, "/readyz")).status).toBe(200);
  });

  test("a database that does not answer keeps it from being ready, not from starting", async () => {
    let up = false;
    const config = withDatabase(async () => {
      if (!up) throw new Failure("database", "database: connect ECONNREFUSED");
    });
    const { url } = await start([config]);
    expect(await send(url, "/readyz")).toMatchObject({ status: 503, text: '{"status":"unready"}' });
    up = true;
    expect((await send(url, "/readyz")).status).toBe(200);
  });
});

describe("settings", () => {
  const settings = (flags: Parameters<typeof readSettings>[0], env: Parameters<typeof readSettings>[1] = {}) => readSettings(flags, env);

  test("defaults", async () => {
    expect(await settings({})).toMatchObject({
      organisation: "local",
      environment: "production",
      address: "0.0.0.0",
      port: 4111,
      variables: {},
      unmet: [],
    });
  });

  test("flags win over the environment, the real environment over .env", async () => {
    const dotenv = file(".env", 'PIPEWRIGHT_ENV=dev\nPIPEWRIGHT_ORG="acme"\nA=1\nB=2\n');
    const found = await settings(
      { dotenv, env: "staging", port: "0" },
      { B: "real", PIPEWRIGHT_MAX_BODY_BYTES: "64", PIPEWRIGHT_MAX_DELAY_SECS: "2" },
    );
    expect(found).toMatchObject({ environment: "staging", organisation: "acme", port: 0, env: { A: "1", B: "real" } });
    expect(found.limits).toMatchObject({ maxBodyBytes: 64, maxDelayMs: 2_000, runTimeoutMs: 300_000 });
  });

  test("files of variables: a later one wins, values keep their types", async () => {
    const first = file("first.yaml", "A: 1\nB: [x, {y: null}]\n__proto__: p\n");
    const second = file("second.yml", "A: two\n");
    const { variables } = await settings({ vars: [second] }, { PIPEWRIGHT_VARS: first });
    expect(Object.entries(variables)).toEqual([
      ["A", "two"],
      ["B", ["x", { y: null }]],
      ["__proto__", "p"],
    ]);
  });

  test.each(["PIPEWRIGHT_DATABASE_URL", "PIPEWRIGHT_STATE_DATABASE_URL"])("%s names a database that can be used", async (name) => {
    for (const url of ["postgres://h/d", "postgresql://h/d", "sqlite:f", "sqlite::memory:", ""]) {
      expect((await settings({}, { [name]: url })).unmet).toEqual([]);
    }
    expect((await settings({}, { [name]: "mysql://u:secret@h/d" })).unmet).toEqual([`${name} must be postgres://… or sqlite:FILE`]);
  });

  test.each(["PIPEWRIGHT_CLUSTERED", "PIPEWRIGHT_ALLOW_COMMANDS"])("%s is true, false or nothing", async (name) => {
    for (const word of ["true", "false", ""]) expect((await settings({}, { [name]: word })).unmet).toEqual([]);
    expect((await settings({}, { [name]: "yes" })).unmet).toEqual([`${name} must be one of true, false, not 'yes'`]);
  });

  test("the organisation may use everything that no list leaves out", async () => {
    expect((await settings({})).entitlements).toEqual(["compression", "documents"]);
    expect((await settings({}, { PIPEWRIGHT_ENTITLEMENTS: "documents" })).entitlements).toEqual(["documents"]);
    expect((await settings({}, { PIPEWRIGHT_ENTITLEMENTS: "documents, pdf" })).unmet).toEqual([
      "PIPEWRIGHT_ENTITLEMENTS: 'pdf' is none of compression, documents",
    ]);
    expect((await settings({}, { PIPEWRIGHT_MAX_DOCUMENT_BYTES: "5" })).limits.maxDocumentBytes).toBe(5);
  });

  test("an empty file of variables has none", async () => {
    expect(await settings({ vars: [file("empty.yaml", "# nothing\n")] })).toMatchObject({ variables: {}, unmet: [] });
  });

  test("all that is wrong with files and the environment is listed, without what the files hold", async () => {
    const list = file("list.yaml", "- secret\n");
    const broken = file("broken.yaml", "A: [secret\n");
    const sealed = file("sealed.yaml", "A: {sealed: secret}\n");
    const { unmet, warnings } = await settings(
      { vars: ["/nowhere.yaml", list, broken, sealed], dotenv: "/nowhere.env", env: "No" },
      { PIPEWRIGHT_RUN_TIMEOUT_MS: "1s" },
    );
    expect(unmet).toHaveLength(6);
    for (const [i, start] of [
      "/nowhere.env cannot be read",
      "environment 'No'",
      "PIPEWRIGHT_RUN_TIMEOUT_MS",
      "/nowhere.yaml cannot",
      list,
      broken,
    ].entries()) {
      expect(unmet[i]).toContain(start);
    }
    expect(unmet.join()).not.toContain("secret");
    expect(warnings).toEqual(["sealed variables cannot be opened: A; what reads them fails"]);
  });

  test.each([{ port: "http" }, { port: "65536" }, { port: "-1" }, { clock: "soon" }])("%j is wrong use", async (flags) => {
    await expect(settings(flags)).rejects.toThrow(UsageError);
  });

  test("--clock takes a time or Unix milliseconds", async () => {
    expect((await settings({ clock: "1970-01-01T00:00:59.000Z" })).clock).toBe(59_000);
    expect((await settings({ clock: "59000" })).clock).toBe(59_000);
  });

  test("flags of an executable", () => {
    expect(parseFlags(["--port", "1", "--vars", "a", "--vars=b"])).toEqual({ port: "1", vars: ["a", "b"] });
    for (const args of [["--clock", "1"], ["--nope"], ["file.yaml"], ["--port"]]) expect(() => parseFlags(args)).toThrow(UsageError);
  });
});

describe("an executable", () => {
  const script = `
    import { start } from "#runtime/process/program.ts";
    const wait = { name: "wait", output: "http", http: { method: "GET", route: "/wait" }, run: (cx) => void cx.act("A", {}, async (act) => { await cx.host.sleep(1e9, act.signal); return null; }) };
    start([{ name: "t", needs: { env: [], vars: [], secrets: [] }, interfaces: [wait] }], { environment: "staging", version: "1.2.3" });
  `;

  interface Ended {
    readonly code: number | null;
    readonly out: string;
    readonly err: string;
  }

  function launch(
    args: readonly string[],
    env: Record<string, string> = {},
  ): { child: ChildProcess; ended: Promise<Ended>; url: Promise<string> } {
    const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", script, "--", "entry", ...args], {
      env: { PATH: process.env.PATH, PIPEWRIGHT_SHUTDOWN_GRACE_MS: "200", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, err] = ["", ""];
    let listening: (url: string) => void = () => undefined;
    const url = new Promise<string>((resolve) => {
      listening = resolve;
    });
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
      const line: Json = out.endsWith("\n") && out.startsWith("{") ? JSON.parse(out.split("\n")[0] ?? "") : null;
      if (typeof line === "object" && line !== null && "url" in line) listening(String(line.url));
    });
    child.stderr.on("data", (chunk: Buffer) => {
      err += chunk.toString();
    });
    const ended = new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ code, out, err })));
    return { child, ended, url };
  }

  const serving = ["--address", "127.0.0.1", "--port", "0"];

  test("prints one JSON line, and ends with 0 after SIGTERM", async () => {
    const { child, ended, url } = launch(serving);
    expect((await send(await url, "/local/staging/nope")).status).toBe(404);
    child.kill("SIGTERM");
    const { code, out, err } = await ended;
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toMatchObject({ level: "info", msg: "listening", url: await url, environment: "staging" });
  });

  test("ends with 1 when the grace runs out, and with 130 on a second signal", async () => {
    for (const [signals, status] of [
      [1, 1],
      [2, 130],
    ] as const) {
      // The second signal must come within the grace.
      const { child, ended, url } = launch(serving, signals === 1 ? {} : { PIPEWRIGHT_SHUTDOWN_GRACE_MS: "600000" });
      const answer = send(await url, "/wait");
      answer.catch(() => undefined);
      await send(await url, "/livez");
      child.kill("SIGINT");
      const again = setInterval(() => signals === 2 && child.kill("SIGINT"), 100);
      expect((await ended).code).toBe(status);
      clearInterval(again);
    }
  });

  test("lists every unmet need and ends with 78", async () => {
    const { code, out, err } = await launch(["--vars", "/nowhere.yaml", "--address", "203.0.113.1"], { PIPEWRIGHT_ENV: "production" })
      .ended;
    expect([code, out]).toEqual([78, ""]);
    expect(err).toMatch(
      /cannot start:\n {2}- \/nowhere\.yaml cannot be read.*\n {2}- PIPEWRIGHT_ENV is 'production': set it to staging.*\n {2}- address 203\.0\.113\.1 .*--address\n$/,
    );
  });

  test.each([
    [["--nope"], "--nope"],
    [["--clock", "1"], "--clock"],
    [["--port", "x"], "--port must be a number"],
    [["--env", "production"], "built for --env staging"],
  ])("%j is wrong use: 3", async (args, text) => {
    const { code, err } = await launch(args).ended;
    expect(code).toBe(3);
    expect(err).toContain(text);
    expect(err).not.toMatch(/\n\s+at /);
  });

  test("--version and --help", async () => {
    expect(await launch(["--version"]).ended).toEqual({ code: 0, out: "1.2.3\n", err: "" });
    const { code, out } = await launch(["--help"]).ended;
    expect(code).toBe(0);
    for (const word of ["--address", "--port", "--vars", "--dotenv", "--env", "Examples:"]) expect(out).toContain(word);
    expect(out).not.toContain("--clock");
  });
});

describe("log", () => {
  const write = (code: string): Promise<string> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [
        "--input-type=module-typescript",
        "--eval",
        `import { createLog } from "#runtime/process/log.ts"; ${code}`,
      ]);
      let out = "";
      child.stdout.on("data", (chunk: Buffer) => {
        out += chunk.toString();
      });
      child.on("close", () => resolve(out));
    });

  test("a record is a line of JSON that is written before the process ends", async () => {
    const out = await write(`createLog()("critical", "a\\nb\\u202e\\u001b[31m", { run_uuid: "u", n: 1 }); process.exit();`);
    expect(out.split("\n")).toHaveLength(2);
    expect(out).toContain("a\\nb\\u202e\\u001b[31m");
    expect(JSON.parse(out)).toMatchObject({
      level: "critical",
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      msg: "a\nb\u202e\u001b[31m",
      run_uuid: "u",
      n: 1,
    });
  });

  test("what is below the level is not written", async () => {
    expect(await write(`const log = createLog({ level: "warn" }); log("info", "i"); log("warn", "w");`)).toMatch(/^\{[^\n]*"msg":"w"\}\n$/);
    expect(createLog({ fd: 2, level: "critical" })("error", "not shown")).toBeUndefined();
  });
});
