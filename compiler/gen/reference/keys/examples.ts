import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { fence, yaml } from "../cases.ts";

/** An example of test/fixtures/keys: a part of a configuration, and the parts around it that it needs but the page does not show. */
export interface KeyExample {
  /** The sentence before the example. */
  readonly says: string;
  /** An example has exactly one of three: keys of the file, of an interface, or of an action. */
  readonly config?: JsonObject;
  readonly interface?: JsonObject;
  readonly action?: JsonObject;
  /** Keys of the file that are not shown. */
  readonly around?: JsonObject;
  /** Actions before the one of the example, which are not shown. */
  readonly before?: readonly JsonObject[];
}

/** Examples by page and title of the section. */
export type KeyExamples = ReadonlyMap<string, Readonly<Record<string, readonly KeyExample[]>>>;

/**
 * Every example of `folder`, which has a file for each page with the name of the page. Features that add keys to a page have files of their
 * own in a folder with that name: the examples of `configuration/vault.yaml` follow those of `configuration.yaml`.
 */
export function readKeyExamples(folder: string): KeyExamples {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".yaml"));
  const pages = new Map<string, Record<string, readonly KeyExample[]>>();
  for (const file of files.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))) {
    const around = `${dirname(file)}.yaml`;
    const page = (files.includes(around) ? around : file).replace(/\.yaml$/, ".md");
    const sections = pages.get(page) ?? {};
    // The law `keys` checks every one of them.
    const own = parse(readFileSync(join(folder, file), "utf8")) as Readonly<Record<string, readonly KeyExample[]>>;
    for (const [title, list] of Object.entries(own)) sections[title] = [...(sections[title] ?? []), ...list];
    pages.set(page, sections);
  }
  return pages;
}

/** The examples of a section in the form of its page; empty when it has none. */
export function examplesOfSection(page: string, title: string, examples: KeyExamples): string {
  const list = examples.get(page)?.[title] ?? [];
  return list.map((one) => `${one.says}\n\n${fence("yaml", yaml(shownOf(one), 6))}`).join("\n");
}

function shownOf({ config, interface: target, action }: KeyExample): Json {
  if (action !== undefined) return { actions: [action] };
  return target === undefined ? (config ?? {}) : { interfaces: { example: target } };
}

/** The whole configuration of an example, in the form that `check` gets. */
export function configOf({ config, interface: target, action, around = {}, before = [] }: KeyExample): JsonObject {
  const plain = { method: "POST", actions: [{ name: "Plain", json_output: {} }] };
  const actions = [...before, ...(action === undefined ? [] : [action])];
  const usual = action !== undefined ? { method: "POST", actions } : { ...plain, ...target };
  return { name: "example", interfaces: { example: usual }, ...around, ...config };
}
