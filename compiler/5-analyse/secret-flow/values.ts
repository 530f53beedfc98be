import { filters } from "#runtime/features/filters/index.ts";
import type { Expr, Span } from "#runtime/plan/index.ts";
import { throughJq } from "./jq.ts";
import { anywhere, at, changed, clean, elements, inItems, inMembers, mapped, type Taint, union, unionOf, whole } from "./taint.ts";

/** The secrets in the values that an expression may read. */
export interface Scope {
  readonly root: (e: Extract<Expr, { op: "root" }>) => Taint;
  readonly body: Taint;
  /** Data of actions of the list, by name. */
  readonly actions: ReadonlyMap<string, Taint>;
  /** The scope of the list around, in a loop. */
  readonly outer?: Scope;
  readonly data: Taint;
  readonly item: Taint;
  readonly given: readonly Taint[];
}

/** The secrets in the value of an expression. */
export function taintOf(e: Expr, scope: Scope): Taint {
  const of = (each: Expr): Taint => taintOf(each, scope);
  switch (e.op) {
    case "lit":
    case "count":
      return clean;
    case "root":
      return rootTaint(e, scope);
    case "action":
      return readAt(actionsAround(e.up ?? 0, scope)?.get(e.name) ?? clean, e.at);
    case "data":
      return readAt(scope.data, e.at);
    case "item":
      return scope.item;
    case "given":
      return scope.given[e.index] ?? clean;
    case "at":
      return readAt(at(of(e.of), e.path), e.at);
    case "each":
      return readAt(inItems(at(elements(of(e.of)), e.path)), e.at);
    case "or":
      return union(of(e.of), of(e.instead));
    case "filter":
      return filtered(e, scope);
    case "jq": {
      const values = new Map(e.values.map((value, i) => [`__${i}`, of(value)] as const));
      return throughJq(e.filter.op === "lit" ? String(e.filter.value) : undefined, of(e.of), values);
    }
    case "text": {
      const query = queryStart(e);
      const parts = e.parts.map((part, i) => {
        if (typeof part === "string") return clean;
        return i < query ? of(part.of) : mapped(of(part.of), (way) => ({ ...way, query: true }));
      });
      return e.parts.length === 1 ? unionOf(parts) : whole(unionOf(parts.map(whole)));
    }
    case "join":
      return unionOf(e.items.length === 1 ? e.items.map(of) : e.items.map((item) => whole(of(item))));
    case "start":
    case "reread":
    case "typed":
      return of(e.of);
    case "list":
      return inItems(unionOf(e.items.map(of)));
    case "map":
      return unionOf(e.entries.map(([key, value]) => member(key, value, scope)));
  }
}

/** The index of the first part of an address behind its question mark; infinity if the text is no address with a query. */
function queryStart({ parts: [first, ...rest] }: Extract<Expr, { op: "text" }>): number {
  if (typeof first !== "string" || !/^https?:\/\//i.test(first)) return Number.POSITIVE_INFINITY;
  const place = [first, ...rest].findIndex((part) => typeof part === "string" && part.includes("?"));
  return place < 0 ? Number.POSITIVE_INFINITY : place;
}

/** The value, with the marker that reads it noted in each way. */
export const readAt = (of: Taint, at: Span | undefined): Taint => (at === undefined ? of : mapped(of, (way) => ({ ...way, read: at })));

function member(key: string | Expr, value: Expr, scope: Scope): Taint {
  if (typeof key === "string") return inMembers([[key, taintOf(value, scope)]]);
  return union(whole(taintOf(key, scope)), whole(taintOf(value, scope)));
}

function rootTaint(e: Extract<Expr, { op: "root" }>, scope: Scope): Taint {
  if (e.root === "body") return scope.body;
  if (e.root === "settled") return inMembers(scope.actions);
  return scope.root(e);
}

const actionsAround = (up: number, scope: Scope | undefined): Scope["actions"] | undefined =>
  up === 0 ? scope?.actions : actionsAround(up - 1, scope?.outer);

/** Filters that give their input, or the part of it that their argument names. */
const selecting: ReadonlySet<string> = new Set(["stored", "access", "path", "leaf"]);

function filtered({ use, of, args }: Extract<Expr, { op: "filter" }>, scope: Scope): Taint {
  if (filters[use]?.hides === true) return clean;
  const value = taintOf(of, scope);
  if (use === "stored") return value;
  if (selecting.has(use)) return whole(value);
  return changed(union(whole(value), ...args.map((arg) => whole(taintOf(arg, scope)))));
}

/** The secrets in a value that was made of all these values in an unknown way. */
export const mixed = (...all: readonly Taint[]): Taint => changed(anywhere(all.flatMap((each) => whole(each).anywhere)));
