import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Config } from "#runtime/run/interface.ts";
import { planTexts } from "../../compiler/pipeline.ts";
import { planned, printOne } from "../harness/compile.ts";
import { evaluate } from "../harness/evaluate.ts";
import { runOnce } from "../harness/run-once.ts";
import { stillHost } from "../harness/still-host.ts";

// Positions of a value in a command, in sh and in bash: either the compiler refuses it, or no text makes anything run that touches the
// canary.

const folder = mkdtempSync(join(tmpdir(), "pipewright-shell-"));
const canary = join(folder, "canary");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const v = "a|body::v|";
const touch = `touch ${canary}`;

const hostile: readonly string[] = [
  `$(${touch})`,
  `\`${touch}\``,
  `'; ${touch}; '`,
  `"; ${touch}; "`,
  `; ${touch} #`,
  `\n${touch}\n`,
  `a[$(${touch})]`,
  `x=a[$(${touch})]`,
  `|| ${touch}`,
  `END\n${touch}\nEND`,
  `\${x:-$(${touch})}`,
];

/** Positions in which a value is data. */
const accepted: readonly string[] = [
  ...[`echo ${v}`, `echo "${v}"`, `echo '${v}'`, `echo x${v}y`, `echo "a ${v} b"`, `echo 'a ${v} b'`, `echo $${v}`, `echo -- ${v} ${v}`],
  ...[`printf '%s' ${v}`, `x=${v}; echo "$x"`, `x=${v} env | wc -l`, `export X=${v}; env | wc -l`, `echo x > /dev/null ${v}`, `: ${v}`],
  ...[
    `(echo ${v})`,
    `{ echo ${v}; }`,
    `echo $(echo ${v})`,
    `echo "$(echo "${v}")"`,
    `(cd / && (echo ${v}))`,
    `true && echo ${v} || echo ${v}`,
  ],
  ...[
    `if [ ${v} = x ]; then echo yes; fi`,
    `[ -n "${v}" ] && echo ${v}`,
    `test ${v} != y && echo no`,
    `while [ ${v} = x ]; do break; done`,
  ],
  ...[
    `for x in ${v} b; do echo "$x"; done`,
    `case ${v} in x) echo x;; *) echo ${v};; esac`,
    `f() { echo "$1"; }; f ${v}`,
    `set -- ${v}; echo "$1"`,
  ],
  ...[`cat <<END\n${v}\nEND`, `cat <<-END\n\t${v}\n\tEND`, `echo ${v} | cat`, `echo ${v} | tr a b | wc -c`, `sh -c 'echo "$1"' sh ${v}`],
  ...[
    `awk 'END { print x }' x=${v} /dev/null`,
    `find / -maxdepth 0 -name ${v}`,
    `env X=${v} true`,
    `grep -c ${v} /dev/null || true`,
    `echo ${v} # ${v}`,
  ],
  ...[`sed s/a/b/ < /dev/null && echo ${v}`, `sh -c 'printf %s "$@"' sh a ${v} b`, `x="${v}"; y='${v}'; echo "$x$y"`],
];

/** Positions in which something else than the shell of the command would read it as code. */
const refused: readonly string[] = [
  ...[`sh -c ${v}`, `sh -c "echo ${v}"`, `bash -c 'echo ${v}'`, `eval ${v}`, `eval "echo ${v}"`, `trap "echo ${v}" EXIT`, `let x=${v}`],
  ...[
    `echo ${v} | sh`,
    `sh <<END\n${v}\nEND`,
    `. /dev/stdin <<END\n${v}\nEND`,
    `xargs echo ${v}`,
    `awk "BEGIN { ${v} }"`,
    `sed ${v} /dev/null`,
  ],
  ...[
    `env sh -c ${v}`,
    `timeout 5 sh -c ${v}`,
    `find / -maxdepth 0 -exec sh -c ${v} ';'`,
    `perl -e ${v}`,
    `python3 -c ${v}`,
    `node -e ${v}`,
    `ssh host ${v}`,
  ],
  ...[
    `echo $((${v}))`,
    `echo \`echo ${v}\``,
    `echo \${x:-${v}}`,
    `echo $'${v}'`,
    `cat <<'END'\n${v}\nEND`,
    v,
    `${v} x`,
    `[[ ${v} -eq 1 ]]`,
    `a[${v}]=1`,
  ],
];

const one = (run: string, shell: string): string =>
  JSON.stringify({ name: "one", interfaces: { one: { method: "POST", actions: [{ name: "Run", command: { run, shell } }] } } });

describe.each(["/bin/sh -c", "/bin/bash -c"])("%s", (shell) => {
  let config: Config;
  beforeAll(async () => {
    const interfaces = Object.fromEntries(
      accepted.map((run, i) => [`s${i}`, { method: "POST", actions: [{ name: "Run", command: { run, shell, expect_exit: "any" } }] }]),
    );
    config = await evaluate((await printOne(planned(JSON.stringify({ name: "shells", interfaces })))).code);
  });

  test.each(accepted.map((run, i) => [run, i] as const))("is data in: %s", async (_, i) => {
    const host = stillHost({ env: { PIPEWRIGHT_ALLOW_COMMANDS: "true", PATH: process.env.PATH ?? "" } });
    const runs = await Promise.all(hostile.map((value) => runOnce(config, `s${i}`, { body: { v: value } }, host)));
    expect(runs.map(({ outcomes }) => outcomes[0]?.state)).toEqual(hostile.map(() => "succeeded"));
    expect(existsSync(canary)).toBe(false);
  });

  test.each(refused)("is refused in: %s", (run) => {
    const { diagnostics } = planTexts([{ file: "one.yaml", text: one(run, shell) }]);
    expect(diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code)).toEqual([
      expect.stringMatching(/^PW(?:409|461)$/),
    ]);
  });
});
