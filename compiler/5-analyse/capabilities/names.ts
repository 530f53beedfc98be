import type { Expr, TextPart } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import { provenanceOf, type Sources } from "../../4-plan/inference/provenance.ts";
import { settingRoots } from "../../4-plan/markers/scope.ts";
import { present } from "../../present.ts";

/** A text that a value may have, as far as the configuration shows it. */
export interface Name {
  /** `*` stands for any text, a marker such as `a|env::STORE|` for a value of the environment; `\*` is a star. */
  readonly name: string;
  /** Present when data choose the text or a part of it: the least trusted source of these data. */
  readonly from?: "service" | "request";
}

/** Every text that the expression may give; none for null. */
export function namesOf(e: Expr, known: Sources): readonly Name[] {
  switch (e.op) {
    case "lit":
      return textsOf(e.value).map((text) => ({ name: nameOfText(text) }));
    case "typed":
    case "start":
    case "reread":
      return namesOf(e.of, known);
    case "or":
      return [...namesOf(e.of, known), ...namesOf(e.instead, known)];
    case "list":
      return e.items.flatMap((item) => namesOf(item, known));
    case "map":
      return e.entries.flatMap(([, value]) => namesOf(value, known));
    case "text":
      return [joined(e.parts.map((part) => nameOfPart(part, known)))];
    case "join":
      return [joined(e.items.map((item) => nameOf(item, known)))];
    case "root":
      if (settingRoots.has(e.root) && e.name !== undefined) return [{ name: `a|${e.root}::${e.name}|` }];
      return [unknown(e, known)];
    case "action":
    case "data":
    case "item":
    case "given":
    case "at":
    case "count":
    case "each":
    case "jq":
      return [unknown(e, known)];
    case "filter":
      // The format of a secret does not change which secret is read.
      return e.use === "stored" ? namesOf(e.of, known) : [unknown(e, known)];
  }
}

/** The one text that an expression may give; `*` when there are several. */
export function nameOf(e: Expr, known: Sources): Name {
  const [first, ...more] = namesOf(e, known);
  if (first === undefined) return { name: "" };
  return more.length === 0 ? first : unknown(e, known);
}

function unknown(e: Expr, known: Sources): Name {
  const from = provenanceOf(e, known);
  return { name: "*", ...(from === "configuration" ? {} : { from }) };
}

export const nameOfPart = (part: TextPart, known: Sources): Name =>
  typeof part === "string" ? { name: nameOfText(part) } : nameOf(part.of, known);

/** A text as a name: in it a star stands for itself, and so does a backslash before a star or another backslash. */
export const nameOfText = (text: string): string => text.replace(/\\(?=[\\*]|$)|\*/g, "\\$&");

/** The readable text of a name, without its escapes. */
export const readable = (name: string): string => name.replace(/\\([\\*])/g, "$1");

/** Joins the parts of one text. The source of the text is the least trusted source of its parts. */
export function joined(parts: readonly Name[]): Name {
  const from = (["request", "service"] as const).find((one) => parts.some((part) => part.from === one));
  const name = parts.map((part) => part.name).join("");
  return { name: name.replace(/(\\[\\*])|\*{2,}/g, (_, star?: string) => star ?? "*"), ...present({ from }) };
}

function textsOf(value: Json): readonly string[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return typeof value === "object" ? Object.values(value).flatMap(textsOf) : [String(value)];
}
