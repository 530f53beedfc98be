import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { HostOptions } from "#runtime/process/host.ts";
import type { Config } from "#runtime/run/interface.ts";
import type { Json } from "#runtime/value/json.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { runOnce } from "../../harness/run-once.ts";
import { stillHost } from "../../harness/still-host.ts";

// Commands in real shells (spec/language 5.2, 2.8 G): whatever a caller sends is a word, never a part of the script.

const folder = mkdtempSync(join(tmpdir(), "pipewright-shells-"));
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

/** Texts that have broken out of other quotings. */
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
  test.each(scripts.map(([name], i) => [name, i] as const))("is a word, or a part of one, in: %s", async (_, i) => {
    const config = await configOf(shell);
    const expected = scripts[i]?.[2] ?? String;
    for (const v of hostile) expect.soft(await written(config, i, v), JSON.stringify(v.slice(0, 60))).toBe(lines(expected(v)));
    expect(existsSync(canary)).toBe(false);
  });

  test("is what was sent, whatever it is", async () => {
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
