import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findParts } from "../../../compiler/lsp/analysis/known-parts.ts";
import { LastLook } from "../../../compiler/memory.ts";
import { type FindParts, nothing, planIn } from "../../../compiler/phases.ts";
import { planTexts, type ReadIncluded, type SourceText } from "../../../compiler/pipeline.ts";
import { syntheticConfigs } from "../../bench/synthetic.ts";
import { fixturesOf, root } from "../../harness/folders.ts";
import { draws, sampled } from "../../harness/rules/words.ts";
import { packNames, packTexts } from "../../packs/packs.ts";
import { edited, editsOf } from "../edits.ts";

// A look at a project with the findings of the look before it says what a look without any says, byte for byte.

const textsOf = (kind: "diagnostics" | "interfaces", name: string): readonly SourceText[] => {
  const folder = new URL(`test/fixtures/${kind}/${name}/`, root);
  const names = readdirSync(folder).filter((each) => /\.ya?ml$/.test(each) && each !== "cases.yaml");
  return names.map((file) => ({ file: `${name}/${file}`, text: readFileSync(new URL(file, folder), "utf8") }));
};

const fixtures = (["diagnostics", "interfaces"] as const).flatMap((kind) => fixturesOf(kind).map((name) => textsOf(kind, name)));
const projects = [...fixtures, ...packNames().map(packTexts), syntheticConfigs(6, 2)].filter((texts) => texts.length > 0);

const looked = (configs: readonly SourceText[], memory?: LastLook): string => {
  const { diagnostics, failed, skipped, sources } = planTexts(configs, memory && { memory, findParts });
  return JSON.stringify({
    failed,
    skipped,
    diagnostics: diagnostics.map((each) => ({ ...each, line: sources.lines(each.at.file).at(each.at.start) })),
  });
};

const edits = editsOf(["type", "type", "type", "double", "remove", "swap", "undo"], 5);

test("whatever somebody types, findings of the last look change nothing", { timeout: 600_000 }, () => {
  const law = fc.property(fc.nat(projects.length - 1), edits, (number, all) => {
    const [begin = []] = [projects[number]];
    const memory = new LastLook();
    let [texts, before] = [begin, begin];
    expect(looked(texts, memory)).toBe(looked(texts));
    for (const edit of all) {
      const index = Math.floor(edit.file * texts.length);
      const typed = texts.map((each, i) => (i === index ? { ...each, text: edited(each.text, edit) } : each));
      [texts, before] = edit.kind === "undo" ? [before, texts] : [typed, texts];
      expect(looked(texts, memory)).toBe(looked(texts));
    }
  });
  fc.assert(law, { numRuns: draws(1_000) });
});

test("every project is looked at alike with and without the findings of the same texts", () => {
  expect(projects.length).toBeGreaterThan(200);
  const numbers = sampled([...projects.keys()].map(String), 6);
  expect(numbers.length).toBeGreaterThan(20);
  for (const number of numbers) {
    const texts = projects[Number(number)] ?? [];
    const memory = new LastLook();
    const expected = looked(texts);
    expect(looked(texts, memory)).toBe(expected);
    expect(looked(texts, memory)).toBe(expected);
  }
});

/** The names of the interfaces that a look finds anew. */
function foundAnew(configs: readonly SourceText[], memory: LastLook, include: ReadIncluded = nothing): readonly string[] {
  const anew: string[] = [];
  const noting: FindParts = (config, { findIn, ...around }) =>
    findParts(config, {
      ...around,
      findIn: (part, inner) => {
        anew.push(part.interfaces.map(({ name }) => name).join());
        return findIn(part, inner);
      },
    });
  planIn({ configs }, { memory, findParts: noting, include });
  return anew;
}

const three = (b: string, global = ""): string =>
  `name: n\n${global}interfaces:\n${["a", "b", "c"]
    .map((name) => `  ${name}:\n    method: GET\n    actions:\n      - name: A\n${name === "b" ? b : "        json_output: [1]\n"}`)
    .join("")}`;

test("only the interface that has changed is found anew, wherever the others have moved", () => {
  const file = "n.yaml";
  const memory = new LastLook();
  expect(foundAnew([{ file, text: three("        json_output: [1]\n") }], memory)).toEqual(["a", "b", "c"]);
  expect(foundAnew([{ file, text: three("        json_output:\n          [a|body::x|]\n") }], memory)).toEqual(["b"]);
  expect(
    foundAnew([{ file, text: three("        json_output:\n          [a|body::x|]\n", "global: { variables: { v: 1 } }\n") }], memory),
  ).toEqual(["a", "b", "c"]);
});

test("an interface is found anew when a file beside it has changed", () => {
  const configs = [{ file: "n.yaml", text: three("        json_output: [a|include::q.txt|]\n") }];
  const memory = new LastLook();
  const beside =
    (text: string): ReadIncluded =>
    () => ({ text });
  foundAnew(configs, memory, beside("SELECT 1"));
  expect(foundAnew(configs, memory, beside("SELECT 1"))).toEqual([]);
  expect(foundAnew(configs, memory, beside("SELECT 2"))).toEqual(["b"]);
});
