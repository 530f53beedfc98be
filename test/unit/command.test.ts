import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { HostOptions } from "#runtime/host.ts";
import type { Config } from "#runtime/interface.ts";
import type { Json } from "#runtime/json.ts";
import { planned, printOne } from "../harness/compile.ts";
import { evaluate } from "../harness/evaluate.ts";
import { runOnce } from "../harness/run-once.ts";
import { stillHost } from "../harness/still-host.ts";

// Commands in real shells (language.md 5.2, 2.8 G): whatever a caller sends is a word, never a part of the script.

const folder = mkdtempSync(join(tmpdir(), "pipewright-command-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const allowed = { PIPEWRIGHT_ALLOW_COMMANDS: "true", PATH: "/usr/bin:/bin", HOME: "/home/ada" };

/** A script, and what it must write for a value. `a|body::v|` is the hole. */
const scripts: readonly (readonly [name: string, script: string, written: (value: string) => string])[] = [
  ["a word", "printf '[%s]' a|body::v|", (v) => `[${v}]`],
  ["a part of a word", "printf '[%s]' --name=a|body::v|.txt", (v) => `[--name=${v}.txt]`],
  ["two that touch", "printf '[%s]' a|body::v|a|body::v|", (v) => `[${v}${v}]`],
  ["an assignment", `x=a|body::v|; printf '[%s]' "$x"`, (v) => `[${v}]`],
  ["double quotes", `printf '[%s]' "a a|body::v| b"`, (v) => `[a ${v} b]`],
  ["single quotes", "printf '[%s]' 'a a|body::v| b'", (v) => `[a ${v} b]`],
  ["behind a dollar sign", `printf '[%s]' $a|body::v| "$a|body::v|"`, (v) => `[$${v}][$${v}]`],
  ["behind a variable", `p=x; printf '[%s]' "$p-$$-a|body::v|" | sed 's/-[0-9]*-/-/'`, (v) => `[x-${v}]`],
  ["behind escapes", `printf '[%s]' \\\\'\\'a|body::v| "\\"a|body::v|\\\\"`, (v) => `[\\\\${v}]["${v}\\]`],
  ["a substitution", "printf '[%s]' $(printf '%s' x) \"$(printf '%s.' a|body::v|)\"", (v) => `[x][${v}.]`],
  [
    "quotes in a substitution in quotes",
    `printf '[%s]' "a $(printf '%s.' "a|body::v| $(printf '%s' 'a|body::v|.')")"`,
    (v) => `[a ${v} ${v}..]`,
  ],
  ["a subshell", "(cd /; (printf '[%s]' a|body::v|)); printf '[%s]' a|body::v|", (v) => `[${v}][${v}]`],
  ["a loop", `for x in a|body::v| b; do printf '[%s]' "$x"; done`, (v) => `[${v}][b]`],
  ["a pattern", "case a|body::v| in zzz) printf no;; *) printf '[%s]' a|body::v|;; esac", (v) => `[${v}]`],
  [
    "a pattern in a substitution",
    `printf '%s' "$(case x in (y) ;; x) printf '[%s]' a|body::v|;; esac) a|body::v|."`,
    (v) => `[${v}] ${v}.`,
  ],
  ["a function", "f() { printf '[%s]' \"$1\"; }; f a|body::v|", (v) => `[${v}]`],
  ["a condition", "if [ -n 'x' ] && [ a|body::v| != zzz ]; then printf '[%s]' a|body::v|; fi", (v) => `[${v}]`],
  ["behind a comment", "# it's \"not a quote\nprintf '[%s]' a|body::v| # nor's this a|body::v|", (v) => `[${v}]`],
  ["a number sign in a word", "printf '[%s]' a#'b' a|body::v|", (v) => `[a#b][${v}]`],
  ["a continued line", "printf '[%s]' \\\n  a|body::v|", (v) => `[${v}]`],
  ["a here-document", "cat <<END | head -c -1\nit's a|body::v|, $HOME\nEND", (v) => `it's ${v}, /home/ada`],
  ["a here-document with tabs", "cat <<-'X' - <<-END | tail -n +1 | head -c -1\n\tno $HOME\n\tX\n\t'a|body::v|'\n\tEND", (v) => `'${v}'`],
  ["behind a quoted here-document", "cat <<'END' >/dev/null\nit's $( \"\nEND\nprintf '[%s]' a|body::v|", (v) => `[${v}]`],
  ["another shell in it", `sh -c 'printf "[%s]" "$1"' sh a|body::v|`, (v) => `[${v}]`],
];

const canary = join(folder, "canary");

/** What has broken out of other quotings. */
const hostile: readonly string[] = [
  "",
  " ",
  "plain",
  "two words",
  "'",
  '"',
  "''",
  "'\\''",
  `'; touch ${canary}; '`,
  `"; touch ${canary}; "`,
  `$(touch ${canary})`,
  `\`touch ${canary}\``,
  `\${x:-$(touch ${canary})}`,
  `$((a[$(touch ${canary})]))`,
  `a[$(touch ${canary})]`,
  `\n touch ${canary}\n`,
  `; touch ${canary} #`,
  `&& touch ${canary}`,
  `| touch ${canary}`,
  `> ${canary}`,
  `)\ntouch ${canary}\n(`,
  `END\ntouch ${canary}\nEND`,
  "END",
  "\tEND\n",
  "*",
  "/*",
  "~",
  "{a,b}",
  "[a-z]*",
  "$HOME",
  `$${"{HOME}"}`,
  "$1 $@ $$ $? $!",
  "\\",
  "\\\\",
  "\\n\\t\\x41",
  "\\'",
  "!!",
  "!$",
  "-n",
  "--help",
  "%s%n%d",
  "=cmd",
  "(",
  "$'\\x41'",
  "\r\n",
  "\u0001\u007f\u001b[31m",
  "é 漢字 🎉 \u202e",
  "\ufeff",
  `$${"{pipewright_1}"}`,
  "pipewright_1=x",
  "x".repeat(60_000),
];

async function configOf(shell: string): Promise<Config> {
  const interfaces = Object.fromEntries(
    scripts.map(([, run], i) => [
      `s${i}`,
      { method: "POST", actions: [{ name: "Run", command: { run, shell, parse: { data_type: "text" } } }] },
    ]),
  );
  return evaluate((await printOne(planned(JSON.stringify({ name: "shells", interfaces })))).code);
}

const hostOf = (options: HostOptions = {}): ReturnType<typeof stillHost> => stillHost({ env: allowed, ...options });

async function written(config: Config, i: number, v: string): Promise<Json> {
  const { outcomes } = await runOnce(config, `s${i}`, { body: { v } }, hostOf());
  return outcomes[0]?.data ?? null;
}

/** As a text output is read: lines without their ends. */
const lines = (text: string): string => text.replaceAll("\r\n", "\n").replace(/\n$/, "");

describe.each(["/bin/sh -c", "/bin/bash -c"])("a value in %s", (shell) => {
  test.each(scripts.map(([name], i) => [name, i] as const))("is a word, or a part of one, in: %s", { timeout: 60_000 }, async (_, i) => {
    const config = await configOf(shell);
    const expected = scripts[i]?.[2] ?? String;
    for (const v of hostile) expect.soft(await written(config, i, v), JSON.stringify(v.slice(0, 60))).toBe(lines(expected(v)));
    expect(existsSync(canary)).toBe(false);
  });

  test("is what was sent, whatever it is", { timeout: 60_000 }, async () => {
    const config = await configOf(shell);
    const value = fc.string({ unit: fc.constantFrom(..."'\"`$\\(){}[]<>|&;#!*?~ \n\tEND a1=-") });
    await fc.assert(
      fc.asyncProperty(value, fc.nat(scripts.length - 1), async (v, i) => {
        expect(await written(config, i, v), scripts[i]?.[0]).toBe(lines(scripts[i]?.[2](v) ?? ""));
      }),
      { numRuns: 150 },
    );
  });
});

async function once(command: Json, options: HostOptions = {}, body: Json = {}) {
  const config = { name: "one", interfaces: { one: { method: "POST", actions: [{ name: "Run", command }] } } };
  const host = hostOf(options);
  const { outcomes } = await runOnce(await evaluate((await printOne(planned(JSON.stringify(config)))).code), "one", { body }, host);
  return { host, outcome: outcomes[0] };
}

describe("the process", () => {
  test("commands are refused unless they are allowed", async () => {
    for (const PIPEWRIGHT_ALLOW_COMMANDS of ["", "false", "1", "TRUE"]) {
      const { outcome } = await once({ run: `touch ${canary}` }, { env: { PIPEWRIGHT_ALLOW_COMMANDS } });
      expect(outcome).toMatchObject({ state: "failed", error: "commands are disabled", data: null });
    }
    expect(existsSync(canary)).toBe(false);
  });

  test("a command inherits the environment, but none of our own settings", async () => {
    const { outcome } = await once(
      { run: "env", parse: { split_by: "=", keys: ["name", "value"] } },
      { env: { ...allowed, TOKEN: "t", PIPEWRIGHT_MASTER_KEY: "secret", PIPEWRIGHT_API_KEYS: "k" } },
    );
    const names = JSON.parse(JSON.stringify(outcome?.data)).map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(["TOKEN", "HOME", "PATH"]));
    expect(names.filter((name: string) => name.startsWith("PIPEWRIGHT_"))).toEqual([]);
  });

  test("a value stands in no list of processes", async () => {
    const { outcome } = await once({ run: "tr '\\0' ' ' < /proc/$$/cmdline; : a|body::v|" }, {}, { v: "s3cret" });
    expect(outcome?.data).toContain("pipewright_1");
    expect(outcome?.data).not.toContain("s3cret");
  });

  test("there is no input, so that nothing waits for one", async () => {
    expect((await once({ run: "cat; echo done" })).outcome?.data).toBe("done");
  });

  test("when the time is over, all that was started is killed", async () => {
    const file = join(folder, "pids");
    const run = `sleep 300 & echo $! >> ${file}; (trap '' TERM; sh -c 'echo $$ >> ${file}; sleep 301'); sleep 302`;
    const { outcome } = await once({ run, timeout: 500 });
    expect(outcome).toMatchObject({ state: "failed", error: "command timeout after 500ms" });
    const pids = readFileSync(file, "utf8").trim().split("\n").map(Number);
    expect(pids).toHaveLength(2);
    await sleep(100);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test("what goes on in the background cannot hold the action beyond its time", async () => {
    const { outcome } = await once({ run: "setsid sleep 20 & echo begun", timeout: 300 });
    expect(outcome).toMatchObject({ state: "failed", error: "command timeout after 300ms" });
  });

  test("closing the host kills what still runs", async () => {
    const file = join(folder, "left");
    const host = hostOf();
    const config = {
      name: "one",
      interfaces: { one: { method: "POST", actions: [{ name: "Run", command: { run: `echo $$ > ${file}; sleep 300` } }] } },
    };
    const running = runOnce(await evaluate((await printOne(planned(JSON.stringify(config)))).code), "one", {}, host);
    while (!existsSync(file) || readFileSync(file, "utf8") === "") await sleep(20);
    await host.close();
    expect((await running).outcomes[0]).toMatchObject({ state: "failed" });
    expect(isAlive(Number(readFileSync(file, "utf8")))).toBe(false);
  });

  test("output_stdout copies what the command writes", async () => {
    const printed: Buffer[] = [];
    const { outcome } = await once({ run: "printf 'a\\n'", output_stdout: true }, { print: (bytes) => printed.push(bytes) });
    expect([outcome?.data, Buffer.concat(printed).toString()]).toEqual(["a", "a\n"]);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // One that has ended and that nobody has waited for is still in the list.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
