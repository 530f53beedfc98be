import { expect, test } from "vitest";
import { readableLog } from "../../../compiler/cli/dev/log.ts";

// The log of `pipewright dev` on a terminal.

function lines(isColored: boolean): { readonly log: ReturnType<typeof readableLog>; readonly written: string[] } {
  const written: string[] = [];
  const log = readableLog({ out: (text) => void written.push(text), colors: { out: isColored, err: false } });
  return { log, written };
}

test("a record is one line for people; what a reader would not see is escaped", () => {
  const { log, written } = lines(false);
  log("info", "loaded", { version: 1, configs: ["t"], path: "/a b", name: "x" });
  log("debug", "unheard");
  log("error", "bad \u202e\nthing", { "k\n": "\u001b[31m" });
  expect(written.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ""))).toEqual([
    'info loaded version=1 configs=["t"] path="/a b" name=x\n',
    "error bad \\u202e\\u000athing k\\u000a=\\u001b[31m\n",
  ]);
});

test("a stack keeps its lines, and levels have colours", () => {
  const { log, written } = lines(true);
  log("critical", "bug", { stack: "Error: x\n    at y" });
  expect(written[0]).toContain("\u001b[31mcritical\u001b[39m bug\n  Error: x\n      at y\n");
});
