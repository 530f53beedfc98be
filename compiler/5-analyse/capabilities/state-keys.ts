import type { Expr } from "#runtime/plan/index.ts";
import type { Sources } from "../../4-plan/inference/provenance.ts";
import { isUnset, member } from "./member.ts";
import { nameOf, nameOfText, namesOf } from "./names.ts";
import { all, type Touched } from "./touched.ts";

/** The keys of an operation on the state. `verb` is the word for the operation. Keys without a namespace belong to the configuration. */
export function keysOf(operation: Expr, verb: string, known: Sources, config: string): readonly Touched[] {
  const namespace = member(operation, "namespace");
  const of = isUnset(namespace) ? config : nameOf(namespace, known).name;
  return all("state", namesOf(member(operation, "key"), known)).map((one) => ({ ...one, of, verb }));
}

/** The touch of a name that a marker of `state` reads: `key`, or `namespace.key`. */
export function stored(name: string, config: string): Touched {
  const dot = name.indexOf(".");
  return { kind: "state", name: nameOfText(dot < 0 ? name : name.slice(dot + 1)), of: dot < 0 ? config : name.slice(0, dot), verb: "get" };
}
