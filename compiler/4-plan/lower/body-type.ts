import type { BodyPlan } from "#runtime/plan/index.ts";
import { entriesOf, type Node } from "../../1-read/document.ts";
import { readJson } from "../../1-read/markers/json-grammar.ts";
import type { TemplatePart } from "../../1-read/markers/marker.ts";
import { hasMarker, onlyMarker } from "../../1-read/markers/markers.ts";
import { bodies } from "../../diagnostics/codes/bodies.ts";
import type { Lowering } from "../markers/scope.ts";
import { readScalar } from "./scalar.ts";
import { filledBy } from "./templates.ts";

/** The content type that headers give a body: `null` when they leave it to the body, undefined when it is known only at run time. */
type ContentType = string | null | undefined;

export function typeOfHeaders(headers: Node | undefined): ContentType {
  const header = entriesOf(headers).findLast(({ key }) => key.toLowerCase() === "content-type");
  if (header === undefined) return entriesOf(headers).some(({ key }) => hasMarker(key)) ? undefined : null;
  const { value } = header;
  if (value.kind !== "scalar" || typeof value.value !== "string" || hasMarker(value.value)) return undefined;
  return value.value.split(";")[0]?.trim().toLowerCase();
}

const isJson = (type: ContentType): boolean => type?.endsWith("/json") === true || type?.endsWith("+json") === true;

/**
 * Reports a body that should be JSON and is not (PW485): its content type says JSON, or no content type is given and its first character
 * looks like JSON.
 */
export function checkBody(key: string, node: Node, { as }: BodyPlan, type: ContentType, cx: Lowering): void {
  if (as === "json_text" || node.kind !== "scalar" || typeof node.value !== "string" || type === undefined) return;
  const own = readScalar(node, () => undefined);
  const whole = onlyMarker(own.template, /^\s+$/);
  const filling = whole === undefined ? { scalar: own } : filledBy(whole, cx);
  // The value of a marker is known only at run time.
  if (filling === undefined || !filling.scalar.sound || onlyMarker(filling.scalar.template, /^\s+$/) !== undefined) return;
  const { text, parts } = filling.scalar.template;
  const read = readJson(parts);
  if (text.trim() === "" || !("stopped" in read)) return;
  if (isJson(type)) cx.report(bodies.notJson(key, `is sent as ${type}`, text, read.stopped), node.span);
  else if (type === null && /^\s*[[{]/.test(text)) cx.report(bodies.notJson(key, "begins like JSON", text, read.stopped), node.span);
}

/** A text that was meant as JSON: an object whose first key is quoted, or a list of objects, lists or texts. */
const almostJson = /^\s*(?:\{\s*"|\[\s*[[{"])/;

/** A text in brackets, few enough to be no deep template. Without brackets a constant text may begin with a word in quotes. */
const enclosed = /^\s*(?:\{(?!.*[[{]{99}).*\}|\[(?!.*[[{]{99}).*\])\s*$/s;

/** True for a text with the escape `\a|`, which stands for the two characters `a|`. */
const isEscape = (part: TemplatePart): boolean => part.kind === "text" && part.text.length < part.end - part.start;

/**
 * Warns of a text that begins like JSON and is not JSON (PW487), with markers or in brackets: it stays a text, into which markers are
 * filled as they are.
 */
export function checkAlmostJson(key: string, node: Node, cx: Lowering): void {
  if (node.kind !== "scalar" || typeof node.value !== "string" || !almostJson.test(node.value)) return;
  const { sound, template } = readScalar(node, () => undefined);
  const isMarked = template.parts.some((part) => part.kind === "marker" || isEscape(part));
  if (!sound || !(isMarked || enclosed.test(node.value))) return;
  const read = readJson(template.parts);
  if ("stopped" in read) cx.report(bodies.almostJson(key, template.text, read.stopped), node.span);
}
