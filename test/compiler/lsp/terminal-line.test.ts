import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { lineOf } from "../../../templates/vscode/terminal-line.mts";

// Names of a project that a stranger has written are words of a command, whatever the shell of the user makes of other texts.

const hostile = ["$(touch x)", "`touch x`", "a'; touch x; '", 'a" && touch x', "a\\", "x & touch x", "%PATH%", "$HOME", "~", "{a,b}", "*"];

test("a POSIX shell reads the words as they are", () => {
  const words = ["printf", "%s\\0", ...hostile, "orders/{id}", "café", ""];
  const line = lineOf(words, "linux") ?? "";
  expect(execFileSync("sh", ["-c", line], { encoding: "utf8", cwd: "/" }).split("\0")).toEqual([...words.slice(2), ""]);
});

test.each(["\u0003touch x\n", "a\nb", "a\rb", "\u001b[A", "\u0004", "a\u009bb"])(
  "a word that acts on a terminal is not typed: %j",
  (word) => {
    for (const platform of ["linux", "darwin", "win32"] as const) expect(lineOf(["pipewright", "run", word], platform)).toBeUndefined();
  },
);

test("a word that PowerShell or cmd could read in another way is not typed on Windows", () => {
  for (const word of hostile.filter((one) => !/^[~{]/.test(one))) expect([word, lineOf([word], "win32")]).toEqual([word, undefined]);
  expect(lineOf(["node", "C:\\José (x86)\\shop", "run", "orders/{id}"], "win32")).toBe('node "C:\\José (x86)\\shop" run "orders/{id}"');
});
