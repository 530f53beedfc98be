import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as all from "#generated/features.ts";
import type { JsonSchema } from "#runtime/features/feature.ts";
import { type Json, typeOf } from "#runtime/value/json.ts";
import { language } from "../../compiler/2-check/schema.ts";
import { type ActionCase, casesOf, type MatcherCase, type TransformCase } from "../../compiler/gen/reference/cases.ts";
import { planTexts } from "../../compiler/pipeline.ts";
import { is_equal_to } from "../../runtime/features/matchers/is_equal_to.ts";
import { planned, printOne } from "../harness/compile.ts";
import { root, wantedFixtures } from "../harness/folders.ts";
import { isWanted } from "../harness/rules/words.ts";

// Law `complete`: a feature is documented, and its cases show the results for usual data, for data of another type and for null.

const { transforms, matchers, actions } = all;
const features = { transforms, matchers, actions };

describe.each(Object.entries(features))("%s", (kind, table) => {
  const wanted = Object.entries(table).filter(([name]) => isWanted(kind, name));

  it.each(wanted)("%s says in a sentence what it does", (_, { summary }) => {
    expect(summary).toMatch(/^[A-Z].{10,120}\.$/);
  });

  it.each(wanted)("%s describes what it takes", (_, { schema }) => {
    expect(undescribed("argument", schema)).toEqual([]);
  });

  it("have an example each", () => {
    const without = Object.keys(table).filter((name) => !casesOf(fileOf(kind, name)).some(({ doc }) => doc === true));
    expect(without).toEqual([]);
  });
});

describe.each(wantedFixtures("transforms"))("transform %s", (name) => {
  const cases = casesOf<TransformCase>(fileOf("transforms", name));

  it("has cases of usual data, of another type and of null", () => {
    expect(gaps(cases.map((one) => ({ datum: one.data, good: one.fails === undefined, shown: one.doc === true })))).toEqual([]);
  });
});

describe.each(wantedFixtures("matchers"))("matcher %s", (name) => {
  const cases = casesOf<MatcherCase>(fileOf("matchers", name));

  it("has cases of usual values, of another type and of null", () => {
    expect(gaps(cases.map((one) => ({ datum: one.target, good: one.passes === true, shown: one.doc === true })))).toEqual([]);
  });
});

describe("the options of a test", () => {
  it.each(Object.entries(matchers).filter(([name]) => isWanted("matchers", name)))("%s says whether it takes them", (name, { options }) => {
    const text = readFileSync(new URL(`runtime/features/matchers/${name}.ts`, root), "utf8");
    const [parameters = ""] =
      new RegExp(`^export (?:async )?(?:function|const) ${name}\\b[^]*?\\)(?:: [^\\n]*)? (?:\\{|=>)$`, "m").exec(text) ?? [];
    expect(parameters).toContain(name);
    expect(options === true).toBe(parameters.includes("MatcherOptions"));
  });

  it("are printed where they have a default, too", async () => {
    // The function has three parameters, but its `length` counts only the two before the default.
    expect(is_equal_to.length).toBe(2);
    const test = { value: "a", case_insensitive: true, is_equal_to: "x" };
    const action = { name: "A", input: "a|body|", assert: { tests: [test] } };
    const { code } = await printOne(planned(JSON.stringify({ name: "t", interfaces: { t: { method: "POST", actions: [action] } } })));
    expect(code).toContain('pw.is_equal_to(t, "x", { case_insensitive: true })');
  });
});

describe.each(wantedFixtures("actions"))("action %s", (name) => {
  it.each(casesOf<ActionCase>(fileOf("actions", name)).map((one) => [one.name, one] as const))("%s: compiles", (_, { action, global }) => {
    const config = {
      name: "example",
      ...(global === undefined ? {} : { global }),
      interfaces: { example: { method: "POST", actions: [action] } },
    };
    // The warning about a metric that is not exposed is ignored: the rest of the configuration, which would expose it, is no part of an
    // example.
    const { diagnostics } = planTexts([{ file: "example.yaml", text: JSON.stringify(config) }]);
    expect(diagnostics.filter(({ code }) => code !== "PW408")).toEqual([]);
  });
});

it("every record of the language describes its keys", () => {
  const { root: config, definitions } = language(all);
  const records = Object.entries({ Config: config, ...definitions });
  expect(records.flatMap(([name, schema]) => undescribed(name, schema))).toEqual([]);
});

const fileOf = (kind: string, name: string): string => new URL(`test/fixtures/${kind}/${name}/cases.yaml`, root).pathname;

/** The kinds of data without a case. Another type means a type that no example of the reference page has. */
function gaps(cases: readonly { readonly datum: Json; readonly good: boolean; readonly shown: boolean }[]): string[] {
  const usual = new Set(cases.filter(({ shown, good }) => shown && good).map(({ datum }) => typeOf(datum)));
  return [
    ...(cases.some(({ datum, good }) => good && datum !== null) ? [] : ["usual data"]),
    ...(cases.some(({ datum }) => datum !== null && !usual.has(typeOf(datum))) ? [] : ["data of another type"]),
    ...(cases.some(({ datum }) => datum === null) ? [] : ["null"]),
  ];
}

/**
 * Properties without a description, and the schema itself when neither it nor each of its forms has one. The target of a reference is
 * described at its declaration.
 */
function undescribed(name: string, schema: JsonSchema): string[] {
  const inner = [
    ...Object.entries(schema.properties ?? {}).map(([key, one]) => [`${name}.${key}`, one] as const),
    ...(schema.items?.properties === undefined ? [] : [[`${name}[]`, schema.items] as const]),
  ];
  const said = (schema.description ?? "") !== "" || schema.properties !== undefined;
  const own = said ? [] : (schema.anyOf?.flatMap((form, i) => undescribed(`${name} (${i + 1})`, form)) ?? [name]);
  return [...own, ...inner.flatMap(([path, one]) => undescribed(path, one))];
}

describe("the reference", () => {
  const folder = new URL("generated/reference/", root);
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));

  it.each(pages)("%s names no paper that a reader does not have", (page) => {
    expect(readFileSync(new URL(page, folder), "utf8")).not.toMatch(
      /(?:service\.txt|(?<![\w/])(?:surfaces|language|decisions)\.md)|[a-z] \.(?: |$)/m,
    );
  });
});
