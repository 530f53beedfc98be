import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { entriesOf, get } from "../../../compiler/1-read/document.ts";
import { read } from "../../../compiler/1-read/index.ts";
import { findParts } from "../../../compiler/lsp/analysis/known-parts.ts";
import { LastLook } from "../../../compiler/memory.ts";
import { type FindParts, nothing, planIn } from "../../../compiler/phases.ts";
import { planTexts, type ReadIncluded, type SourceText } from "../../../compiler/pipeline.ts";
import { syntheticConfigs } from "../../bench/synthetic.ts";
import { fixturesOf, root } from "../../harness/folders.ts";
import { draws, sampled } from "../../harness/rules/words.ts";
import { packNames, packTexts } from "../../packs/packs.ts";

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

const pieces = [
  ...["a|", "|", "::", "->", "a|body::", "a|body::id|", "- ", ": ", "\n", "\r\n", "{", "[", '"', "&a ", "*a", "<<: *a\n", "#", "---\n"],
  ...["# a line\n", "\n\n", "x: 1\n", "a|template::t|", "input: a|previous|", "😀", "global:\n  variables: { a: a|secret::b| }\n"],
  ...["on_error: { interface: a }\n", "# pipewright-ignore PW331\n", "name: other\n"],
];

interface Edit {
  readonly project: number;
  readonly kind: "type" | "double" | "remove" | "swap" | "undo";
  readonly file: number;
  readonly at: number;
  readonly length: number;
  readonly text: string;
}

const part = fc.double({ min: 0, max: 0.999, noNaN: true });

const edits = fc.array(
  fc.record<Edit>({
    project: fc.constant(0),
    kind: fc.constantFrom("type", "type", "type", "double", "remove", "swap", "undo"),
    file: part,
    at: part,
    length: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30 })),
    text: fc.constantFrom("", ...pieces),
  }),
  { minLength: 1, maxLength: 5 },
);

/** The texts of the interfaces of a file, each with its key and what follows up to the next. */
function interfacesOf(text: string): readonly { readonly start: number; readonly end: number }[] {
  const spans = entriesOf(get(read(text, "a.yaml", () => undefined)?.root, "interfaces")).map(
    ({ keySpan, value }) => [keySpan, value.span] as const,
  );
  return spans.map(([{ start }, { end }], i) => ({ start, end: spans[i + 1]?.[0].start ?? end }));
}

function edited(text: string, { kind, at, length, text: typed }: Edit): string {
  const all = interfacesOf(text);
  const chosen = all[Math.floor(at * all.length)];
  if (kind === "type" || chosen === undefined) {
    const place = Math.floor(at * (text.length + 1));
    return text.slice(0, place) + typed + text.slice(place + length);
  }
  const own = text.slice(chosen.start, chosen.end);
  if (kind === "remove") return text.slice(0, chosen.start) + text.slice(chosen.end);
  if (kind === "double") return `${text.slice(0, chosen.start)}copy_of_${own}${text.slice(chosen.start)}`;
  const [first] = all;
  if (first === undefined || first === chosen) return text;
  return text.slice(0, first.start) + own + text.slice(first.start, chosen.start) + text.slice(chosen.end);
}

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
