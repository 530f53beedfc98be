import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { present } from "../../present.ts";
import { fence, yaml } from "./cases.ts";

/** An example of test/fixtures/markers: a marker in the `json_output` of an action, or in a whole action, and the resulting data. */
export interface MarkerCase {
  readonly value?: Json;
  readonly action?: JsonObject;
  /** An action before the action of the example. */
  readonly before?: JsonObject;
  readonly global?: JsonObject;
  readonly files?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly params?: JsonObject;
  readonly headers?: JsonObject;
  readonly ip?: JsonObject;
  readonly env?: Readonly<Record<string, string>>;
  readonly vars?: JsonObject;
  /** The time of the run in ISO 8601. */
  readonly clock?: string;
  readonly gives: Json;
}

/**
 * The examples of the roots of markers and of the filters, by their words. `root` is the folder of the project. The law `markers` runs
 * every example.
 */
export function markerCases(root: string): Readonly<Record<"roots" | "filters", ReadonlyMap<string, readonly MarkerCase[]>>> {
  const fixtures = join(root, "test/fixtures");
  const roots = parse(readFileSync(join(fixtures, "markers/roots.yaml"), "utf8")) as Readonly<Record<string, readonly MarkerCase[]>>;
  const filters = readdirSync(join(fixtures, "filters"))
    .sort()
    .map((name) => [name, parse(readFileSync(join(fixtures, "filters", name, "cases.yaml"), "utf8")) as readonly MarkerCase[]] as const);
  return { roots: new Map(Object.entries(roots)), filters: new Map(filters) };
}

/** The words of the page for the surroundings of an example. */
const context: readonly (readonly [keyof MarkerCase, string])[] = [
  ["body", "body"],
  ["params", "parameters"],
  ["headers", "headers"],
  ["ip", "address"],
  ["env", "environment"],
  ["vars", "managed variables"],
  ["clock", "time"],
];

/** The examples of a word in the form of its page. */
export function markerExamples(word: string, cases: readonly MarkerCase[]): string {
  const blocks = cases.map((example) => {
    const { value, action, before, global, files, gives } = example;
    const actions = [...(before === undefined ? [] : [before]), action ?? { json_output: value ?? null }];
    const config = { ...present({ global }), actions };
    const world = context.flatMap(([key, name]) => (example[key] === undefined ? [] : [`${name} ${text(example[key])}`]));
    const beside = Object.entries(files ?? {}).map(([name, content]) => `${name} ${JSON.stringify(content)}`);
    return `${fence("yaml", yaml(config, 6))}\n${fence("text", [...beside, ...world, `→ ${JSON.stringify(gives)}`].join("\n"))}`;
  });
  return [`## ${word}\n`, ...blocks].join("\n");
}

const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
