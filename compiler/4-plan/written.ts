import type { AnyFeature } from "#runtime/features/feature.ts";
import { bytesOf } from "#runtime/value/bytes.ts";
import { Failure } from "#runtime/value/failure.ts";
import type { Json } from "#runtime/value/json.ts";
import { text } from "#runtime/value/values.ts";
import { get, type Node, plain } from "../1-read/document.ts";
import { sources as codes } from "../diagnostics/codes/actions.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { hasMarker } from "./markers/markers.ts";

/** Asks the fields of a block what the record of its action asks of them. */
export function checkFields(block: Node, { asks = {} }: AnyFeature, report: Report): void {
  for (const [field, ask] of Object.entries(asks)) checkWritten(field, get(block, field), (value) => ask(value as never), report); // such a function takes any JSON
}

/**
 * Asks of a value that is written what its action asks when it runs: a value that it refuses is warned of (PW490). One with a marker waits
 * for its run.
 */
function checkWritten(field: string, node: Node | undefined, ask: (value: Json) => unknown, report: Report): void {
  if (node === undefined || holdsMarker(node)) return;
  const value = plain(node);
  if (value === null) return;
  try {
    ask(value);
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    report(codes.canOnlyFail(field, thrown.message.replace(/^field \w+: /, "")), node.span);
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
