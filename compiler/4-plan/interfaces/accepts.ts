import type { Span } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import { type Entry, entriesOf, entry, flag, get, items, type Node, plain } from "../../1-read/document.ts";
import { type ContractPart, contracts as codes } from "../../diagnostics/codes/contracts.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { schemaFaults, uncheckedParts } from "./json-schema.ts";

/**
 * The schema of `accepts` that requests must satisfy, with `enforce: true`; otherwise undefined. Mistakes in the schema are reported in any
 * case.
 */
export function planAccepts(accepts: Node | undefined, report: Report): Json | undefined {
  const isEnforced = flag(accepts, "enforce");
  if (entry(accepts, "schema") !== undefined || isEnforced) return enforced("accepts", accepts, isEnforced, report)?.schema;
  return undefined;
}

/** The place of the schema of `produces` with which `dev` compares answers, with `enforce: true`; otherwise undefined. */
export function planProduces(produces: Node | undefined, report: Report): Span | undefined {
  return flag(produces, "enforce") ? enforced("produces", produces, true, report)?.at : undefined;
}

interface Enforced {
  readonly schema: Json;
  readonly at: Span;
}

function enforced(part: ContractPart, contract: Node | undefined, isEnforced: boolean, report: Report): Enforced | undefined {
  const member = entry(contract, "schema");
  if (member === undefined) {
    const enforce = entry(contract, "enforce");
    if (enforce !== undefined) report(codes.nothingToEnforce(part), enforce.keySpan);
    return undefined;
  }
  const schema = plain(member.value);
  const faults = schemaFaults(schema).filter(({ remedy }) => isEnforced || remedy === undefined);
  const code = isEnforced ? codes.badSchema : codes.badDescription;
  for (const { path, reason, remedy } of faults)
    report(remedy === undefined ? code(reason, part) : codes.undecidable(reason, remedy, part), spanAt(member.value, path));
  if (faults.length === 0 && !isEnforced) checkNames(member, schema, part, report);
  if (faults.length > 0 || !isEnforced) return undefined;
  for (const { path, reason } of uncheckedParts(schema)) report(codes.unchecked(reason, part), keyAt(member.value, path) ?? member.keySpan);
  return { schema, at: member.keySpan };
}

/** Warns of a map of names in place of a schema, in which no key is a keyword: `{ email: string }`. */
function checkNames({ value }: Entry, schema: Json, part: ContractPart, report: Report): void {
  const keys = entriesOf(value).map(({ key }) => key);
  const unknown = uncheckedParts(schema).filter(({ path }) => path.length === 1);
  if (keys.length > 0 && unknown.length === keys.length)
    report(codes.namesForSchema(keys[0] ?? "", part), entriesOf(value)[0]?.keySpan ?? value.span);
}

/** The place of the key to which a path leads; of a `format`, which names its mistake, that of its value. */
function keyAt(node: Node, path: readonly string[]): Span | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return undefined;
  const member = entry(node, step);
  if (rest.length === 0) return step === "format" ? member?.value.span : member?.keySpan;
  const next = items(node)[Number(step)] ?? member?.value;
  return next === undefined ? undefined : keyAt(next, rest);
}

/** The place in the file, as near as it is written there. */
function spanAt(node: Node, [step, ...rest]: readonly string[]): Node["span"] {
  const next = step === undefined ? undefined : (items(node)[Number(step)] ?? get(node, step));
  return next === undefined ? node.span : spanAt(next, rest);
}
