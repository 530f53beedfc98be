import type { Asks } from "#runtime/features/feature.ts";
import type { Span } from "#runtime/plan/index.ts";
import { bytesOf } from "#runtime/value/bytes.ts";
import { Failure } from "#runtime/value/failure.ts";
import type { Json } from "#runtime/value/json.ts";
import { text } from "#runtime/value/values.ts";
import { entriesOf, get, type Node, plain, textOf } from "../1-read/document.ts";
import { hasMarker, parseTemplate } from "../1-read/markers/markers.ts";
import { sources as codes } from "../diagnostics/codes/actions.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { recordOf } from "../records.ts";

/** Checks the fields of a block with the checks (`asks`) of the record of its action. */
export function checkFields(block: Node, asks: Asks = {}, report: Report, hint?: string): void {
  for (const [field, ask] of Object.entries(asks)) {
    const value = get(block, field);
    if (value !== undefined && typeof ask === "object") checkFields(value, ask, report, hint);
    else if (typeof ask === "function") checkWritten(field, value, (json) => ask(json as never), report, hint); // such a function takes any JSON
  }
}

/**
 * Checks a written value with the check of its action at run time, and warns of a value that it refuses (PW490). The warning stands at the
 * refused items of a list or entries of a map. A value with a marker is checked only at run time.
 */
function checkWritten(field: string, node: Node | undefined, ask: (value: Json) => unknown, report: Report, hint?: string): void {
  if (node === undefined) return;
  const refused = ({ value, span, isBlock }: Written): boolean => {
    const problem = problemOf(value, ask);
    if (problem !== undefined) report(codes.canOnlyFail(field, problem, isBlock ? keepsBreak : hint), span);
    return problem !== undefined;
  };
  const value = plain(node);
  if (partsOf(node).filter(refused).length === 0 && value !== null && !holdsMarker(node))
    refused({ value, span: node.span, isBlock: isBlock(node) });
}

interface Written {
  readonly value: Json;
  readonly span: Span;
  /** True for the text of a block, whose final line break may explain the refusal. */
  readonly isBlock: boolean;
}

const keepsBreak = "a text behind | or > ends with a line break, behind |- or >- it does not";

const isBlock = (node: Node): boolean => node.kind === "scalar" && node.block && /[\r\n]$/.test(String(node.value));

/**
 * The items of a list or the entries of a map, each as the only one in a list or map. A text with markers is reduced to its written part.
 */
function partsOf(node: Node): readonly Written[] {
  if (node.kind === "list")
    return node.items.flatMap((item) => (holdsMarker(item) ? [] : { value: [plain(item)], span: item.span, isBlock: isBlock(item) }));
  return entriesOf(node).flatMap(({ key, keySpan, value }) =>
    hasMarker(key) ? [] : { value: { [key]: holdsMarker(value) ? textIn(value) : plain(value) }, span: keySpan, isBlock: isBlock(value) },
  );
}

/** The text beside the markers. */
const textIn = (node: Node): string =>
  parseTemplate(textOf(node) ?? "")
    .parts.flatMap((part) => (part.kind === "text" ? part.text : []))
    .join("");

function problemOf(value: Json, ask: (value: Json) => unknown): string | undefined {
  try {
    ask(value);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    return thrown.message.replace(/^field \w+: /, "");
  }
}

/** Checks the headers of an answer with the checks for headers of a request. */
export function checkHeaders(answer: Node | undefined, report: Report): void {
  const { headers } = recordOf("actions", "http").asks ?? {};
  if (answer !== undefined && headers !== undefined) checkFields(answer, { headers }, report, "the answer is 500 instead");
}

/** Checks that bytes written as base64 are valid base64. */
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
