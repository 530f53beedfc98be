import { actions } from "#generated/features.ts";
import { entriesOf, entry, isNull, type Node } from "../../1-read/document.ts";
import { cloud as codes } from "../../diagnostics/codes/cloud.ts";
import { shape } from "../../diagnostics/codes/file.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { lower } from "../lower/values.ts";
import { operationsOf } from "../operations.ts";
import type { Planner } from "./planner.ts";

const operations = operationsOf(actions.aws.schema);

/** Fields of an operation of which exactly one is written. */
const alternatives: Readonly<Record<string, readonly string[]>> = {
  upload_object: ["base64_bytes", "content"],
  publish: ["topic_arn", "target_arn", "phone_number"],
};

/** Plans the one operation, with the settings of its credential. */
export const planner: Planner = {
  check(block, { at }, cx) {
    const entries = entriesOf(block).filter(({ key, value }) => operations.includes(key) && !isNull(value));
    if (block.kind === "map" && entries.length !== 1) cx.report(codes.operation("aws", operations), entries[1]?.keySpan ?? at);
    for (const { key, keySpan, value } of entries) checkAlternatives(key, value, keySpan, cx.report);
  },
  plan: (block, { around }, cx) =>
    around.credentials.fill(lower(block, actions.aws.schema, cx, { field: "aws", required: true }), block, "aws", cx),
};

function checkAlternatives(operation: string, block: Node, at: Node["span"], report: Report): void {
  const keys = alternatives[operation];
  if (keys === undefined || block.kind !== "map") return;
  const [first, second] = keys.flatMap((key) => entry(block, key) ?? []);
  if (first === undefined) report(shape.missingKey(keys.join("' or '"), operation), at);
  else if (second !== undefined) report(shape.exclude(first.key, second.key), second.keySpan);
}
