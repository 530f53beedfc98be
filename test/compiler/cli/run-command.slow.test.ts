import { execFileSync, spawn, spawnSync } from "node:child_process";
import { closeSync, copyFileSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { main } from "../../../compiler/cli/main.ts";
import { run } from "../../harness/terminal.ts";

// `pipewright run` (spec/command-line 1, spec/surfaces 8): one run of an interface, its answer on stdout.

const folder = mkdtempSync(join(tmpdir(), "pipewright-run-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
writeFileSync(
  at("t.yaml"),
  `name: t
interfaces:
  env: { output: cli, actions: [{ name: A, json_output: { env: a|env::GREETING|, var: a|var::TOKEN| } }] }
`,
);
writeFileSync(at(".env"), "GREETING=hello\n");
writeFileSync(at("vars.yaml"), "TOKEN: t1\n");

writeFileSync(at("large.yaml"), `A: ${"x".repeat(5 * 1024 * 1024)}`);
execFileSync("mkfifo", [at("pipe")]);

describe("the environment", () => {
  const said = async (isLive: boolean, env: Readonly<Record<string, string>>, ...flags: readonly string[]): Promise<string> => {
    let err = "";
    const status = await main(["run", "env", "t.yaml", ...flags], {
      ...{ cwd: folder, isTerminal: true, isLive, colors: { out: false, err: false }, env, out: () => undefined },
      err: (text) => {
        err += text;
      },
    });
    expect(status).toBe(0);
    return err;
  };

  test("is said in a line to whoever reads standard error, and to nobody else", async () => {
    expect(await said(true, {})).toBe("environment production by default; --env or PIPEWRIGHT_ENV chooses another\n");
    expect(await said(true, { PIPEWRIGHT_ENV: "staging" })).toBe("environment staging\n");
    expect(await said(true, {}, "--env", "development")).toBe("environment development\n");
    expect([await said(false, {}), await said(true, {}, "--quiet")]).toEqual(["", ""]);
  });
});

test("headers have names in lower case, and repeats are joined, as those of a server", async () => {
  writeFileSync(at("headers.yaml"), "name: h\ninterfaces: { all: { output: cli, actions: [{ name: A, input: a|headers| }] } }\n");
  const given = ["X-A=1", "x-a=2", "X-A=3", "set-cookie=a", "accept=x=y"].flatMap((pair) => ["--header", pair]);
  const { status, out } = await run(folder, "run", "all", "headers.yaml", ...given);
  expect([status, JSON.parse(out).data.A.data]).toEqual([0, { "x-a": "1, 2, 3", "set-cookie": ["a"], accept: "x=y" }]);
});

describe("what it needs", () => {
  test("is read from files", async () => {
    const { status, out } = await run(folder, "run", "env", "t.yaml", "--dotenv", at(".env"), "--vars", at("vars.yaml"));
    expect([status, JSON.parse(out).data.A.data]).toEqual([0, { env: "hello", var: "t1" }]);
  });

  test.each([
    [["--dotenv", "/dev/zero"], "/dev/zero cannot be read: it is a device, not a regular file"],
    [["--dotenv", at("pipe")], "pipe cannot be read: it is a pipe, not a regular file"],
    [["--vars", at("large.yaml")], "large.yaml cannot be read: it is larger than 5 MiB"],
  ])("%j is missing or wrong: nothing is run", async (flags, problem) => {
    const { status, out, err } = await run(folder, "run", "env", "t.yaml", ...flags);
    expect([status, out, err]).toEqual([78, "", expect.stringContaining(problem)]);
    expect(err).toMatch(/^pipewright: cannot start:\n {2}- /);
  });

  test("a name that no environment has is wrong use", async () => {
    const { status, out, err } = await run(folder, "run", "env", "t.yaml", "--env", "No Way");
    expect([status, out, err]).toEqual([3, "", expect.stringContaining("environment 'No Way': use 1 to 64 of a-z, 0-9 and -")]);
  });

  test("is read from a pipe that --vars names, with a bound, and from none that was only there", async () => {
    const from = async (writer: string): Promise<Awaited<ReturnType<typeof run>>> => {
      const child = spawn("sh", ["-c", `${writer} > "$0"`, at("pipe")], { stdio: "ignore" });
      const ended = new Promise((resolve) => child.on("exit", resolve));
      const done = await run(folder, "run", "env", "t.yaml", "--vars", at("vars.yaml"), "--vars", at("pipe"));
      await ended;
      return done;
    };
    expect(JSON.parse((await from("echo 'TOKEN: t2'")).out).data.A.data).toEqual({ env: null, var: "t2" });
    expect(await from("exec cat /dev/zero")).toMatchObject({ status: 78, err: expect.stringContaining("it is larger than 5 MiB") });
    mkdirSync(at("beside/vars"), { recursive: true });
    copyFileSync(at("t.yaml"), at("beside/t.yaml"));
    execFileSync("mkfifo", [at("beside/vars/production.yaml")]);
    const beside = await run(folder, "run", "env", "beside/t.yaml");
    expect([beside.status, beside.err]).toEqual([expect.any(Number), expect.stringContaining("a pipe")]);
    expect(beside.status).not.toBe(0);
  });

  test("all that is wrong is told at once", async () => {
    const { err } = await run(folder, "run", "env", "t.yaml", "--dotenv", at("pipe"), "--vars", at("large.yaml"));
    expect(err.match(/cannot be read/g)).toHaveLength(2);
  });
});

test("a body that begins as JSON does, and is none, is refused; any other text is a text", async () => {
  for (const body of ["{x", '["a"', " {"]) {
    const { status, err } = await run(folder, "run", "env", "t.yaml", "--body", body);
    expect([status, err]).toEqual([3, expect.stringContaining("--body begins as JSON does, and is none")]);
  }
  expect((await run(folder, "run", "env", "t.yaml", "--body", "plain {text")).err).not.toContain("--body");
});

test("standard input without an end is refused at the bound, for a body and for a value of a variable", () => {
  const bin = fileURLToPath(new URL("../../../bin/pipewright.mjs", import.meta.url));
  const zeros = openSync("/dev/zero", "r");
  const ended = (...words: readonly string[]): unknown => {
    const { status, stderr } = spawnSync(process.execPath, [bin, ...words], {
      cwd: folder,
      stdio: [zeros, "pipe", "pipe"],
      encoding: "utf8",
    });
    return [status, stderr.trimEnd().split("\n").at(-1)];
  };
  expect(ended("run", "env", "t.yaml", "--body", "-")).toEqual([3, "pipewright: --body -: it is larger than 10 MiB"]);
  expect(ended("vars", "set", "T", "-", "--env", "x")).toEqual([3, "pipewright: standard input cannot be read: it is larger than 1 MiB"]);
  closeSync(zeros);
});
