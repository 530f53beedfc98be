import type { Expr, TextPart } from "#runtime/plan/index.ts";

/**
 * Marks a value for which a run has to wait: jq filters wait, at any depth, and so do all values made of their outputs. Other values stay
 * as they are. `start` is evaluated when the process begins, where no data come from outside.
 */
export function waitingValue(e: Expr): Expr {
  switch (e.op) {
    case "lit":
    case "root":
    case "action":
    case "data":
    case "item":
    case "given":
    case "start":
      return e;
    case "jq":
      return { ...e, filter: waitingValue(e.filter), of: waitingValue(e.of), values: e.values.map(waitingValue), waits: true };
    case "at":
    case "count":
    case "each":
    case "reread":
    case "typed":
      return remade(e, [e.of], ([of = e.of]) => ({ ...e, of }));
    case "or":
      return remade(e, [e.of, e.instead], ([of = e.of, instead = e.instead]) => ({ ...e, of, instead }));
    case "filter":
      return remade(e, [e.of, ...e.args], ([of = e.of, ...args]) => ({ ...e, of, args }));
    case "text":
      return remade(e, holesOf(e.parts), (values) => ({ ...e, parts: filledWith(e.parts, values) }));
    case "join":
    case "list":
      return remade(e, e.items, (items) => ({ ...e, items }));
    case "map": {
      const keys = e.entries.map(([key]) => (typeof key === "string" ? literal(key) : key));
      const all = [...keys, ...e.entries.map(([, value]) => value)];
      return remade(e, all, (waiting) => ({
        ...e,
        entries: e.entries.map(([key, value], i) => [
          typeof key === "string" ? key : (waiting[i] ?? key),
          waiting[i + keys.length] ?? value,
        ]),
      }));
    }
  }
}

/** The value with other parts. It waits when one of its parts waits. */
function remade(e: Expr, parts: readonly Expr[], make: (parts: readonly Expr[]) => Expr): Expr {
  const waiting = parts.map(waitingValue);
  return waiting.some(({ waits }) => waits) ? { ...make(waiting), waits: true } : e;
}

const literal = (value: string): Expr => ({ op: "lit", value });

const holesOf = (parts: readonly TextPart[]): Expr[] => parts.flatMap((part) => (typeof part === "string" ? [] : [part.of]));

function filledWith(parts: readonly TextPart[], values: readonly Expr[]): TextPart[] {
  let hole = 0;
  return parts.map((part) => (typeof part === "string" ? part : { ...part, of: values[hole++] ?? part.of }));
}

/** `waits: true` when one of the values of an op waits. */
export const anyWaits = (...values: readonly (Expr | undefined)[]): { readonly waits?: true } =>
  values.some((value) => value?.waits) ? { waits: true } : {};
