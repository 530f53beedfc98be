import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "../../harness/folders.ts";
import { run } from "../../harness/terminal.ts";
import { files, newFolder, staging } from "./command-folder.ts";

// The command (spec/command-line 1): exit statuses, and that each command explains itself.

const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Commands as they are typed, the status that each ends with, and a part of its words. */
const statuses: readonly (readonly [status: number, command: string, says: string])[] = [
  [0, "check ok.yaml", "1 config checked, nothing to report"],
  [0, "check warned.yaml", "PW332"],
  [1, "check warned.yaml --strict", "PW332"],
  [1, "check wrong.yaml", "PW110"],
  [0, "run one ok.yaml", '"data":1'],
  [1, "run wrong ok.yaml", "is_equal_to"],
  [1, "run one wrong.yaml", "PW110"],
  [1, "generate wrong.yaml", "PW110"],
  [1, `build wrong.yaml ${staging.join(" ")}`, "PW110"],
  [1, "serve wrong.yaml", "PW110"],
  [1, "routes wrong.yaml", "PW110"],
  [3, "", "Usage: pipewright"],
  [3, "chekc ok.yaml", "pipewright: unknown command 'chekc'\n(Did you mean check?)\nTry --help."],
  [3, "lint ok.yaml --fix", "pipewright: unknown command 'lint'\n(Did you mean check?)\nTry --help."],
  [3, "check", "missing required argument 'path'"],
  [3, "check ok.yaml --format xml", "Allowed choices are text, json, github, sarif"],
  [3, "check tests/ok.test.yaml", "tests/ok.test.yaml: contract tests are no configuration: `pipewright test` runs them"],
  [3, "check empty", "empty: no configuration (*.yaml, *.yml) is in it"],
  [3, "build ok.yaml", "required option '--env <name>' not specified"],
  [3, "build ok.yaml --env staging --target mars", "unknown target 'mars'; known are linux-x64"],
  [3, "run", "missing required argument 'interface'"],
  [3, "run noe ok.yaml", "no interface 'noe'; did you mean 'one'?"],
  [3, "run web ok.yaml", "'web' answers over HTTP; say --force"],
  [0, "run web ok.yaml --force", '"data":1'],
  [0, "run x unsaid.yaml", '"data":1'],
  [3, "run x warned.yaml", "'x' says output: none: nobody gets its outcome"],
  [3, "run x warned.yaml --force", "'x' says output: none: nobody gets its outcome"],
  [3, "run one ok.yaml --body @/dev/zero", "--body @/dev/zero: it is a device, not a regular file"],
  [3, "run one ok.yaml --body @.", "--body @.: it is a folder, not a regular file"],
  [3, "check /dev/zero", "/dev/zero: it is a device; name a file or a folder"],
  [3, "run one ok.yaml --body {x", "--body begins as JSON does, and is none: "],
  [0, "routes sockets.yaml", "/ws/local/<environment>/live"],
  [0, "routes sockets.yaml --env staging", "/ws/local/staging/live"],
  [0, "run one ok.yaml --body x}", '"data"'],
  [3, "run one ok.yaml --body @nowhere.json", "--body @nowhere.json: there is no such file"],
  [3, "run one ok.yaml --param page", "--param takes name=value, not 'page'"],
  [3, "run one ok.yaml --header x:y=1", "--header takes name=value, and 'x:y' is no name of a header"],
  [
    3,
    "run one ok.yaml --header x=\ud83d\ude00",
    "--header takes name=value, and the value of 'x' holds a character that no header may have",
  ],
  [3, "serve ok.yaml --port many", "--port must be a number"],
  [3, "serve ok.yaml --clock tomorrow", "--clock must be"],
  [0, "explain pw904", "# PW904 (run time)\n\nThe tests of an `assert` have failed."],
  [3, "explain PW000", "no diagnostic has the code PW000"],
  [3, "explain orders/create", "no diagnostic has the code orders/create; name the path, too"],
  [3, "init other --template none", "unknown template 'none'"],
  [3, "lsp --port 1", "unknown option '--port'"],
  [3, "runs nope", "unknown command 'nope'"],
  [3, "vars list", "required option '--env <name>' not specified"],
  [78, "serve ok.yaml --port 0 --address 203.0.113.1", "cannot start:\n  - address 203.0.113.1 is none of this machine"],
  [1, "test wrong.yaml", "PW110"],
  [3, "test ok.yaml", "there are no tests"],
  [3, "test ok.yaml --min 200", "--min takes a number of percent from 0 to 100"],
  [0, "verify ok.yaml --runs 1 --filter one", "one"],
  [1, "verify wrong.yaml", "PW110"],
  [3, "verify ok.yaml --runs many", "--runs takes a whole number"],
  [0, "diff ok.yaml ok.yaml", "no difference"],
  [2, "diff ok.yaml unsaid.yaml", "breaking"],
  [1, "diff ok.yaml wrong.yaml", "wrong.yaml does not compile:"],
  [3, "diff ok.yaml nowhere.yaml", "nowhere.yaml: no such file or folder"],
  [3, "diff ok.yaml unsaid.yaml --fail-on nothing", "unknown severity 'nothing'"],
  [0, "audit ok.yaml", "[monitored-policy]"],
  [1, "audit ok.yaml --fail-on low", "[monitored-policy]"],
  [1, "audit wrong.yaml", "PW110"],
  [0, "schema", "json-schema.org"],
  [3, "schema --modules --tests", "cannot be used with option"],
  [0, "explain one ok.yaml", "ok.yaml:3"],
  [1, "explain one wrong.yaml", "PW110"],
  [3, "explain noone ok.yaml", "no interface is called 'noone'; did you mean 'one'?"],
  [3, "build ok.yaml --env staging --node nowhere", "--node nowhere: there is no such file"],
  [1, "runs show nope", "no run nope is kept"],
  [3, "routes ok.yaml --format xml", "Allowed choices are text, json"],
  [3, "dev nowhere", "nowhere: no such file or folder"],
];

describe("the exit status", () => {
  test.each(statuses)("is %i: %s", async (status, command, says) => {
    const { out, err, ...ended } = await run(folder, ...command.split(" ").filter((word) => word !== ""));
    expect([ended.status, out + err]).toEqual([status, expect.stringContaining(says)]);
  });

  test.each(["check", "generate", `build ${staging.join(" ")}`, "serve", "dev", "run one", "routes"])(
    "is 3: %s of a path that is not there",
    async (command) => {
      const { status, out, err } = await run(folder, ...command.split(" "), "nowhere");
      expect([status, out, err]).toEqual([3, "", "pipewright: nowhere: no such file or folder\n"]);
    },
  );

  test("is 2 when what was generated is not what would be, with the difference", async () => {
    const generate = (...flags: readonly string[]) => run(folder, "generate", "ok.yaml", "--out", "g", ...flags);
    expect((await generate()).status).toBe(0);
    expect(await generate("--check")).toEqual({ status: 0, out: "", err: "" });
    appendFileSync(join(folder, "g", "ok.ts"), "// mine\n");
    const { status, out } = await generate("--check");
    const fresh =
      (await run(folder, "generate", "ok.yaml", "--out", "h")).status === 0 ? readFileSync(join(folder, "h", "ok.ts"), "utf8") : "";
    const [one, two, three] = fresh.split("\n").slice(-4);
    const last = fresh.split("\n").length - 1;
    expect([status, out]).toEqual([
      2,
      `--- g/ok.ts\n+++ g/ok.ts (generated now)\n@@ -${last - 2},4 +${last - 2},3 @@\n ${one}\n ${two}\n ${three}\n-// mine\n`,
    ]);
  });

  test("two changes far from each other are two hunks of the difference", async () => {
    const generate = (...flags: readonly string[]) => run(folder, "generate", "ok.yaml", "--out", "g", ...flags);
    await generate();
    const file = join(folder, "g", "ok.ts");
    writeFileSync(file, `// first\n${readFileSync(file, "utf8")}// last\n`);
    const { out } = await generate("--check");
    expect(out.match(/^@@ .* @@$/gm)).toHaveLength(2);
    expect(out.match(/^[-+](?![-+])/gm)).toEqual(["-", "-"]);
  });

  test("generate removes modules of configurations that are gone, and nothing else", async () => {
    const module = (name: string) => `name: ${name}\ninterfaces:\n  ${name}: { method: GET, actions: [] }\n`;
    const path = (...names: readonly string[]) => join(folder, "parts", ...names);
    mkdirSync(path("shop"), { recursive: true });
    for (const name of ["shop/old.yaml", "kept.yaml"]) writeFileSync(path(name), module(name.replace(/\W/g, "")));
    writeFileSync(join(folder, "other.yaml"), module("other"));
    const generate = (...words: readonly string[]) => run(folder, "generate", ...words, "--out", "gone");
    await generate("parts");
    await generate("other.yaml");
    writeFileSync(join(folder, "gone", "parts", "mine.ts"), "// by hand\n");
    rmSync(path("shop/old.yaml"));
    rmSync(join(folder, "other.yaml"));
    const checked = await generate("parts", "--check");
    expect([checked.status, checked.out]).toEqual([
      2,
      expect.stringMatching(/^--- gone\/parts\/shop\/old\.ts\n\+\+\+ \/dev\/null\n@@ -1,\d+ \+0,0 @@\n-/),
    ]);
    expect(await generate("parts")).toMatchObject({ status: 0, err: "removed gone/parts/shop/old.ts\n" });
    const left = readdirSync(join(folder, "gone"), { recursive: true, encoding: "utf8" }).sort();
    expect(left).toEqual(["other.ts", "parts", "parts/kept.ts", "parts/mine.ts"]);
    expect(await generate("parts", "--check")).toEqual({ status: 0, out: "", err: "" });
  });

  test("is 124 when a run takes too long; its failure is told on stderr alone", async () => {
    writeFileSync(join(folder, ".env"), "PIPEWRIGHT_RUN_TIMEOUT_MS=200\n");
    const { status, out, err } = await run(folder, "run", "slow", "ok.yaml", "--dotenv", join(folder, ".env"));
    expect([status, out, err]).toEqual([124, "", "pipewright: 'slow' took longer than 200 ms (PIPEWRIGHT_RUN_TIMEOUT_MS)\n"]);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("of a run that ends by %s is %i", async (signal, status) => {
    const bin = fileURLToPath(new URL("bin/pipewright.mjs", root));
    const env = { PATH: process.env.PATH, PIPEWRIGHT_LOG_LEVEL: "debug" };
    writeFileSync(join(folder, "told.yaml"), files["ok.yaml"].replace("delay: 30s", "delay: 30s, pre_log: [{ msg: waits }]"));
    const child = spawn(process.execPath, [bin, "run", "slow", "told.yaml"], { cwd: folder, env });
    let err = "";
    child.stderr.on("data", (chunk: Buffer) => (err += chunk));
    await expect.poll(() => err).toContain("waits");
    child.kill(signal);
    expect(await once(child, "close")).toEqual([status, null]);
    // That its action was cancelled is no error.
    expect(err).not.toContain('"error"');
  });
});

test("--version says what it is, for programs also the level of the format", async () => {
  const { out } = await run(folder, "--version");
  expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
  for (const flags of [
    ["--version", "--format", "json"],
    ["--format=json", "--version"],
  ])
    expect(JSON.parse((await run(folder, ...flags)).out)).toEqual({ version: out.trim(), engine: "1.7.0" });
});

describe("help", async () => {
  /** All commands, by the words that call them, as the help of each lists those below it. */
  async function commands(...words: readonly string[]): Promise<string[][]> {
    const { out } = await run(folder, ...words, "--help");
    const [, listed = ""] = /\nCommands:\n([\s\S]*?)(?:\n\n|$)/.exec(out) ?? [];
    const names = [...listed.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
    const below = await Promise.all(names.map((name) => commands(...words, name)));
    return [[...words], ...below.flat()];
  }
  const all = await commands();

  test("stands beside an exit status of every command", () => {
    const named = new Set(statuses.map(([, command]) => command.split(" ")[0]));
    expect(all.flatMap((words) => (words.length === 1 && !named.has(words[0]) ? words : []))).toEqual([]);
  });

  test("is there for every command", () => {
    expect(all.map((words) => words.join(" "))).toEqual(expect.arrayContaining(["check", "runs export", "vars rotate", "init"]));
    expect(all.length).toBeGreaterThan(20);
  });

  test.each(all.map((words) => [words.join(" ")]))(
    "pipewright %s has an example that calls it, and refuses a flag that it has not",
    async (words) => {
      const called = words === "" ? [] : words.split(" ");
      const { status, out, err } = await run(folder, ...called, "--help");
      expect([status, err]).toEqual([0, ""]);
      const [, shown = ""] = /\nExamples?:\n([\s\S]*)$/.exec(out) ?? [];
      expect(shown.trim()).not.toBe("");
      expect(
        shown
          .trim()
          .split("\n")
          .filter((line) => !line.includes(["pipewright", ...called].join(" "))),
      ).toEqual([]);
      // The examples use no flag that the help does not list.
      for (const [flag] of shown.matchAll(/(?<= )--[a-z-]+/g)) expect(`${out} --help `).toMatch(new RegExp(`\\s${flag}[\\s=,]`));
      const [, usage = ""] = /^Usage: (.*)$/m.exec(out) ?? [];
      if (usage.includes("<"))
        expect(await run(folder, ...called)).toMatchObject({ status: 3, out: "", err: expect.stringContaining("Try --help.") });
      const refused = await run(folder, ...called, ...(out.includes("--env <name>") ? ["--env", "staging"] : []), "--no-such-flag");
      expect([refused.status, refused.err]).toEqual([3, expect.stringContaining("pipewright: unknown option '--no-such-flag'")]);
    },
  );
});
