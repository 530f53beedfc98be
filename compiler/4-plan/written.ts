import type { Asks } from "#runtime/features/feature.ts";
import { bytesOf } from "#runtime/value/bytes.ts";
import { Failure } from "#runtime/value/failure.ts";
import type { Json } from "#runtime/value/json.ts";
import { text } from "#runtime/value/values.ts";
import { get, items, type Node, plain } from "../1-read/document.ts";
import { sources as codes } from "../diagnostics/codes/actions.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { hasMarker } from "./markers/markers.ts";

/** Asks the fields of a block what the record of its action asks of them. */
export function checkFields(block: Node, asks: Asks = {}, report: Report): void {
  for (const [field, ask] of Object.entries(asks)) {
    const value = get(block, field);
    if (value !== undefined && typeof ask === "object") checkFields(value, ask, report);
    else if (typeof ask === "function") checkWritten(field, value, (json) => ask(json as never), report); // such a function takes any JSON
  }
}

/**
 * Asks of a value that is written what its action asks when it runs: a value that it refuses is warned of (PW490), of a list the items that
 * it refuses alone. One with a marker waits for its run.
 */
function checkWritten(field: string, node: Node | undefined, ask: (value: Json) => unknown, report: Report): void {
  if (node === undefined) return;
  const refuses = (asked: Node, value: Json): boolean => {
    const problem = value === null || holdsMarker(asked) ? undefined : problemOf(value, ask);
    if (problem !== undefined) report(codes.canOnlyFail(field, problem), asked.span);
    return problem !== undefined;
  };
  const refused = items(node).filter((item) => refuses(item, [plain(item)]));
  if (refused.length === 0) refuses(node, plain(node));
}

function problemOf(value: Json, ask: (value: Json) => unknown): string | undefined {
  try {
    ask(value);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    return thrown.message.replace(/^field \w+: /, "");
  }
}

/** Bytes that are written as base64 are base64. */
export function checkBase64(field: string, node: Node | undefined, report: Report): void {
  const ask = (value: Json): void => {
    if (bytesOf(text(value), "base64") === undefined) throw new Failure("evaluation", "not base64");
  };
  checkWritten(field, node, ask, report);
}

function holdsMarker(node: Node): boolean {
  switch (node.kind) {
    case "scalar":
      return typeof node.value === "string" && hasMarker(node.value);
    case "list":
      return node.items.some(holdsMarker);
    case "map":
      return node.entries.some(({ key, value }) => hasMarker(key) || holdsMarker(value));
  }
}
