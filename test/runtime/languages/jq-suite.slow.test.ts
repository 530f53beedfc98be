import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { jqReply } from "#runtime/languages/jq/filter.ts";
import { compare } from "#runtime/languages/jq/order.ts";
import type { Json } from "#runtime/value/json.ts";
import { compiledJq, type MadeUntil, realBefore, realJq } from "../../harness/compiled-jq.ts";
import { sharedFolder } from "../../harness/folders.ts";

// jq's own suites: what is compiled gives what they demand, and so does jq itself in its thread, for all programs that need neither modules
// nor the host but those that are explained below (spec/jq-jsonpath-regex A.1).

interface Case {
  readonly program: string;
  readonly input: string;
  readonly outputs: readonly string[];
}

/**
 * Groups of a program, its input and its outputs, between empty lines; what starts with %% must be refused, which is no matter of running.
 */
function casesOf(text: string): Case[] {
  const groups = text.split(/\n\s*\n/).map((group) => group.split("\n").filter((line) => line !== "" && !line.startsWith("#")));
  return groups.flatMap(([program, input, ...outputs]) =>
    program === undefined || input === undefined || program.startsWith("%%")
      ? []
      : [{ program, input: input.replace(/^\uFEFF/, ""), outputs }],
  );
}

/** Numbers that no double holds are read as jq's output is read; undefined for `nan`. */
function parsed(text: string): Json | undefined {
  try {
    return jqReply(text);
  } catch {
    return undefined;
  }
}

/** The order of members is no matter of a suite. Outputs before an error count, as they do there. */
function demanded({ outputs }: Case, made: MadeUntil): boolean {
  if (made === "left") return false;
  const wanted = outputs.map((text) => parsed(text) ?? null);
  if ("error" in made) return "before" in made && compare([...made.before], wanted) === 0;
  const [first = null] = wanted;
  return compare(made.value, wanted.length > 1 ? wanted : first) === 0;
}

const folder = sharedFolder("suites");
const read = (name: string): Case[] => {
  const file = folder === undefined ? undefined : new URL(name, folder);
  return file === undefined || !existsSync(file) ? [] : casesOf(readFileSync(file, "utf8"));
};

describe.skipIf(folder === undefined).each([
  ["jq.test", 505],
  ["man.test", 229],
])("%s", (name, least) => {
  const cases = read(name);

  test("what is compiled gives what the suite demands, or leaves it to jq", () => {
    const wrong: unknown[] = [];
    let compiled = 0;
    for (const one of cases) {
      const filter = compiledJq(one.program);
      const input = parsed(one.input);
      if (typeof filter === "string" || input === undefined) continue;
      compiled += 1;
      const made = filter(input);
      if (made !== "left" && !demanded(one, made)) wrong.push({ ...one, made });
    }
    expect(wrong).toEqual([]);
    expect(compiled).toBeGreaterThan(cases.length * 0.4);
  });

  test("jq itself gives what the suite demands", async () => {
    const own = cases.filter(({ program }) => !needsHost(program));
    const wrong: string[] = [];
    for (const one of own) {
      const made = await realJq(one.program, one.input);
      const failed = made !== "left" && "error" in made;
      const until = failed ? { ...made, before: await realBefore(one.program, one.input) } : made;
      if (!demanded(one, until)) wrong.push(one.program);
    }
    console.log(`${name}: ${own.length - wrong.length} of ${own.length} by jq itself`);
    expect(wrong.filter((program) => !explained.some((why) => why.test(program)))).toEqual([]);
    expect(own.length - wrong.length).toBeGreaterThanOrEqual(least);
  });
});

/** Modules are files, and files are nothing that a filter may read. */
const needsHost = (program: string): boolean =>
  /\b(?:import|include|modulemeta|input_line_number|get_search_list|\$__prog_args)\b/.test(program);

/** The reasons for a different result of a program. */
const explained: readonly RegExp[] = [
  // Nested deeper than the stack of jq in its thread: the run fails and says so.
  /range\((?:9999|1000\d)\)/,
  // The thread has no environment.
  /\bPAGER$/,
];
