import { isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from "yaml";
import { Failure } from "../value/failure.ts";
import { type Json, type JsonObject, put } from "../value/json.ts";
import { show } from "../value/show.ts";
import { text } from "../value/values.ts";
import { parseJson } from "./json-text.ts";
import { type AliasFault, type Anchors, anchors, type Built, branch, leaf, parseBounded, type YamlLimits } from "./yaml-bounds.ts";

/** Most bytes of a text in UTF-8. */
const maxBytes = 5_242_880;

/** Limits of a text from outside: those of a configuration, but with fewer tokens, since other requests wait while the text is read. */
const outside: YamlLimits = { depth: 100, tokens: 100_000, expansions: 100, expanded: maxBytes };

/** Limits of a file that belongs to the service: its size bounds the pieces. */
export const ownFile: YamlLimits = { ...outside, tokens: Number.POSITIVE_INFINITY };

/** Why a text gives no value. The reason may quote it. */
export interface YamlFault {
  readonly reason: string;
  /** The offset, where one is known. */
  readonly at?: number | undefined;
}

/** The value of a text from outside; a fault fails the transform with its reason. */
export function parseYaml(source: string): Json {
  const read = readYaml(source, outside);
  if ("value" in read) return read.value;
  throw new Failure("transform", read.reason);
}

/**
 * The value of a YAML text: one document of the 1.2 core schema, without tags of other schemas. Keys become text, dates stay text, and so
 * do `.inf` and `.nan`, which JSON does not have. A repeated key is a fault, unless the text is JSON, where the last one counts. An empty
 * text is null.
 */
export function readYaml(source: string, limits: YamlLimits): { readonly value: Json } | YamlFault {
  // JSON is YAML: a text that is both takes a hundredth of the time.
  const json = parseJson(source);
  if (json !== undefined) return { value: json };
  const size = Buffer.byteLength(source);
  if (size > maxBytes) return { reason: `document is ${size} bytes, the limit is ${maxBytes}` };
  try {
    return { value: documentValue(source, limits) };
  } catch (error) {
    if (error instanceof Invalid) return { reason: `invalid YAML: ${error.message}`, at: error.at };
    throw error;
  }
}

/** Thrown to end the reading of a text, and always caught in this file. */
class Invalid extends Error {
  readonly at: number | undefined;
  constructor(reason: string, at?: number) {
    super(reason);
    this.at = at;
  }
}

function documentValue(source: string, limits: YamlLimits): Json {
  const parsed = parseBounded(source, limits, true);
  if ("exceeded" in parsed) {
    throw parsed.exceeded === "depth" ? tooDeep(limits, parsed.at) : new Invalid(`more than ${limits.tokens} tokens`, parsed.at);
  }
  const { document, second } = parsed;
  if (second !== undefined) throw new Invalid("more than one document", second.offset);
  // An unknown directive is ignored (YAML 1.2.2, 6.8).
  const warnings = document.warnings.filter(({ message }) => !message.startsWith("Unknown directive"));
  const [problem] = [...document.errors, ...warnings];
  if (problem === undefined) return build(document.contents, { limits, anchors: anchors<Json>(limits) }).value;
  const isTag = problem.code === "TAG_RESOLVE_FAILED";
  throw new Invalid(isTag ? `unknown tag ${show(source.slice(...problem.pos))}` : sentence(problem.message), problem.pos[0]);
}

const tooDeep = ({ depth }: YamlLimits, at?: number): Invalid => new Invalid(`nested deeper than ${depth} levels`, at);

/** The first sentence of the parser's message, without the excerpt of the text. */
const sentence = (message: string): string => message.split(/:?\n/)[0] ?? message;

interface Building {
  readonly limits: YamlLimits;
  readonly anchors: Anchors<Json>;
}

function build(node: Node | null, cx: Building): Built<Json> {
  if (isAlias(node)) {
    const target = cx.anchors.expand(node.source);
    if (typeof target === "string") throw aliasFault(target, node.source, cx.limits, node.range?.[0]);
    return target;
  }
  return cx.anchors.named(node?.anchor, () => content(node, cx));
}

function aliasFault(fault: AliasFault, name: string, limits: YamlLimits, at: number | undefined): Invalid {
  switch (fault) {
    case "unknown":
    case "inside itself":
      return new Invalid(`alias *${show(name)} is inside its own anchor, or has none before it`, at);
    case "expansions":
      return new Invalid(`more than ${limits.expansions} alias expansions`, at);
    case "expanded":
      return new Invalid(`aliases stand for more than ${limits.expanded} characters`, at);
    case "depth":
      return tooDeep(limits, at);
  }
}

function content(node: Node | null, cx: Building): Built<Json> {
  if (isSeq<Node | null>(node)) {
    const items = node.items.map((item) => build(item, cx));
    return bounded(
      branch(
        items.map(({ value }) => value),
        items,
      ),
      cx,
    );
  }
  if (isMap<Node | null, Node | null>(node)) return bounded(mapping(node, cx), cx);
  const value = scalar(node);
  return leaf(value, text(value).length);
}

function bounded(node: Built<Json>, { limits }: Building): Built<Json> {
  if (node.depth > limits.depth) throw tooDeep(limits);
  return node;
}

function mapping(node: YAMLMap<Node | null, Node | null>, cx: Building): Built<Json> {
  const value: JsonObject = {};
  const parts: Built<Json>[] = [];
  for (const pair of node.items) {
    const name = build(pair.key, cx);
    const member = build(pair.value, cx);
    const key = text(name.value);
    if (Object.hasOwn(value, key)) throw new Invalid(`key "${show(key)}" is there twice`, pair.key?.range?.[0]);
    put(value, key, member.value);
    parts.push(name, member);
  }
  return branch(value, parts);
}

function scalar(node: Node | null): Json {
  if (!isScalar(node)) return null;
  const { value, source } = node;
  if (typeof value === "number") return Number.isFinite(value) ? value : (source ?? null);
  return typeof value === "string" || typeof value === "boolean" ? value : null;
}
