import type { FacadeName } from "#generated/facade.ts";
import { facade } from "#generated/facade.ts";
import * as features from "#generated/features.ts";
import type { RuntimePart } from "../5-analyse/analysed.ts";
import { fileOf, optionalParts } from "../7-link/optional-parts.ts";
import { kinds } from "../gen/kinds.ts";

/** A part of the runtime that some bundles carry: a feature, or what a key of the configuration asks for. */
export interface Part {
  /** One name for people: `transform rename_keys`. */
  readonly name: string;
  /** The kind of features that it belongs to, or nothing. */
  readonly kind?: string;
  /** How a configuration asks for it. */
  readonly written: string;
  /** Its file, as the graph names it. */
  readonly file: string;
}

/** The names of the features of a kind. */
const namesOf = (table: string): readonly string[] => {
  const tables: Readonly<Record<string, unknown>> = features;
  return Object.keys(tables[table] ?? {});
};

/** Parts that printed modules call for by a function of the façade and that are no feature. */
const called: Partial<Record<FacadeName, readonly [name: string, written: string]>> = {
  walk: ["the interpreter", "disable_fastpath: true of an interface"],
  asyncJq: ["jq itself, in a thread", "a jq filter that cannot be printed"],
  pattern: ["RE2", "a regular expression that is known only when it runs, or that JavaScript reads in another way or too slowly"],
  networkPolicy: ["network policies", "network of an interface"],
  captureRuns: ["recorded runs", "capture of an interface"],
  run_rows: ["records of runs in SQL", "a log that names a database"],
  run_documents: ["records of runs in MongoDB", "a log that names a database"],
  retry: ["repeated attempts", "retry of an action"],
  lookup: ["lookups", "lookup of an action"],
  stateAnswers: ["durable state", "a state action, only_new, or a marker of state"],
  stream: ["streams to channels", "stream of an interface"],
};

/** Parts that every bundle names and that the link leaves out where nothing needs them. */
const cut: Readonly<Record<RuntimePart, readonly [name: string, written: string]>> = {
  json_path: ["JSONPath", "a path with filters, slices or descent (RFC 9535)"],
  key_sets: ["keys of token issuers", "jwks_url"],
  ses: ["mail by Amazon SES", "aws_ses"],
  mcp_client: ["the client of MCP", "mcp in tools of an agent"],
  upgrades: ["connections that leave HTTP", "interfaces: { …: { ws: … } } or { mqtt: … }"],
};

/** The part that serves the API document. */
export const documentation: Part = {
  name: "API document and its page",
  written: "docs: true",
  file: "runtime/triggers/documentation.ts",
};

export const cutParts: ReadonlyMap<RuntimePart, Part> = new Map(
  optionalParts.map((part) => [part, { name: cut[part][0], written: cut[part][1], file: `runtime/${fileOf(part)}` }]),
);

/** Every part that a printed module calls for, by its file. */
export function calledParts(): ReadonlyMap<string, Part> {
  const callable = new Set(Object.values(facade).map(([file]): string => file));
  const all = kinds.flatMap(({ table, folder, noun, written }) =>
    namesOf(table).map((name): Part => {
      return { name: `${noun} ${name}`, kind: noun, written: written(name), file: `runtime/${folder}/${name}.ts` };
    }),
  );
  const others = Object.entries(called).map(([name, [said, written]]): Part => {
    return { name: said, written, file: fileOfName(name as FacadeName) }; // the keys of the record
  });
  // Some filters have no file of their own: only the compiler writes them.
  return new Map([...all, ...others].filter(({ file }) => callable.has(file.slice("runtime/".length))).map((part) => [part.file, part]));
}

/** The file of a function of the façade, as the graph names it. */
export const fileOfName = (name: FacadeName): string => `runtime/${facade[name][0]}`;
