import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import * as features from "#generated/features.ts";
import { titleOf } from "../../compiler/2-check/blocks.ts";
import { language, recordOf } from "../../compiler/2-check/schema.ts";
import { operations } from "../../compiler/2-check/skeleton-transforms.ts";
import { configOf, readKeyExamples } from "../../compiler/gen/reference/keys/examples.ts";
import { anchorOf, keysOfSection, meaningOf, titlesIn } from "../../compiler/gen/reference/keys/key-page.ts";
import { keyPages, keysElsewhere } from "../../compiler/gen/reference/keys/layout.ts";
import { planTexts, printAll } from "../../compiler/pipeline.ts";
import { root } from "../harness/folders.ts";
import { sourceFiles } from "../harness/rules/import-list.ts";
import { keysUsed } from "../harness/rules/keys-used.ts";

// Law `keys`: every key of the language stands on a page of the reference, with a sentence and an example that passes `check`
// and is printed for both paths.

const { root: config, definitions } = language(features);
const records = { Config: config, ...definitions };
const { actions, matchers, transforms } = features;

/** Records that are explained on the page of a feature. */
const ofFeatures = new Set(Object.entries(actions).flatMap(([name, { schema }]) => [titleOf(name), ...titlesIn(schema)]));
/** Keys of these records that have a page of their own, or are described on the page of a feature. */
const pagesOfFeatures: Readonly<Record<string, ReadonlySet<string>>> = {
  Action: new Set(
    Object.entries(actions).flatMap(([name, action]) => [name, ...("beside" in action ? action.beside : []), ...fieldsOf(action)]),
  ),
  Test: new Set(Object.keys(matchers)),
  Transform: new Set(Object.keys({ ...transforms, ...operations })),
};

const told = new Set(
  keyPages.flatMap(({ sections }) =>
    sections.flatMap((section) => keysOfSection(section, records).map((key) => `${section.record}.${key}`)),
  ),
);

describe("the pages of keys", () => {
  it("tell every key of every record", () => {
    const untold = Object.entries(records).flatMap(([name, { properties = {} }]) =>
      ofFeatures.has(name) || Object.hasOwn(keysElsewhere, name)
        ? []
        : Object.keys(properties).flatMap((key) =>
            told.has(`${name}.${key}`) || pagesOfFeatures[name]?.has(key) ? [] : [`${name}.${key}`],
          ),
    );
    expect(told.size).toBeGreaterThan(200);
    expect(untold).toEqual([]);
  });

  it("have a sentence for each key", () => {
    const dumb = keyPages.flatMap(({ sections }) =>
      sections.flatMap((section) => {
        const { properties = {} } = recordOf(section.record, records);
        return keysOfSection(section, records).flatMap((key) =>
          /^[A-Za-z`].*\.$/.test(meaningOf(properties[key] ?? {}, records)) ? [] : [`${section.record}.${key}`],
        );
      }),
    );
    expect(dumb).toEqual([]);
  });

  it("name no key that there is not", () => {
    const keys = keyPages.flatMap(({ sections }) => sections.flatMap(({ record, keys = [] }) => keys.map((key) => [record, key] as const)));
    expect(keys.filter(([record, key]) => !Object.hasOwn(recordOf(record, records).properties ?? {}, key))).toEqual([]);
  });
});

const examples = readKeyExamples(new URL("test/fixtures/keys", root).pathname);
const listed = [...examples].flatMap(([page, sections]) =>
  Object.entries(sections).flatMap(([title, list]) => list.map((one, i) => ({ name: `${page}, ${title} ${i + 1}`, page, title, one }))),
);

describe("examples of keys", () => {
  it.each(listed)("$name: passes check", ({ one }) => {
    const { diagnostics } = planTexts([{ file: "example.yaml", text: JSON.stringify(configOf(one)) }]);
    // Notes are ignored, because an example is a part of a configuration and may lack a trigger, or a module that checks a token.
    expect(diagnostics.filter(({ severity }) => severity !== "note").map(({ code, message }) => `${code} ${message}`)).toEqual([]);
  });

  it.each(listed)("$name: is printed for both paths", async ({ one }) => {
    const planned = planTexts([{ file: "example.yaml", text: JSON.stringify(configOf(one)) }]);
    const [printed] = await printAll(planned, { interpret: false });
    const [walked] = await printAll(planned, { interpret: true });
    expect([printed?.file, walked?.file]).toEqual(["example.yaml", "example.yaml"]);
  });

  it.each(listed)("$name: stands in a section, and says what it shows", ({ page, title, one }) => {
    expect(keyPages.find(({ file }) => file === page)?.sections.map((section) => section.title)).toContain(title);
    expect(one.says).toMatch(/^[`A-Z].*:$/);
    expect([one.config, one.interface, one.action].filter((form) => form !== undefined)).toHaveLength(1);
  });

  it("use every key of their section", () => {
    const unused = keyPages.flatMap((page) =>
      page.sections.flatMap((section) => {
        const shown = examples.get(page.file)?.[section.title] ?? [];
        const used = new Set(shown.flatMap((one) => keysUsed(configOf(one), config, records, "Config")));
        const keys = keysOfSection(section, records).filter((key) => !used.has(`${section.record}.${key}`));
        return keys.map((key) => `${page.file}, ${section.title}: ${key}`);
      }),
    );
    expect(unused).toEqual([]);
  });
});

describe("links of the reference", () => {
  const pages = sourceFiles("generated/reference/**/*.md");

  it("lead to headings that there are", () => {
    const links = pages.flatMap((page) => linksOf(page).map((link) => ({ page, ...link })));
    expect(links.length).toBeGreaterThan(300);
    expect(links.filter(({ file, anchor }) => !existsSync(new URL(file, root)) || (anchor !== "" && !anchorsOf(file).has(anchor)))).toEqual(
      [],
    );
  });
});

function linksOf(page: string): readonly { readonly file: string; readonly anchor: string }[] {
  const links = [...readPage(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
  return links.map(([, path = "", anchor = ""]) => ({ file: path === "" ? page : posix.join(posix.dirname(page), path), anchor }));
}

function anchorsOf(page: string): ReadonlySet<string> {
  return new Set([...readPage(page).matchAll(/^#{1,4} (.+)$/gm)].map(([, title = ""]) => anchorOf(title)));
}

/** The text of a page without code fences, in which brackets are no links. */
function readPage(page: string): string {
  return readFileSync(new URL(page, root), "utf8").replace(/^```[\s\S]*?^```$/gm, "");
}

/** Fields of a feature that are keys of an action with the feature's description. Keys that mean the same for every action are left out. */
function fieldsOf({ schema, ...action }: (typeof actions)[keyof typeof actions]): readonly string[] {
  if (!("written" in action) || action.written !== "fields") return [];
  const own = definitions.Action?.properties ?? {};
  return Object.entries(schema.properties ?? {}).flatMap(([key, { description }]) => (own[key]?.description === description ? [key] : []));
}
