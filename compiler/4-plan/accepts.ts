import type { Json } from "#runtime/json.ts";
import { entry, flag, get, items, type Node, plain } from "../1-read/document.ts";
import { contracts as codes } from "../diagnostics/codes/contracts.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { schemaFaults, uncheckedParts } from "./json-schema.ts";

/** The schema of `accepts` that requests must satisfy: with `enforce: true`, and undefined else. What is wrong with a schema is said in any case. */
export function planAccepts(accepts: Node | undefined, report: Report): Json | undefined {
  const isEnforced = flag(accepts, "enforce");
  const written = entry(accepts, "schema");
  if (written === undefined) {
    const enforce = entry(accepts, "enforce");
    if (isEnforced && enforce !== undefined) report(codes.nothingToEnforce(), enforce.keySpan);
    return undefined;
  }
  const schema = plain(written.value);
  const faults = schemaFaults(schema);
  for (const { path, reason } of faults) report((isEnforced ? codes.badSchema : codes.badDescription)(reason), spanAt(written.value, path));
  if (faults.length > 0 || !isEnforced) return undefined;
  for (const reason of uncheckedParts(schema)) report(codes.unchecked(reason), written.keySpan);
  return schema;
}

/** The place in the file, as near as it is written there. */
function spanAt(node: Node, [step, ...rest]: readonly string[]): Node["span"] {
  const next = step === undefined ? undefined : (items(node)[Number(step)] ?? get(node, step));
  return next === undefined ? node.span : spanAt(next, rest);
}
