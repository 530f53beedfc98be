import { expect, test } from "vitest";
import { main } from "../../../compiler/cli/main.ts";
import type { Terminal } from "../../../compiler/cli/project.ts";

async function help(command: string, columns?: number): Promise<string> {
  const texts: string[] = [];
  const out = (text: string): void => void texts.push(text);
  const terminal: Terminal = {
    cwd: "/",
    out,
    err: out,
    isTerminal: columns !== undefined,
    columns,
    colors: { out: false, err: false },
    env: {},
  };
  expect(await main([command, "--help"], terminal)).toBe(0);
  return texts.join("");
}

/** The lines before the examples, which are commands as they are typed. */
const linesOf = (text: string): readonly string[] => (text.split("\nExample")[0] ?? "").split("\n").slice(1);

test.each([40, 60, 120])("help fits a terminal of %i columns", async (columns) => {
  const lines = linesOf(await help("serve", columns));
  expect(lines.filter((line) => line.length > columns)).toEqual([]);
  expect(lines.length).toBeGreaterThan(20);
});

test("help beside no terminal has 80 columns", async () => {
  const lengths = linesOf(await help("serve")).map((line) => line.length);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(80);
  expect(Math.max(...lengths)).toBeGreaterThan(70);
});

test.each([
  ["check", "else production"],
  ["generate", "else production"],
  ["serve", "else production"],
  ["run", "else production"],
  ["dev", "(PIPEWRIGHT_ENV, else development)"],
  ["test", "else test where"],
  ["verify", "else test where"],
])("help of %s names the environment that it takes by default", async (command, words) => {
  expect((await help(command, 400)).split("\n").find((line) => line.includes("--env <name>"))).toContain(words);
});
