import { BaseResolver, createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, test } from "vitest";
import { documentOf, planTexts, type SourceText } from "../../compiler/pipeline.ts";
import { fixturesOf, readFixture } from "../harness/folders.ts";
import { sampled } from "../harness/rules/words.ts";
import { packNames, packTexts } from "../packs/packs.ts";

// The API document of any configuration passes the linter of Redocly (spec/surfaces 7).

const rules = { spec: createConfig({ extends: ["spec"] }), minimal: createConfig({ extends: ["minimal"] }) };

/** A resolver that refuses external references, because a document must be complete in itself. */
class Alone extends BaseResolver {
  override loadExternalRef(ref: string): never {
    throw new Error(`the document refers to ${ref}`);
  }
}

/** The findings of the linter in a document: `operation-summary #/paths/~1/get: …`. */
async function faults(document: string): Promise<string[]> {
  const found = await Promise.all(
    Object.values(rules).map(async (config) =>
      lintFromString({ source: document, absoluteRef: "docs.json", config: await config, externalRefResolver: new Alone() }),
    ),
  );
  return found.flat().map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

/** The document of configurations as if each said `docs: true`; undefined when no interface is served over HTTP. */
function documented(texts: readonly SourceText[]): string | undefined {
  const planned = planTexts(texts.map(({ file, text }) => ({ file, text: isService(text) ? `docs: true\n${text}` : text })));
  const errors = planned.diagnostics.filter(({ severity }) => severity === "error");
  expect(errors).toEqual([]);
  return planned.plans.some(({ interfaces }) => interfaces.some(({ route }) => route !== undefined)) ? documentOf(planned) : undefined;
}

/** True for a configuration without a key `docs`; a file of modules is no configuration. */
const isService = (text: string): boolean => /^interfaces:/m.test(text) && !/^docs:/m.test(text);

const sources: Readonly<Record<string, readonly SourceText[]>> = Object.fromEntries([
  ...sampled(fixturesOf("interfaces"), 5).map((name) => [
    `fixture ${name}`,
    [{ file: `${name}.yaml`, text: readFixture("interfaces", name, "config.yaml") }],
  ]),
  ...sampled(packNames(), 5).map((name) => [`pack ${name}`, packTexts(name)]),
]);

const documents = Object.entries(sources).map(([name, texts]) => ({ name, document: documented(texts) }));

describe.each(documents)("$name", ({ document }) => {
  test.runIf(document !== undefined)("has a clean document", async () => {
    expect(await faults(String(document))).toEqual([]);
  });
});

test("most of them are served over HTTP, and a fault is found", async () => {
  const written = documents.flatMap(({ document }) => document ?? []);
  expect(written.length).toBeGreaterThan(documents.length / 2);
  const spoilt = JSON.stringify({ ...JSON.parse(written[0] ?? ""), paths: { "/a/{id}": { get: { responses: {} } } } });
  expect(await faults(spoilt)).toEqual(expect.arrayContaining([expect.stringContaining("path-parameters-defined #/paths/~1a~1{id}")]));
  const elsewhere = JSON.stringify({ ...JSON.parse(written[0] ?? ""), paths: { "/a": { $ref: "https://a.example/b.json" } } });
  expect(await faults(elsewhere)).toEqual(expect.arrayContaining([expect.stringContaining("https://a.example/b.json")]));
});
