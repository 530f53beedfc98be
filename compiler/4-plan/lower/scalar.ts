import type { Span } from "#runtime/plan/index.ts";
import type { Entry, ScalarNode } from "../../1-read/document.ts";
import type { Marker } from "../../1-read/markers/marker.ts";
import { type Parsed, parseTemplate } from "../../1-read/markers/markers.ts";
import type { Finding, Report } from "../../diagnostics/diagnostic.ts";

/** A scalar whose markers have been found, and where they stand in the file. */
export interface Scalar {
  readonly node: ScalarNode;
  readonly template: Parsed;
  /** True when no mistake was found: an error of a scalar is reported once, and then nothing else is reported about the scalar. */
  readonly sound: boolean;
}

/** Parses the text of a scalar and reports what is wrong with its markers. */
export function readScalar(node: ScalarNode, report: Report, options: { readonly code?: boolean } = {}): Scalar {
  const template = parseTemplate(String(node.value ?? ""), options);
  for (const { finding, start, end } of template.problems) reportAt(finding, { start, end }, { node, template }, report);
  return { node, template, sound: template.problems.every(({ finding }) => finding.severity !== "error") };
}

/** A key as a scalar, for keys that hold markers. */
export function keyScalar({ key, keySpan }: Entry): ScalarNode {
  const quotes = keySpan.end - keySpan.start - key.length;
  const source = quotes === 0 ? key : quotes === 2 ? `"${key}"` : "";
  return { kind: "scalar", span: keySpan, value: key, block: false, source };
}

/** Reports a finding at a part of the text. */
export function reportAt(
  finding: Finding,
  part: Pick<Marker, "start" | "end">,
  scalar: Pick<Scalar, "node" | "template">,
  report: Report,
): void {
  const exact = exactSpan(part, scalar);
  // A replacement for the part must not replace the whole scalar.
  const { instead: _, ...vague } = finding;
  report(exact === undefined ? vague : finding, exact ?? scalar.node.span);
}

/** The place of a part of the text: its exact place where the source has the same text, else the whole scalar. */
export function spanOf(part: Pick<Marker, "start" | "end">, scalar: Pick<Scalar, "node" | "template">): Span {
  return exactSpan(part, scalar) ?? scalar.node.span;
}

/** Looks for the same occurrence of the text in the source, where quotes, indentation and escapes shift its position. */
function exactSpan({ start, end }: Pick<Marker, "start" | "end">, { node, template }: Pick<Scalar, "node" | "template">): Span | undefined {
  const part = template.text.slice(start, end);
  const offset = offsetsOf(part, node, template.text).get(start);
  if (offset === undefined) return undefined;
  return { file: node.span.file, start: node.span.start + offset, end: node.span.start + offset + part.length };
}

/** The place of each occurrence of a part in the source of a text; empty when the source has more or fewer occurrences. */
function offsetsOf(part: string, node: ScalarNode, text: string): ReadonlyMap<number, number> {
  const parts = occurrences.get(node) ?? new Map<string, { readonly text: string; readonly offsets: ReadonlyMap<number, number> }>();
  occurrences.set(node, parts);
  const before = parts.get(part);
  if (before !== undefined && before.text === text) return before.offsets;
  const [inText, inSource] = [positions(text, part), positions(node.source, part)];
  const offsets = new Map(inText.length === inSource.length ? inText.map((at, i) => [at, inSource[i] ?? at] as const) : []);
  parts.set(part, { text, offsets });
  return offsets;
}

/** Occurrences that were found in a scalar: a text may hold a marker thousands of times. */
const occurrences = new WeakMap<ScalarNode, Map<string, { readonly text: string; readonly offsets: ReadonlyMap<number, number> }>>();

function positions(text: string, part: string): number[] {
  const offsets: number[] = [];
  if (part === "") return offsets;
  for (let i = text.indexOf(part); i >= 0; i = text.indexOf(part, i + part.length)) offsets.push(i);
  return offsets;
}
