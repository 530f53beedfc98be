import { Composer, type CST, isAlias, isMap, isScalar, isSeq, Lexer, type Node, Parser, type ScalarTag, type YAMLMap } from "yaml";
import { Failure } from "../value/failure.ts";
import { type Json, type JsonObject, put } from "../value/json.ts";
import { show } from "../value/show.ts";
import { text } from "../value/values.ts";
import { parseJson } from "./json-text.ts";

// Limits of a text from outside: those of a configuration (spec/language 1.1).

/** Levels of nesting. */
const maxDepth = 100;
/** Alias expansions, those inside an expanded part included. */
const maxExpansions = 100;
/** Size of the UTF-8 bytes, and of what all aliases together stand for. */
const maxBytes = 5_242_880;
/** Pieces of syntax, of which `key: value` has seven: the parser takes 5 µs for each, and 25 µs for one that is wrong. */
const maxTokens = 100_000;

/** `!!float 1`: the parser takes its digits for those of an integer only. */
const integralFloat: ScalarTag = { tag: "tag:yaml.org,2002:float", default: true, test: /^[-+]?\d+$/, resolve: Number };

/** A value with what limits need to know: how deep it is, how many aliases were expanded inside it, and about how many characters it has. */
interface Built {
  readonly value: Json;
  readonly depth: number;
  readonly expansions: number;
  readonly size: number;
}

/** `anchors` holds the values named so far, undefined while one is being built. */
interface Building {
  readonly anchors: Map<string, Built | undefined>;
  expansions: number;
  /** Characters that aliases stand for. */
  expanded: number;
}

/**
 * The value of a YAML text: one document of the 1.2 core schema, without tags of other schemas. Keys become text, dates stay text, and so do
 * `.inf` and `.nan`, which JSON does not have. A key that is there twice fails, unless the text is JSON, where the last one counts. Nothing is
 * null.
 */
export function parseYaml(source: string): Json {
  // JSON is YAML: a text that is both takes a hundredth of the time.
  const json = parseJson(source);
  if (json !== undefined) return json;
  const size = Buffer.byteLength(source);
  if (size > maxBytes) throw new Failure("transform", `document is ${size} bytes, the limit is ${maxBytes}`);
  const composer = new Composer({
    version: "1.2",
    schema: "core",
    customTags: [integralFloat],
    resolveKnownTags: false,
    uniqueKeys: false,
    logLevel: "silent",
  });
  const [document, second] = composer.compose(tokensOf(source), true, source.length);
  if (second !== undefined) throw invalid("more than one document");
  // A directive that nobody knows is to be ignored (YAML 1.2.2, 6.8).
  const warnings = document?.warnings.filter(({ message }) => !message.startsWith("Unknown directive")) ?? [];
  const [problem] = [...(document?.errors ?? []), ...warnings];
  if (problem !== undefined)
    throw invalid(problem.code === "TAG_RESOLVE_FAILED" ? `unknown tag ${show(source.slice(...problem.pos))}` : sentence(problem.message));
  return build(document?.contents ?? null, { anchors: new Map(), expansions: 0, expanded: 0 }).value;
}

const invalid = (reason: string): Failure => new Failure("transform", `invalid YAML: ${reason}`);

/** The first sentence of the parser's message, without the excerpt of the text. */
const sentence = (message: string): string => message.split(/:?\n/)[0] ?? message;

/** The parser keeps its own stack, so that nesting cannot overflow ours. */
function* tokensOf(source: string): Generator<CST.Token> {
  const parser = new Parser();
  let count = 0;
  for (const lexeme of new Lexer().lex(source)) {
    count += 1;
    if (count > maxTokens) throw invalid(`more than ${maxTokens} tokens`);
    yield* parser.next(lexeme);
    // Beside the collections the stack holds the document and the current scalar.
    if (parser.stack.length > maxDepth + 2) throw tooDeep();
  }
  yield* parser.end();
}

const tooDeep = (): Failure => invalid(`nested deeper than ${maxDepth} levels`);

function build(node: Node | null, cx: Building): Built {
  if (isAlias(node)) return expand(node.source, cx);
  const anchor = node?.anchor;
  if (anchor !== undefined) cx.anchors.set(anchor, undefined);
  const built = content(node, cx);
  if (anchor !== undefined) cx.anchors.set(anchor, built);
  return built;
}

function expand(name: string, cx: Building): Built {
  const target = cx.anchors.get(name);
  if (target === undefined) throw invalid(`alias *${show(name)} is inside its own anchor, or has none before it`);
  cx.expansions += 1 + target.expansions;
  if (cx.expansions > maxExpansions) throw invalid(`more than ${maxExpansions} alias expansions`);
  cx.expanded += target.size;
  if (cx.expanded > maxBytes) throw invalid(`aliases stand for more than ${maxBytes} characters`);
  if (target.depth > maxDepth) throw tooDeep();
  return { ...target, expansions: 1 + target.expansions };
}

function content(node: Node | null, cx: Building): Built {
  if (isSeq<Node | null>(node)) {
    const items = node.items.map((item) => build(item, cx));
    return around(
      items.map(({ value }) => value),
      items,
    );
  }
  if (isMap<Node | null, Node | null>(node)) return mapping(node, cx);
  const value = scalar(node);
  return { value, depth: 1, expansions: 0, size: 1 + text(value).length };
}

function mapping(node: YAMLMap<Node | null, Node | null>, cx: Building): Built {
  const value: JsonObject = {};
  const parts: Built[] = [];
  for (const pair of node.items) {
    const name = build(pair.key, cx);
    const member = build(pair.value, cx);
    const key = text(name.value);
    if (Object.hasOwn(value, key)) throw invalid(`key "${show(key)}" is there twice`);
    put(value, key, member.value);
    parts.push(name, member);
  }
  return around(value, parts);
}

function scalar(node: Node | null): Json {
  if (!isScalar(node)) return null;
  const { value, source } = node;
  if (typeof value === "number") return Number.isFinite(value) ? value : (source ?? null);
  return typeof value === "string" || typeof value === "boolean" ? value : null;
}

function around(value: Json, parts: readonly Built[]): Built {
  const depth = 1 + parts.reduce((most, part) => Math.max(most, part.depth), 0);
  if (depth > maxDepth) throw tooDeep();
  const sum = (of: (part: Built) => number): number => parts.reduce((all, part) => all + of(part), 0);
  return { value, depth, expansions: sum(({ expansions }) => expansions), size: 1 + sum(({ size }) => size) };
}
