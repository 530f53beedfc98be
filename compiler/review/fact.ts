import type { Span } from "#runtime/plan/index.ts";
import { asObject, isObject, type Json, type JsonObject } from "#runtime/value/json.ts";
import type { AnalysedInterface, AnalysedPlan } from "../5-analyse/analysed.ts";
import { asWritten } from "./as-written.ts";

/**
 * The severities of differences, the gravest first. `loosened`: a part is newly open, shown or unchecked. `breaking`: callers that worked
 * may fail. `reaches`: something outside may newly be touched. `changed`: runs differ in another way. `tightened` is the contrary of these.
 * `note` changes no run.
 */
export const severities = ["loosened", "breaking", "reaches", "changed", "tightened", "note"] as const;
export type Severity = (typeof severities)[number];

/** A fact about an interface or a configuration. Its key identifies it in both versions. */
export interface Fact {
  readonly key: string;
  readonly value: Json;
  readonly at?: Span;
}

/** A fact in the two versions; undefined where a version has none. */
export interface Change {
  readonly key: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** The meaning of a change for a reviewer. */
export interface Judgement {
  readonly severity: Severity;
  /** A sentence about the interface, without its name and a full stop. */
  readonly text: string;
}

/** One side of a configuration that a reviewer looks at: the facts of this side, and the meaning of their changes. */
export interface Facet {
  readonly name: string;
  /** The facts of an interface. */
  readonly read?: (target: AnalysedInterface, config: AnalysedPlan) => readonly Fact[];
  /** The facts of the configuration itself. */
  readonly readConfig?: (config: AnalysedPlan) => readonly Fact[];
  /** The meaning of a change; several where a fact is a whole of parts. */
  readonly judge: (change: Change) => Judgement | readonly Judgement[] | undefined;
  /** True when the facts are also shown for an interface that is new or removed as a whole. */
  readonly whole?: true;
  /** True when a manifest has only hashes of the values. */
  readonly hashed?: true;
}

/** A part of a plan as plain JSON, without places and without facts that the compiler has added. */
export function bare(part: unknown): Json {
  if (Array.isArray(part)) return part.map(bare);
  if (typeof part !== "object" || part === null) return part === undefined ? null : (part as Json); // the plan is plain data
  if ("op" in part && part.op === "lit" && "value" in part) return { lit: part.value as Json }; // a literal holds JSON
  const entries = Object.entries(part).filter(([key, value]) => !derived.has(key) && value !== undefined);
  return Object.fromEntries(entries.map(([key, value]) => [key, bare(value)]));
}

/** Places, and facts that phase 5 writes. */
const derived: ReadonlySet<string> = new Set(["at", "waits", "resumes", "plain", "keeps", "before", "uses", "enforced", "places"]);

export const equal = (a: Json | undefined, b: Json | undefined): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** The order of keys is no difference. */
function sorted(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => sorted(item) ?? null);
  if (value === undefined || !isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key]) ?? null]));
}

/** A fact, if it has a value. */
export const fact = (key: string, value: unknown, at: Span | undefined): readonly Fact[] =>
  value === undefined ? [] : [{ key, value: bare(value), ...(at && { at }) }];

/** A value for a sentence: short, on one line. */
export function shown(value: Json | undefined): string {
  const plain = asWritten(value ?? null);
  const text = typeof plain === "string" ? plain : JSON.stringify(plain);
  return `\`${text.length > 80 ? `${text.slice(0, 79)}…` : text}\``;
}

/** The members of two records that differ. */
export function differing(before: Json | undefined, after: Json | undefined): readonly string[] {
  const [old, next]: readonly JsonObject[] = [before, after].map(asObject);
  const keys = [...new Set([...Object.keys(old ?? {}), ...Object.keys(next ?? {})])];
  return keys.filter((key) => !equal(old?.[key], next?.[key]));
}
