import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as features from "#generated/features.ts";
import type { JsonSchema } from "#runtime/features/feature.ts";
import { roots } from "#runtime/run/marker-roots.ts";
import { filterNames } from "../../../compiler/1-read/markers/filter-words.ts";
import { legacyKeys } from "../../../compiler/2-check/legacy.ts";
import { language } from "../../../compiler/2-check/schema.ts";
import { commands } from "../../../compiler/other-tools/commands.ts";
import { filterFor } from "../../../compiler/other-tools/filters.ts";
import { keyHint, keys } from "../../../compiler/other-tools/keys.ts";
import { matcherForType } from "../../../compiler/other-tools/matchers.ts";
import { rootHint } from "../../../compiler/other-tools/roots.ts";
import { wordsFor } from "../../../compiler/other-tools/words.ts";
import { testLanguage } from "../../../compiler/testing/schema.ts";
import { root as repository } from "../../harness/folders.ts";

// Words of other tools: their tables name only what pipewright has, and no word of ours.

test("a line has all words of a meaning", () => {
  expect([...wordsFor({ upper: "uppercase upcase", lower: "downcase" })]).toEqual([
    ["uppercase", "upper"],
    ["upcase", "upper"],
    ["downcase", "lower"],
  ]);
});

test("a word has one meaning", () => {
  expect(() => wordsFor({ upper: "case", lower: "case" })).toThrow("'case' has two meanings: upper; lower");
});

const { root } = language(features);
// The language of contract tests has the records of configurations, too.
const { definitions } = testLanguage(features);
// The records of matchers have the names of the matchers.
const ofMatchers = Object.entries(features.matchers).map(([name, { schema }]) => {
  const forms: readonly JsonSchema[] = (schema as JsonSchema).anyOf ?? [schema as JsonSchema];
  return [name, { properties: Object.assign({}, ...forms.map(({ properties = {} }) => properties)) }] as const;
});
const records: Readonly<Record<string, JsonSchema>> = { ...Object.fromEntries(ofMatchers), ...definitions, Config: root };
const known = new Set([
  ...Object.values(records).flatMap(({ properties = {}, anyOf = [] }) =>
    [properties, ...anyOf.map((form) => form.properties ?? {})].flatMap((one) => Object.keys(one)),
  ),
  ...[...Object.keys(features.matchers), ...Object.keys(features.transforms)],
]);

describe.each([...keys])("keys of %s", (title, words) => {
  const own = Object.keys(records[title]?.properties ?? {});

  test("are those of a record", () => expect(own).not.toEqual([]));

  test.each([...words])("'%s': %s", (word, hint) => {
    expect([...own, ...Object.keys(legacyKeys[title] ?? {})]).not.toContain(word);
    const quoted = [...hint.matchAll(/'([a-z0-9_]+)/g)].map(([, name]) => name);
    expect(quoted.filter((name) => name !== undefined && !known.has(name))).toEqual([]);
  });
});

test.each(["for_each", "forEach", "for-each", "FOR_EACH"])("a key may be spelt %s", (key) => {
  expect(keyHint("Action", key)).toBe("write 'lookup' and 'actions'");
});

test.each(["string", "int", "double", "bool", "uuid"])("type %s has a matcher", (word) => {
  expect(Object.keys(features.matchers)).toContain(matcherForType(word));
});

test("a name that every object has is no word", () => {
  expect([keyHint("constructor", "name"), keyHint("Action", "constructor"), filterFor("constructor")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(rootHint("constructor", "a|constructor::x|", false)).toBeUndefined();
});

test("words for commands lead to commands", () => {
  const own = readdirSync(new URL("compiler/cli/commands", repository)).map((file) => file.replace(".ts", ""));
  expect([...commands.values()].filter((meant) => !own.includes(meant))).toEqual([]);
  expect([...commands.keys()].filter((word) => own.includes(word))).toEqual([]);
});

test.each(["uppercase", "DownCase", "stringify", "parseInt"])("the word '%s' leads to a filter", (word) => {
  expect(filterNames).toContain(filterFor(word));
  expect(filterNames).not.toContain(word);
});

test.each(["query", "event", "variables", "today"])("the word '%s' leads to a root", (word) => {
  const [, meant = ""] = /a\|(\w+)/.exec(rootHint(word, `a|${word}|`, false) ?? "") ?? [];
  expect(Object.keys(roots)).toContain(meant);
  expect(Object.keys(roots)).not.toContain(word);
});
