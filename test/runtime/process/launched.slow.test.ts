import { type ChildProcess, spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { createLog } from "#runtime/process/log.ts";
import type { Json } from "#runtime/value/json.ts";
import { send } from "../../harness/sockets.ts";

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
    const { code, out, err } = await launch(["--vars", "/dev/zero", "--address", "203.0.113.1"], { PIPEWRIGHT_ENV: "production" }).ended;
    expect([code, out]).toEqual([78, ""]);
    expect(err).toMatch(
      /cannot start:\n {2}- \/dev\/zero cannot be read.*\n {2}- PIPEWRIGHT_ENV is 'production': set it to staging.*\n {2}- address 203\.0\.113\.1 .*--address\n$/,
    );
  });

  test("shows a setting without characters that move the terminal", async () => {
    const { err } = await launch([], { PIPEWRIGHT_EGRESS_ALLOW: "\u001b]0;x\u0007" }).ended;
    expect(err).toContain("'\\u001b]0;x\\u0007' is no address");
  });

  test.each([
    [["--nope"], "--nope"],
    [["--clock", "1"], "--clock"],
    [["--port", "x"], "--port must be a number"],
    [["--vars", "/nowhere.yaml"], "/nowhere.yaml cannot be read: there is no such file"],
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
