import { Composer, type CST, Lexer, Parser, type ScalarTag, type Document as YamlDocument } from "yaml";
import { untraced } from "./yaml-untraced.ts";

// The bounded part of reading YAML, for both readers: one keeps the places of the nodes of a configuration, the other needs only a value.

/** Bounds of one text (spec/language 1.1). */
export interface YamlLimits {
  /** Levels of nesting, those inside an expanded alias included. */
  readonly depth: number;
  /** Pieces of syntax, of which `key: value` has seven: the parser takes 5 µs for each, and 25 µs for one that is wrong. */
  readonly tokens: number;
  /** Aliases that are expanded, those inside an expanded part included. */
  readonly expansions: number;
  /** Characters that all aliases together stand for. */
  readonly expanded: number;
}

/** A bound that a text exceeds, and where. */
export interface Excess {
  readonly exceeded: "depth" | "tokens";
  readonly at: number;
}

/** The first document of a text, with what it was made of, and where a second one begins, if there is one. */
export interface Parsed {
  readonly tokens: readonly CST.Token[];
  readonly document: YamlDocument;
  readonly second: CST.Document | undefined;
}

/** Reads the digits of `!!float 1`, which the parser itself accepts only for an integer. */
const integralFloat: ScalarTag = { tag: "tag:yaml.org,2002:float", default: true, test: /^[-+]?\d+$/, resolve: Number };

/** Parses a text by the 1.2 core schema. The reader has to look for equal keys, and for the parser's errors and warnings. */
export const parseBounded = (text: string, limits: YamlLimits, prettyErrors: boolean): Parsed | Excess =>
  untraced(() => parsed(text, limits, prettyErrors));

function parsed(text: string, limits: YamlLimits, prettyErrors: boolean): Parsed | Excess {
  const tokens = tokensOf(text, limits);
  if ("exceeded" in tokens) return tokens;
  const [, second] = tokens.filter((token) => token.type === "document");
  const composer = new Composer({
    version: "1.2",
    schema: "core",
    customTags: [integralFloat],
    resolveKnownTags: false,
    uniqueKeys: false,
    logLevel: "silent",
    prettyErrors,
  });
  const first = second === undefined ? tokens : tokens.slice(0, tokens.indexOf(second));
  const [document] = composer.compose(first, true, text.length);
  // The composer also makes a document when there are no tokens, so this is never reached.
  if (document === undefined) throw new TypeError("no document");
  return { tokens, document, second };
}

/** The parser keeps its own stack, so that nesting cannot overflow ours. */
function tokensOf(text: string, { depth, tokens: most }: YamlLimits): readonly CST.Token[] | Excess {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > most) return { exceeded: "tokens", at: parser.offset };
    for (const token of parser.next(lexeme)) tokens.push(token);
    // Beside the collections the stack holds the document and the current scalar.
    if (parser.stack.length > depth + 2) return { exceeded: "depth", at: parser.offset };
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

/** A node as a reader has built it: its depth, the aliases that were expanded inside it, and about how many characters it has. */
export interface Built<V> {
  readonly value: V;
  readonly depth: number;
  readonly expansions: number;
  readonly size: number;
}

/** A node without parts. */
export const leaf = <V>(value: V, size: number): Built<V> => ({ value, depth: 1, expansions: 0, size: 1 + size });

/** A list or map with its parts. */
export function branch<V>(value: V, parts: readonly Built<unknown>[]): Built<V> {
  let [depth, expansions, size] = [0, 0, 1];
  for (const part of parts) {
    depth = Math.max(depth, part.depth);
    expansions += part.expansions;
    size += part.size;
  }
  return { value, depth: depth + 1, expansions, size };
}

/** Why an alias stands for nothing. */
export type AliasFault = "unknown" | "inside itself" | "expansions" | "expanded" | "depth";

/** The nodes of one document that have names. */
export interface Anchors<V> {
  /** Builds a node and gives it the name of its anchor. An alias inside the node itself does not know that name yet. */
  readonly named: (anchor: string | undefined, build: () => Built<V>) => Built<V>;
  /** Gives the node that an alias stands for, itself and not a copy. */
  readonly expand: (alias: string) => Built<V> | AliasFault;
}

/** Anchors of a document, whose aliases are counted together. */
export function anchors<V>(limits: YamlLimits): Anchors<V> {
  /** Undefined while a node is being built. */
  const targets = new Map<string, Built<V> | undefined>();
  let [expansions, expanded] = [0, 0];
  return {
    named: (anchor, build) => {
      if (anchor === undefined) return build();
      targets.set(anchor, undefined);
      const target = build();
      targets.set(anchor, target);
      return target;
    },
    expand: (alias) => {
      const target = targets.get(alias);
      if (target === undefined) return targets.has(alias) ? "inside itself" : "unknown";
      expansions += 1 + target.expansions;
      expanded += target.size;
      if (expansions > limits.expansions) return "expansions";
      if (expanded > limits.expanded) return "expanded";
      return target.depth > limits.depth ? "depth" : { ...target, expansions: 1 + target.expansions };
    },
  };
}
