import type { Span } from "#runtime/plan/index.ts";
import { isObject, type Json, type JsonObject } from "#runtime/value/json.ts";
import type { AnalysedInterface, AnalysedPlan } from "../5-analyse/analysed.ts";
import { asWritten } from "./as-written.ts";

/**
 * How much a difference matters to a reviewer. `loosened`: something is open, shown or unchecked that was not. `breaking`: callers that
 * worked may fail. `reaches`: something outside may be touched that was not. `changed`: runs differ in another way. `tightened` is the
 * contrary of these, `note` changes no run.
 */
export const severities = ["loosened", "breaking", "reaches", "changed", "tightened", "note"] as const;
export type Severity = (typeof severities)[number];

/** One thing that is true of an interface or a configuration. Its key names it in both versions. */
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

/** One side of a configuration that a reviewer looks at: which facts it has, and what a change of one means. */
export interface Facet {
  readonly name: string;
  /** The facts of an interface. */
  readonly read?: (target: AnalysedInterface, config: AnalysedPlan) => readonly Fact[];
  /** The facts of the configuration itself. */
  readonly readConfig?: (config: AnalysedPlan) => readonly Fact[];
  /** The meaning of a change; several where a fact is a whole of parts. */
  readonly judge: (change: Change) => Judgement | readonly Judgement[] | undefined;
  /** True when the facts are shown also for an interface that is new or gone as a whole. */
  readonly whole?: true;
  /** A manifest holds only hashes of its values. */
  readonly hashed?: true;
}

/** A part of a plan as plain JSON, without places and without what the compiler found out about it. */
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

/** A fact where the value is there. */
export const fact = (key: string, value: unknown, at: Span | undefined): readonly Fact[] =>
  value === undefined ? [] : [{ key, value: bare(value), ...(at && { at }) }];

/** A value in a sentence: short, on one line. */
export function shown(value: Json | undefined): string {
  const plain = asWritten(value ?? null);
  const text = typeof plain === "string" ? plain : JSON.stringify(plain);
  return `\`${text.length > 80 ? `${text.slice(0, 79)}…` : text}\``;
}

/** The members of two records that differ. */
export function differing(before: Json | undefined, after: Json | undefined): readonly string[] {
  const [old, next]: readonly JsonObject[] = [before, after].map((one) => (one !== undefined && isObject(one) ? one : {}));
  const keys = [...new Set([...Object.keys(old ?? {}), ...Object.keys(next ?? {})])];
  return keys.filter((key) => !equal(old?.[key], next?.[key]));
}
