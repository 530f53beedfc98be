import type { Expr, InterfacePlan, Span } from "#runtime/plan/index.ts";
import { type Member, nothing, notNull, object, type Shape, union } from "#runtime/shapes/shape.ts";
import { nearest, slipOf } from "../../diagnostics/nearest.ts";
import { exprShape, mayBeNull } from "./exprs.ts";
import { routeNames } from "./roots.ts";
import type { ShapeScope } from "./scope.ts";
import { afterTests } from "./tests.ts";

/** The parameters that markers of an interface read. */
export class ParameterReads {
  readonly #places = new Map<string, (Span | undefined)[]>();
  #whole = false;

  /** Adds a parameter; without a name, all parameters are read. */
  add(name: string | undefined, at?: Span | undefined): void {
    if (name === undefined) this.#whole = true;
    else this.#places.set(name, [...(this.#places.get(name) ?? []), at]);
  }

  /**
   * Notes names that look misspelt: nearly the name of a declared parameter that nothing reads, or one keystroke from any declared name.
   * Other unknown names are allowed, because a caller may send any parameter in the query.
   */
  judge({ route, params }: InterfacePlan, note: ShapeScope["note"]): void {
    if (this.#whole) return;
    const declared = params.map(({ name }) => name);
    const routeParams = routeNames(route);
    const unread = [...routeParams, ...declared].filter((name) => !this.#places.has(name));
    const all = [...routeParams, ...declared];
    for (const [name, places] of this.#places) {
      // A declared name that is read elsewhere counts only if it differs by one keystroke, because a caller may send both names.
      const meant = all.includes(name) ? undefined : (nearest(name, unread) ?? slipOf(name, all));
      const of = { name, meant, inRoute: routeParams.includes(meant ?? ""), isUnread: unread.includes(meant ?? "") };
      for (const at of places) note.parameter(of, at);
    }
  }
}

/** The effective values of the declared parameters, beside undeclared parameters (spec/language 6.6). */
export function paramsShape(plan: InterfacePlan, scope: ShapeScope): Shape {
  const paramsRoot = scope.roots.get("params");
  if (paramsRoot?.type !== "object") throw new Error("parameters are an object");
  const members = new Map<string, Member>(paramsRoot.members);
  for (const { name, value, validate, at } of plan.params) {
    // A reading in the parameter's own declaration does not count.
    const inner: ShapeScope = { ...scope, at: at ?? scope.at, ...(readsItself(value, name) ? { parameters: new ParameterReads() } : {}) };
    const shape = exprShape(value, inner);
    const tested = validate === undefined ? shape : afterTests([validate], shape, { ...inner, data: shape });
    members.set(name, { shape: validate?.required ? notNull(tested) : validate?.spares ? orAbsent(tested, shape) : tested });
  }
  return object(members, paramsRoot.rest);
}

/** The shape of an optional parameter: it has passed its test, or it is null. */
const orAbsent = (tested: Shape, shape: Shape): Shape => (mayBeNull(shape) ? union(tested, nothing) : tested);

function readsItself(value: Expr, name: string): boolean {
  if (value.op === "or") return readsItself(value.of, name);
  return value.op === "at" && value.of.op === "root" && value.of.root === "params" && value.path[0] === name;
}
