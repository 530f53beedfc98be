import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { main } from "../../../compiler/cli/main.ts";
import { progressOn } from "../../../compiler/cli/progress.ts";
import { terminalOf } from "../../../compiler/cli/terminal.ts";
import { run } from "../../harness/terminal.ts";
import { newFolder } from "./command-folder.ts";

// The command (spec/command-line 1): what is told where, in colour or not, and as progress.

const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("what is told where", () => {
  test.each([
    ["check", "wrong.yaml", "--format", "json"],
    ["check", "wrong.yaml", "--format", "sarif"],
    ["routes", "ok.yaml", "--format", "json"],
    ["schema"],
    ["run", "one", "ok.yaml"],
    ["vars", "list", "--env", "production", "--dir", "api", "--format", "json"],
  ])("stdout of %s %s %s %s is one JSON document", async (...args) => {
    const { out, err } = await run(folder, ...args);
    expect(() => JSON.parse(out)).not.toThrow();
    expect(err).toBe("");
  });

  test("where errors keep a command from its work, the document is that of check", async () => {
    writeFileSync(join(folder, "broken.yaml"), "name: broken\ninterfaces: { one: { output: cli, actions: [{ name: A, input: 1 }] } }\n");
    const { out: whole } = await run(folder, "check", "broken.yaml", "--format", "json");
    for (const command of ["routes", "audit", "test", "verify", "build --env production"]) {
      const { out, err, status } = await run(folder, ...command.split(" "), "broken.yaml", "--format", "json");
      expect([JSON.parse(out), status]).toEqual([JSON.parse(whole), 1]);
      expect(err).toContain("error PW312");
    }
    rmSync(join(folder, "broken.yaml"));
  });

  test("stdout of an empty runs list is one JSON document, and stderr says where it looked", async () => {
    const { out, err } = await run(folder, "runs", "list", "--json");
    expect(JSON.parse(out)).toEqual({ runs: [], next: null });
    expect(err).toContain("no such runs of the environment production");
  });

  test("check looks at the variables of production unless another environment is said", async () => {
    expect((await run(folder, "check", "api")).out).toContain("api/vars/production.yaml:1:1: warning PW680");
    const staging = await run(folder, "check", "api", "--env", "staging");
    expect(staging.err).toContain("there is no vars/staging.yaml; environments with a file: production");
  });

  test("routes shows schedules that are off, and those that the start decides about", async () => {
    const schedule = (enabled: string): string => `{ schedule: { cron: "0 3 * * *"${enabled} }, actions: [{ name: A, json_output: 1 }] }`;
    const text = `name: jobs
interfaces:
  night: ${schedule(", timezone: Europe/Berlin, enabled: false")}
  silent: ${schedule("")}
  started: ${schedule(', enabled: "a|env::ON|"')}
  on: ${schedule(", enabled: true")}
`;
    writeFileSync(join(folder, "jobs.yaml"), text);
    const { status, out } = await run(folder, "routes", "jobs.yaml");
    rmSync(join(folder, "jobs.yaml"));
    expect([status, out.split("\n").map((line) => line.replace(/ {2,}/g, "|"))]).toEqual([
      0,
      [
        "METHOD|PATH|INTERFACE|POLICY|WHERE",
        "schedule|0 3 * * * Europe/Berlin off|night|-|jobs.yaml:3",
        "schedule|0 3 * * * UTC off|silent|-|jobs.yaml:4",
        "schedule|0 3 * * * UTC at start|started|-|jobs.yaml:5",
        "schedule|0 3 * * * UTC|on|-|jobs.yaml:6",
        "",
      ],
    ]);
  });

  test("routes shows all addresses of a tool of MCP", async () => {
    const tool = (name: string, server = ""): string =>
      `{ mcp: { enabled: true, tool_name: ${name}${server} }, actions: [{ name: A, json_output: 1 }] }`;
    const text = `name: tools
mcp_servers: { a: { title: A, default: true }, b: { title: B } }
interfaces:
  one: ${tool("f_a")}
  two: ${tool("f_b", ", server: a")}
  three: ${tool("f_c", ", server: b")}
`;
    writeFileSync(join(folder, "tools.yaml"), text);
    const { out } = await run(folder, "routes", "tools.yaml");
    rmSync(join(folder, "tools.yaml"));
    expect(out.split("\n").flatMap((line) => /^mcp +(\S+ \S+)/.exec(line)?.[1] ?? [])).toEqual([
      ...["/mcp f_a", "/mcp/a f_a", "/mcp f_b", "/mcp/a f_b", "/mcp/b f_c"],
    ]);
  });

  test("routes shows the policy of each", async () => {
    const { out } = await run(folder, "routes", "ok.yaml");
    expect(out.split("\n").map((line) => line.trim().replace(/ {2,}/g, "  "))).toEqual([
      "METHOD  PATH  INTERFACE  POLICY  WHERE",
      "(cli)  one  -  ok.yaml:3",
      "(cli)  wrong  -  ok.yaml:4",
      "GET  /web  web  ip, rate_limit, monitor  ok.yaml:5",
      "(cli)  slow  -  ok.yaml:6",
      "",
    ]);
    expect(JSON.parse((await run(folder, "routes", "ok.yaml", "--format", "json")).out).routes[2].policy).toEqual([
      "ip",
      "rate_limit",
      "monitor",
    ]);
  });
});

describe("colours", () => {
  const stream = (isTTY: boolean) => ({ isTTY, write: () => true });
  const seen = (out: boolean, err: boolean, env: Readonly<Record<string, string>> = {}) =>
    terminalOf({ stdout: stream(out), stderr: stream(err), env, cwd: () => folder });

  test.each<[name: string, ReturnType<typeof terminalOf>, isTerminal: boolean, colors: { readonly out: boolean; readonly err: boolean }]>([
    ["a terminal", seen(true, true), true, { out: true, err: true }],
    ["stdout in a file", seen(false, true), false, { out: false, err: true }],
    ["stderr in a file", seen(true, false), true, { out: true, err: false }],
    ["NO_COLOR", seen(true, true, { NO_COLOR: "1" }), true, { out: false, err: false }],
    ["an empty NO_COLOR", seen(true, true, { NO_COLOR: "" }), true, { out: true, err: true }],
    ["a terminal without", seen(true, true, { TERM: "dumb" }), true, { out: false, err: false }],
  ])("%s", (_, terminal, isTerminal, colors) => {
    expect([terminal.isTerminal, terminal.colors]).toEqual([isTerminal, colors]);
  });

  test.each([
    ["check", "out"],
    ["generate", "err"],
  ] as const)("of %s follow the stream that it tells on", async (command, where) => {
    const told = { out: "", err: "" };
    const to = (stream: "out" | "err") => (text: string) => {
      told[stream] += text;
    };
    for (const colored of [true, false]) {
      Object.assign(told, { out: "", err: "" });
      const colors = { out: !colored, err: !colored, [where]: colored };
      await main([command, "wrong.yaml"], { cwd: folder, isTerminal: true, colors, env: {}, out: to("out"), err: to("err") });
      expect(told[where]).toContain("PW110");
      expect(told[where].includes("\u001b[")).toBe(colored);
    }
  });
});

describe("progress of a build", () => {
  const built = async (isLive: boolean, ...flags: readonly string[]) => {
    let out = "";
    let err = "";
    const terminal = { cwd: folder, isTerminal: isLive, isLive, colors: { out: false, err: false }, env: {} };
    const status = await main(["build", "ok.yaml", "--env", "staging", "--no-executable", "--out", "built", ...flags], {
      ...terminal,
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
    });
    return { status, out, err };
  };

  test("is a line for each step where nobody looks", async () => {
    const { status, out, err } = await built(false);
    expect([status, err]).toEqual([0, expect.stringMatching(/^compile: 1 config\nbundle: .*\nmanifest: .*\n$/)]);
    expect(out).toMatch(/bundle\.cjs {2}\d+\.\d MB, \d+ packages inside\n/);
  });

  test("is one line that moves on a terminal, and what is done stays", async () => {
    const { err } = await built(true);
    expect(err).toContain("\r\u001b[2K⠋ compile: 1 config");
    // A terminal shows in the end the last text of each line.
    const shown = err.split("\n").map((line) => line.split("\u001b[2K").at(-1));
    expect(shown).toEqual(["✓ compile: 1 config", expect.stringMatching(/^✓ bundle: /), expect.stringMatching(/^✓ manifest: /), ""]);
  });

  test("is nothing with --quiet", async () => {
    expect((await built(true, "--quiet")).err).toBe("");
  });

  test("of a step that fails says so", () => {
    let err = "";
    const terminal = {
      ...terminalOf({ stdout: { write: () => true }, stderr: { isTTY: true, write: (text) => (err += text) }, env: {}, cwd: () => folder }),
    };
    expect(() => {
      using progress = progressOn(terminal, {});
      progress.step("inject", "linux-x64");
      progress.note("mind the gap");
      throw new Error("boom");
    }).toThrow("boom");
    expect(err.split("\n").map((line) => line.split("\u001b[2K").at(-1))).toEqual(["mind the gap", "✗ inject: linux-x64", ""]);
  });
});
