import { Failure } from "../value/failure.ts";
import { show } from "../value/show.ts";

/**
 * An event of a document, in the order of the text: an element begins, with its attributes; the innermost open element ends; or a part of a
 * text comes. Comments and processing instructions give the event `nothing`, so that others get their turn.
 */
export type XmlEvent =
  | { readonly kind: "open"; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: "close" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "nothing" };

/** Deepest nesting of elements, as for JSON, so that recursive functions may walk the value later. */
const maxDepth = 128;

/** Attributes of one element. */
const mostAttributes = 10_000;

const nameStart = String.raw`:A-Z_a-z\u{C0}-\u{D6}\u{D8}-\u{F6}\u{F8}-\u{2FF}\u{370}-\u{37D}\u{37F}-\u{1FFF}\u{200C}\u{200D}\u{2070}-\u{218F}\u{2C00}-\u{2FEF}\u{3001}-\u{D7FF}\u{F900}-\u{FDCF}\u{FDF0}-\u{FFFD}\u{10000}-\u{EFFFF}`;
const name = String.raw`[${nameStart}][${nameStart}\-.0-9\u{B7}\u{300}-\u{36F}\u{203F}\u{2040}]*`;
const blank = String.raw`[ \t\n]`;
const quoted = `"[^"]*"|'[^']*'`;

/** Matches the characters that a document may hold; control characters and lone surrogates are not among them. */
const legal = /^[\t\n -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*/u;

const declaration = new RegExp(
  `<\\?xml${blank}+version${blank}*=${blank}*(?:"1\\.\\d+"|'1\\.\\d+')(?:${blank}+(?:encoding|standalone)${blank}*=${blank}*(?:${quoted}))*${blank}*\\?>`,
  "uy",
);

const piece = new RegExp(
  [
    "(?<text>[^<]+)",
    `<(?<open>${name})`,
    `</(?<close>${name})${blank}*>`,
    "<!\\[CDATA\\[(?<section>.*?)\\]\\]>",
    "<!--(?<comment>.*?)-->",
    `<\\?(?<instruction>${name})(?:${blank}.*?)?\\?>`,
    `<!DOCTYPE${blank}+(?<type>${name})(?:${blank}+(?:SYSTEM|PUBLIC${blank}+(?:${quoted}))${blank}+(?:${quoted}))?${blank}*`,
  ].join("|"),
  "suy",
);
const attribute = new RegExp(`${blank}+(${name})${blank}*=${blank}*(?:"([^<"]*)"|'([^<']*)')`, "uy");
const tagEnd = new RegExp(`${blank}*(/?)>`, "uy");
/** One piece of the declarations inside a document type. */
const subset = new RegExp(`${quoted}|<!--.*?-->|<\\?.*?\\?>|<!(?!--)|[^<"'\\]]+`, "suy");
const subsetEnd = new RegExp(`\\]${blank}*>`, "uy");

/** The progress in a document, and the elements that are open there. */
interface Reading {
  readonly text: string;
  readonly open: string[];
  at: number;
  root: boolean;
  type: boolean;
}

/**
 * Reads a document (XML 1.0) that must be well-formed. Comments, processing instructions and the declaration say nothing; entities are the
 * five that are predefined and characters by number. Nothing is loaded, and a document that declares entities is refused.
 */
export function* xmlEvents(document: string): Generator<XmlEvent> {
  const text = document.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const reading: Reading = { text, open: [], at: 0, root: false, type: false };
  const sound = legal.exec(text)?.[0].length ?? 0;
  if (sound < text.length) throw fault(reading, "a character that no document may hold", sound);
  take(reading, declaration);
  while (reading.at < text.length) yield* next(reading);
  if (reading.open.length > 0) throw fault(reading, `<${show(reading.open.at(-1) ?? "")}> is not closed`);
  if (!reading.root) throw fault(reading, "there is no element");
}

const silence: XmlEvent = { kind: "nothing" };

function* next(reading: Reading): Generator<XmlEvent> {
  const start = reading.at;
  const { text, open, close, section, comment, instruction, type } = take(reading, piece)?.groups ?? {};
  if (open !== undefined) yield* element(reading, open, start);
  else if (close !== undefined) yield closed(reading, close, start);
  else if (text !== undefined) yield* characters(reading, text, start);
  else if (section !== undefined) yield inside(reading, section, start);
  else if (type !== undefined) skipType(reading, start);
  else if (comment !== undefined) {
    if (/--|-$/.test(comment)) throw fault(reading, "a comment holds '--'", start);
    yield silence;
  } else if (instruction === undefined) throw fault(reading, "'<' begins nothing that ends", start);
  else if (/^xml$/i.test(instruction)) throw fault(reading, "the declaration is not at the start, or not a declaration", start);
  else yield silence;
}

function* element(reading: Reading, name: string, start: number): Generator<XmlEvent> {
  if (reading.root && reading.open.length === 0) throw fault(reading, `<${show(name)}> follows the end of the document`, start);
  if (reading.open.length === maxDepth) throw fault(reading, `elements are nested deeper than ${maxDepth} levels`, start);
  const attributes = new Map<string, string>();
  for (let match = take(reading, attribute); match !== null; match = take(reading, attribute)) {
    const [, key = "", double, single = ""] = match;
    if (attributes.size === mostAttributes) throw fault(reading, `<${show(name)}> has more than ${mostAttributes} attributes`, start);
    if (attributes.has(key)) throw fault(reading, `attribute ${show(key)} is there twice`, start);
    attributes.set(key, decoded(reading, (double ?? single).replace(/[\t\n]/g, " "), start));
  }
  const end = take(reading, tagEnd);
  if (end === null) throw fault(reading, `<${show(name)}> has a broken attribute, or no end`);
  reading.root = true;
  yield { kind: "open", name, attributes };
  if (end[1] === "/") yield { kind: "close" };
  else reading.open.push(name);
}

function closed(reading: Reading, name: string, start: number): XmlEvent {
  const open = reading.open.pop();
  if (open !== name)
    throw fault(reading, `</${show(name)}> ${open === undefined ? "closes nothing" : `stands where <${show(open)}> ends`}`, start);
  return { kind: "close" };
}

/** Gives the text between two tags in parts. White space outside of the root belongs to no element and is ignored. */
function* characters(reading: Reading, text: string, start: number): Generator<XmlEvent> {
  if (reading.open.length === 0 && /^[ \t\n]*$/.test(text)) return;
  const end = text.indexOf("]]>");
  if (end >= 0) throw fault(reading, "']]>' ends nothing", start + end);
  for (let at = 0; at < text.length; ) {
    const next = text.length - at > longestPart ? text.indexOf("&", at + longestPart) : -1;
    const part = text.slice(at, next < 0 ? text.length : next);
    yield inside(reading, decoded(reading, part, start + at), start);
    at += part.length;
  }
}

/** Characters after which a text is cut before its next reference: millions of references would otherwise be replaced without a pause. */
const longestPart = 32_768;

function inside(reading: Reading, text: string, start: number): XmlEvent {
  if (reading.open.length === 0) throw fault(reading, "text stands outside of the element", start);
  return { kind: "text", text };
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** References to characters in one text: each takes as long as a hundred other characters. */
const mostReferences = 1_000_000;

function decoded(reading: Reading, text: string, start: number): string {
  let references = 0;
  return text.replace(/&(?:#(\d+);|#x([0-9A-Fa-f]+);|(amp|lt|gt|quot|apos);)?/g, (_, decimal, hex, entity, offset: number) => {
    if (++references > mostReferences) throw fault(reading, `a text has more than ${mostReferences} references to characters`, start);
    if (entity !== undefined) return entities[entity] ?? "";
    const code = decimal === undefined ? Number.parseInt(hex ?? "0", 16) : Number(decimal);
    const character = code <= 0x10ffff ? String.fromCodePoint(code) : "";
    if (character === "" || !/^[\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]$/u.test(character)) {
      throw fault(reading, "'&' begins no predefined entity, or an unknown character", start + offset);
    }
    return character;
  });
}

/** Skips a document type: it names the root and says where the type is described, and both are ignored. */
function skipType(reading: Reading, start: number): void {
  if (reading.root || reading.type) throw fault(reading, "the document type is not before the element, or there twice", start);
  reading.type = true;
  const declares = reading.text[reading.at] === "[";
  if (declares) skipDeclarations(reading);
  if (take(reading, declares ? subsetEnd : tagEnd) === null) throw fault(reading, "the document type has no end", start);
}

function skipDeclarations(reading: Reading): void {
  reading.at += 1;
  for (let match = take(reading, subset); match !== null; match = take(reading, subset)) {
    const entity = match[0] === "<!" && reading.text.startsWith("ENTITY", reading.at);
    if (entity) throw new Failure("transform", "invalid XML: entity declarations are not allowed");
  }
}

function take(reading: Reading, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reading.at;
  const match = pattern.exec(reading.text);
  if (match !== null) reading.at = pattern.lastIndex;
  return match;
}

function fault({ text, at }: Reading, reason: string, where = at): Failure {
  return new Failure("transform", `invalid XML: line ${text.slice(0, where).split("\n").length}: ${reason}`);
}
