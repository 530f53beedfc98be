import type { Filter, MatcherOptions } from "../features/feature.ts";
import type { JqFilter } from "../languages/jq.ts";
import { sql_identifier, sql_string, sql_value } from "../languages/sql-literal.ts";
import type { Coercion, Expr, Fill, JqPlan, TextPart } from "../plan/index.ts";
import type { Secret } from "../run/around/secrets.ts";
import type { StreamArgs } from "../run/forwarding.ts";
import type { Act, ActSpec, Run } from "../run/run.ts";
import type { Verdict } from "../run/verdict.ts";
import * as fill from "../value/holes.ts";
import { type Json, own } from "../value/json.ts";
import { timestamp } from "../value/timestamp.ts";
import * as values from "../value/values.ts";
import { at, count, each, entries, entryKey, join, needed, reread, text } from "../value/values.ts";
import type { Observer } from "./observer.ts";

/**
 * Stage 1 of a feature. The compiler has checked the arguments, so that a feature may declare narrower ones: these are methods, whose
 * parameters TypeScript does not compare strictly.
 */
export interface Staged<Ready = unknown> {
  prepare?(args: unknown): Ready;
  /** Prepares the feature with a pattern that is a regular expression of JavaScript. */
  native?(args: unknown, pattern: RegExp): Ready;
}
export interface TransformPart extends Staged {
  run(data: Json, ready: unknown, act: Act): Json | Promise<Json>;
}
export type MatcherPart = Staged & { holds?(target: Json, ready: unknown): boolean } & (
    | { readonly inRun?: never; run(target: Json, ready: unknown, options?: MatcherOptions): Verdict }
    | { readonly inRun: true; run(target: Json, ready: unknown, cx: Run, options?: MatcherOptions): Verdict | Promise<Verdict> }
  );

/** The features that a plan names. A module passes only those that it uses, so that a bundle stays small. */
export interface Parts {
  readonly transforms?: Readonly<Record<string, TransformPart>>;
  readonly matchers?: Readonly<Record<string, MatcherPart>>;
  readonly actions?: Readonly<Record<string, (act: Act, args: never) => Promise<Json>>>;
  /** `database` actions, each bound to its database. */
  readonly databases?: Readonly<Record<string, (act: Act, args: never) => Promise<Json>>>;
  /** `global.secrets`; any other secret is a managed variable. */
  readonly secrets?: Readonly<Record<string, Secret>>;
  readonly filters?: Readonly<Record<string, Filter>>;
  /** Runs jq filters. */
  readonly jq?: Pick<typeof import("../languages/jq.ts"), "jq" | "asyncJq">;
  /** True when the run accepts its request. */
  readonly accepts?: (cx: Run) => boolean;
  /** Forwards a stream. */
  readonly stream?: (args: (act: Act) => StreamArgs) => NonNullable<ActSpec["stream"]>;
}

/**
 * The surroundings in which an expression is evaluated. `data` is the action's own data; `act` is absent in the templates of the response.
 */
export interface Scope {
  readonly cx: Run;
  readonly parts: Parts;
  readonly acts: Map<string, Act>;
  /** The scope of the list around this one, in a loop. */
  readonly outer?: Scope;
  readonly act?: Act;
  readonly data?: Json;
  readonly item?: Json;
  /** The values that `given` reads. */
  readonly values?: readonly Json[];
  /** Notes what is done, where a test measures coverage. */
  readonly observer?: Observer;
  /** Results of stage 1 of static arguments, kept for the life of the plan. */
  readonly ready: WeakMap<Expr, unknown>;
}

/** Evaluates an expression of the plan; compiler/6-print/exprs.ts prints the same calls, case by case. */
export function evaluate(e: Expr, s: Scope): Json {
  switch (e.op) {
    case "lit":
      return e.value;
    case "root":
      return root(e.root, e.name, s);
    case "action":
      return dataOf(e.name, aroundOf(e.up ?? 0, s));
    case "data":
      return s.data ?? null;
    case "item":
      return s.item ?? null;
    case "given":
      return s.values?.[e.index] ?? null;
    case "at":
      return at(evaluate(e.of, s), ...e.path);
    case "count":
      return count(evaluate(e.of, s));
    case "each":
      return each(evaluate(e.of, s), ...e.path);
    case "or": {
      const value = evaluate(e.of, s);
      s.observer?.fallback(e, value === null);
      return value ?? evaluate(e.instead, s);
    }
    case "filter":
      return part(s.parts.filters, e.use).run(
        evaluate(e.of, s),
        e.args.map((arg) => evaluate(arg, s)),
        now(s),
      );
    case "jq":
      return jqOf(s).jq(s.cx.host, filterOf(e, s), evaluate(e.of, s), e.label);
    case "text":
      return e.parts.map((part) => filled(part, s)).join("");
    case "join":
      return join(...e.items.map((item) => evaluate(item, s)));
    case "reread":
      return reread(evaluate(e.of, s));
    case "typed":
      return e.required ? needed(coerce(e.as, evaluate(e.of, s), e.field), e.field, e.as) : coerce(e.as, evaluate(e.of, s), e.field);
    case "start":
      return evaluate(e.of, s);
    case "list":
      return e.items.map((item) => evaluate(item, s));
    case "map":
      return entries(
        ...e.entries.map(([key, value]) => [typeof key === "string" ? key : entryKey(evaluate(key, s)), evaluate(value, s)] as const),
      );
  }
}

/**
 * Evaluates a value with a part that may wait for jq. The parts are evaluated one after the other, in the order of the printed expression.
 */
export async function evaluateLater(e: Expr, s: Scope): Promise<Json> {
  if (!e.waits) return evaluate(e, s);
  const later = (of: Expr): Promise<Json> => evaluateLater(of, s);
  switch (e.op) {
    case "lit":
    case "root":
    case "action":
    case "data":
    case "item":
    case "given":
    case "start":
      return evaluate(e, s);
    case "at":
      return at(await later(e.of), ...e.path);
    case "count":
      return count(await later(e.of));
    case "each":
      return each(await later(e.of), ...e.path);
    case "or": {
      const value = await later(e.of);
      s.observer?.fallback(e, value === null);
      return value ?? later(e.instead);
    }
    case "filter":
      return part(s.parts.filters, e.use).run(await later(e.of), await inOrder(e.args, later), now(s));
    case "jq":
      return jqOf(s).asyncJq(s.cx.host, await filterLater(e, s), await later(e.of), e.label, s.act?.signal ?? s.cx.signal);
    case "text":
      return (await inOrder(e.parts, async (part) => (typeof part === "string" ? part : filledWith(part, await later(part.of))))).join("");
    case "join":
      return join(...(await inOrder(e.items, later)));
    case "reread":
      return reread(await later(e.of));
    case "typed": {
      const value = coerce(e.as, await later(e.of), e.field);
      return e.required ? needed(value, e.field, e.as) : value;
    }
    case "list":
      return inOrder(e.items, later);
    case "map":
      return entries(
        ...(await inOrder(
          e.entries,
          async ([key, value]) => [typeof key === "string" ? key : entryKey(await later(key)), await later(value)] as const,
        )),
      );
  }
}

/** Gives the value, or a promise when it waits. */
export const evaluated = (e: Expr, s: Scope): Json | Promise<Json> => (e.waits ? evaluateLater(e, s) : evaluate(e, s));

/** Evaluates parts one after the other: each begins when those before it are ready. */
export async function inOrder<Part, Result>(parts: readonly Part[], of: (part: Part) => Result | Promise<Result>): Promise<Result[]> {
  const out: Result[] = [];
  for (const part of parts) out.push(await of(part));
  return out;
}

function jqOf({ parts }: Scope): NonNullable<Parts["jq"]> {
  if (parts.jq === undefined) throw new Error("the module lacks jq");
  return parts.jq;
}

const filterOf = ({ filter, values, secret }: JqPlan, s: Scope): JqFilter => ({
  text: text(evaluate(filter, s)),
  values: values.map((value) => evaluate(value, s)),
  ...(secret ? { secret } : {}),
});

async function filterLater({ filter, values, secret }: JqPlan, s: Scope): Promise<JqFilter> {
  return {
    text: text(await evaluateLater(filter, s)),
    values: await inOrder(values, (value) => evaluateLater(value, s)),
    ...(secret ? { secret } : {}),
  };
}

function root(name: string, argument: string | undefined, s: Scope): Json {
  switch (name) {
    case "body":
    case "raw_body":
    case "params":
    case "headers":
    case "ip":
    case "request":
      return s.cx[name];
    case "settled":
      return s.act?.earlier ?? null;
    case "env":
    case "var":
    case "ap_var":
    case "secret":
    case "state":
      return s.cx[name](argument ?? "");
    case "uuid":
      return s.cx.uuid();
    case "timestamp":
      return timestamp(now(s), argument ?? "s");
    default:
      throw new Error(`unknown root ${name}`);
  }
}

const fills: Readonly<Record<Fill | "raw", (value: Json, dialect: string) => string>> = {
  ...fill,
  text,
  raw: text,
  sql_value,
  sql_string,
  sql_identifier,
};

function filled(part: TextPart, s: Scope): string {
  return typeof part === "string" ? part : filledWith(part, evaluate(part.of, s));
}

const filledWith = ({ fill, dialect }: Exclude<TextPart, string>, value: Json): string => fills[fill](value, dialect ?? "");

function coerce(as: Coercion, value: Json, field: string): Json {
  switch (as) {
    case "string":
      return values.string(value);
    case "number":
    case "integer":
    case "boolean":
    case "strings":
      return values[as](value, field);
    case "duration":
      return values.milliseconds(value, field);
    case "seconds":
      return values.milliseconds(value, field, 1000);
  }
}

const now = (s: Scope): number => s.act?.now ?? s.cx.host.now();

/** The data of an action; null in the `log` of a run that has ended before its actions began. */
const dataOf = (name: string, s: Scope): Json => (s.acts.size === 0 ? null : actOf(name, s).data);

export function actOf(name: string, s: Scope): Act {
  const act = s.acts.get(name);
  if (act === undefined) throw new Error(`the plan starts ${name} too late`);
  return act;
}

/** The scope that is `up` loops further out. */
function aroundOf(up: number, s: Scope): Scope {
  let around = s;
  for (let i = 0; i < up; i++) {
    if (around.outer === undefined) throw new Error("the plan leaves a loop that is not there");
    around = around.outer;
  }
  return around;
}

/** The feature that a plan names. */
export function part<V>(table: Readonly<Record<string, V>> | undefined, name: string): V {
  const member = table === undefined ? undefined : own(table, name);
  if (member === undefined) throw new Error(`the module lacks ${name}`);
  return member;
}
