import { isInexact } from "../../1-read/inexact.ts";
import { type JsonNode, readJsonTemplate, written } from "../../1-read/markers/json-grammar.ts";
import type { Marker } from "../../1-read/markers/marker.ts";
import { onlyMarker } from "../../1-read/markers/markers.ts";
import { yaml } from "../../diagnostics/codes/yaml.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { inTemplate, type Lowering, templateText } from "../markers/scope.ts";
import type { JsonTemplate } from "./json-template.ts";
import { isFinding, readPath } from "./paths.ts";
import { lowerMarker } from "./reads.ts";
import { readScalar, reportAt, type Scalar } from "./scalar.ts";

/** White space around the only marker of a text does not count. */
const around = /^\s+$/;

/** The scalar as JSON with holes: its own text, or the text of the one template that it names. Undefined when neither is JSON. */
export function jsonTemplate(scalar: Scalar, cx: Lowering): JsonTemplate | undefined {
  const { parts } = scalar.template;
  const whole = onlyMarker(scalar.template, around);
  if (whole !== undefined) return templateOf(whole, cx);
  const node = readJsonTemplate(parts);
  return node === undefined ? undefined : { node, parts, holes: holesOf(scalar, cx), scalar };
}

/** Reports numbers that lose digits where the template becomes a value (PW106). Numbers in a template that is sent as text keep them. */
export function checkNumbers({ node, parts, scalar }: JsonTemplate, report: Report): void {
  for (const number of numbersIn(node)) {
    if (!isInexact(number.written)) continue;
    const start = written(number.at, parts);
    const end = start + number.written.length;
    const finding = yaml.inexactNumber(number.written);
    const { instead: _, ...vague } = finding;
    // The part of the scalar may differ from the JSON text, for example because of escapes in double quotes of YAML.
    if (scalar.template.text.slice(start, end) !== number.written) report(vague, scalar.node.span);
    else reportAt(scalar.node.source.startsWith('"') ? vague : finding, { start, end }, scalar, report);
  }
}

function numbersIn(node: JsonNode): readonly Extract<JsonNode, { kind: "literal" }>[] {
  switch (node.kind) {
    case "literal":
      return typeof node.value === "number" ? [node] : [];
    case "list":
      return node.items.flatMap(numbersIn);
    case "map":
      return node.entries.flatMap(([, item]) => numbersIn(item));
    case "hole":
    case "text":
      return [];
  }
}

const holesOf = (scalar: Scalar, cx: Lowering): JsonTemplate["holes"] => ({
  lower: (marker, embedded) => lowerMarker(marker, scalar, cx, embedded),
  template: (marker) => templateOf(marker, cx),
});

/**
 * The template that a marker names without a filter, when its text is a JSON object or list. `lowerMarker` reports mistakes in other
 * templates.
 */
function templateOf(marker: Marker, cx: Lowering): JsonTemplate | undefined {
  const filling = filledBy(marker, cx);
  if (filling === undefined) return undefined;
  const json = jsonTemplate(filling.scalar, filling.cx);
  if (json === undefined || (json.node.kind !== "list" && json.node.kind !== "map")) return undefined;
  cx.scope.fillings.left -= 1;
  readScalar(filling.scalar.node, cx.report);
  return json;
}

/** The text that a marker such as `a|template::NAME|` stands for, and the scope inside it. */
export function filledBy({ root, path, jq, steps }: Marker, cx: Lowering): { readonly scalar: Scalar; readonly cx: Lowering } | undefined {
  const { templates, open, fillings, allowed } = cx.scope;
  if (root !== "template" || jq !== undefined || steps.length > 0 || allowed?.has(root) === false) return undefined;
  const read = readPath(path ?? "");
  if (isFinding(read) || read.steps.length > 1) return undefined;
  const name = String(read.steps[0] ?? "");
  const node = templates.get(name);
  const text = node === undefined ? undefined : templateText(node);
  if (text === undefined || open.includes(name) || fillings.left === 0) return undefined;
  // Mistakes in the text are reported where it is lowered as text.
  const scalar = readScalar(text, () => undefined);
  return scalar.sound ? { scalar, cx: inTemplate(cx, name) } : undefined;
}
