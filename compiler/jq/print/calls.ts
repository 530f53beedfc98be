import { type Code, code } from "../../6-print/code.ts";
import type { Jq } from "../parse/tree.ts";
import { functions, isSingle, keyOf, overElements } from "./cardinality.ts";
import { Falls } from "./constants.ts";
import { arrow, call, elementOf, helper, type JqPlace } from "./place.ts";
import { single } from "./single.ts";
import { emitted } from "./streams.ts";
import { pathOf } from "./updates.ts";

type Call = Extract<Jq, { kind: "call" }>;

/** Prints a call that has one output. */
export function callValue(jq: Call, p: JqPlace): Code {
  const key = keyOf(jq);
  const [first] = jq.args;
  if (Object.hasOwn(functions, key)) return call(helper(functions[key] ?? ""), p.input, ...jq.args.map((arg) => single(arg, p)));
  if (overElements.has(key) && first !== undefined) return overEach(jq, first, p);
  switch (key) {
    case "first/0":
      return call(helper("get"), p.input, code`0`);
    case "last/0":
      return call(helper("get"), p.input, code`-1`);
    case "error/0":
      return call(helper("error"), p.input);
    case "error/1":
      if (first === undefined || !isSingle(first)) break;
      return call(helper("error"), p.value(first, p));
    case "add/1":
      if (first === undefined) break;
      return call(helper("reduce"), emitted(first, p), code`null`, helper("plus"));
    case "del/1":
      if (first === undefined) break;
      return call(helper("remove"), p.input, pathOf(first));
    default:
  }
  throw new Falls(key, jq);
}

/** Prints `map(f)` and similar calls. A filter with several outputs is possible only where the call makes a list. */
function overEach(jq: Call, filter: Jq, p: JqPlace): Code {
  if (isSingle(filter))
    return call(
      helper(jq.name),
      p.input,
      arrow(p, itemName(jq, p), (inner) => p.value(filter, inner)),
    );
  const { start, end } = jq;
  const items: Jq = { kind: "iterate", of: { kind: "identity", start, end }, optional: false, start, end };
  if (jq.name === "map") return call(helper("collect"), emitted({ kind: "pipe", left: items, right: filter, start, end }, p));
  if (jq.name === "with_entries") {
    const entries: Jq = { kind: "call", name: "to_entries", args: [], start, end };
    const mapped: Jq = { kind: "pipe", left: { ...items, of: entries }, right: filter, start, end };
    return call(helper("from_entries"), call(helper("collect"), emitted(mapped, p)));
  }
  if (jq.name.endsWith("_by")) return byList(jq, filter, p);
  throw new Falls(`${jq.name} with several outputs`, filter);
}

/** Prints a call such as `sort_by(f)` for a filter with several outputs, which are compared as lists. */
function byList(jq: Call, filter: Jq, p: JqPlace): Code {
  const { start, end } = filter;
  const list: Jq = { kind: "list", items: filter, start, end };
  return call(
    helper(jq.name),
    p.input,
    arrow(p, itemName(jq, p), (inner) => p.value(list, inner)),
  );
}

/** A name for an element, taken from the last member of the input's path. */
function itemName({ name }: Call, { input }: JqPlace): string {
  if (name === "with_entries") return "entry";
  const [, key = ""] = /"(\w+)"\)$/.exec(input) ?? [];
  return elementOf({
    kind: "index",
    of: { kind: "identity", start: 0, end: 0 },
    key: { kind: "string", parts: [key], start: 0, end: 0 },
    optional: false,
    start: 0,
    end: 0,
  });
}
