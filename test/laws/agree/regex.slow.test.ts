import fc from "fast-check";
import { expect, test } from "vitest";
import { native } from "#runtime/languages/native-pattern.ts";
import type { Pattern } from "#runtime/languages/pattern.ts";
import { compile } from "#runtime/languages/regex.ts";
import { atOnce } from "#runtime/threads/slices.ts";
import { Reject } from "#runtime/value/failure.ts";
import { sharedPattern } from "../../../compiler/6-print/regex/index.ts";
import { randomPattern, randomText } from "../../harness/random/pattern.ts";
import { draws } from "../../harness/rules/words.ts";

// Law `agree` for regular expressions: a pattern that is printed as a JavaScript regex gives the results of our own engine, including
// groups and positions.

const runs = draws(4_000);

test(`${runs} random patterns on random texts`, () => {
  const count = { legal: 0, shared: 0, matched: 0 };
  fc.assert(
    fc.property(randomPattern, fc.array(randomText, { minLength: 4, maxLength: 4 }), (text, subjects) => {
      const engine = compiled(text);
      const source = engine === undefined ? undefined : sharedPattern(text);
      if (engine !== undefined) count.legal += 1;
      if (engine === undefined || source === undefined) return;
      count.shared += 1;
      const other = native(new RegExp(source, "u"));
      expect([other.groups, other.names], source).toEqual([engine.groups, engine.names]);
      for (const subject of subjects) {
        const made = results(engine, subject);
        if (made[0]) count.matched += 1;
        expect(results(other, subject), `${text} as ${source} on ${JSON.stringify(subject)}`).toEqual(made);
      }
    }),
    { numRuns: runs },
  );
  console.log(`regex: ${count.legal} patterns, ${count.shared} of them JavaScript's, too, ${count.matched} matches`);
  expect(count.shared).toBeGreaterThan(count.legal / 6);
  expect(count.matched).toBeGreaterThan(count.shared / 2);
});

/** The results of all operations; a replacement shows the position and the groups of each match. */
const results = (pattern: Pattern, text: string): readonly [boolean, ...unknown[]] => [
  pattern.test(text),
  pattern.exec(text),
  atOnce(pattern.replace(text, (groups) => `<${groups.map((group) => group ?? "-").join(",")}>`)),
];

function compiled(text: string): Pattern | undefined {
  try {
    return compile(text);
  } catch (error) {
    if (error instanceof Reject) return undefined;
    throw error;
  }
}
