import type { FacadeName } from "#generated/facade.ts";
import { facade } from "#generated/facade.ts";
import * as features from "#generated/features.ts";
import type { RuntimePart } from "../5-analyse/analysed.ts";
import { fileOf, optionalParts } from "../7-link/optional-parts.ts";
import { kinds } from "../gen/kinds.ts";

/** A part of the runtime that only some bundles have: a feature, or the code for a key of the configuration. */
export interface Part {
  /** The name in texts, such as `transform rename_keys`. */
  readonly name: string;
  /** The kind of features to which it belongs; absent for other parts. */
  readonly kind?: string;
  /** The text in a configuration that needs it. */
  readonly written: string;
  /** The name of its file in the graph. */
  readonly file: string;
}

/** The names of the features of a kind. */
const namesOf = (table: string): readonly string[] => {
  const tables: Readonly<Record<string, unknown>> = features;
  return Object.keys(tables[table] ?? {});
};

/** Parts that are no features, by the function of the façade that needs them. */
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

/** Parts that the link leaves out of a bundle unless a configuration needs them. */
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

/** All parts that a printed module can call, by file. */
export function calledParts(): ReadonlyMap<string, Part> {
  const callable = new Set(Object.values(facade).map(([file]): string => file));
  const all = kinds.flatMap(({ table, folder, noun, written }) =>
    namesOf(table).map((name): Part => {
      return { name: `${noun} ${name}`, kind: noun, written: written(name), file: `runtime/${folder}/${name}.ts` };
    }),
  );
  const others = Object.entries(called).map(([key, [name, written]]): Part => {
    return { name, written, file: fileOfName(key as FacadeName) }; // the keys of the record
  });
  // Only files of the façade count, because some filters have no file of their own.
  return new Map([...all, ...others].filter(({ file }) => callable.has(file.slice("runtime/".length))).map((part) => [part.file, part]));
}

/** The name in the graph of the file of a façade function. */
export const fileOfName = (name: FacadeName): string => `runtime/${facade[name][0]}`;
