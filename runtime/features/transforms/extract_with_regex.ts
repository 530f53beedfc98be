import { native } from "../../languages/native-pattern.ts";
import type { Pattern } from "../../languages/pattern.ts";
import { compile } from "../../languages/regex.ts";
import { refused } from "../../languages/regex-syntax.ts";
import { type KeyPath, keyPath, write } from "../../paths/path.ts";
import { isRoot, place, type Source, type SourceArgument, source, sourceText } from "../../paths/source.ts";
import { keyed, ofText, sourced, whenKnown } from "../../shapes/arguments.ts";
import { nothing, oneOf, type Shape, shapeOf, string, union } from "../../shapes/shape.ts";
import { counted } from "../../value/counted.ts";
import { Failure } from "../../value/failure.ts";
import { type Json, own } from "../../value/json.ts";
import type { ShapedArguments, Transform } from "../feature.ts";

interface Args {
  readonly value: SourceArgument;
  readonly expr: string;
  readonly keys: readonly (string | null)[];
}

interface Ready {
  readonly value: Source;
  readonly pattern: Pattern;
  readonly keys: readonly KeyPath[];
  /** The number of the group of each key. */
  readonly groups: readonly number[];
}

/** Stage 1: a bad pattern, more keys than groups, or a key that is none of the names of the groups is PW421. */
export const prepare = (args: Args): Ready => prepared(args, compile(args.expr));

/** Prepares with the pattern that the compiler has made. */
export const prepareNative = (args: Args, expr: RegExp): Ready => prepared(args, native(expr));

function prepared({ value, keys }: Args, pattern: Pattern): Ready {
  const paths = keys.map(keyPath);
  return { value: source(value), pattern, keys: paths, groups: groupsOf(paths, pattern) };
}

/** By name where the pattern names a group, else in their order. */
function groupsOf(keys: readonly KeyPath[], { names, groups }: Pattern): readonly number[] {
  const available = Object.keys(names);
  if (available.length === 0) {
    if (keys.length > groups) throw refused(`${counted(keys.length, "key")}, but the pattern has ${counted(groups, "group")}`);
    return keys.map((_, i) => i + 1);
  }
  return keys.map(({ steps, text }) => {
    const [name = "", ...more] = steps;
    const group = more.length > 0 ? undefined : own(names, name);
    if (group === undefined) throw refused(`no group is called '${text}'; the pattern has ${available.join(", ")}`);
    return group;
  });
}

/**
 * Writes the groups of the first match under their keys; the rest of the data stays. Where the pattern names groups, `(?P<year>\d+)`, a key
 * is the name of one, else the keys go in the order of the groups. A group that took no part gives null, a group without a key is left out.
 * Fails when the value is no string, and when the pattern does not match: a chain may rely on that to refuse a request.
 */
export function extract_with_regex(data: Json, { value, pattern, keys, groups }: Ready): Json {
  const match = pattern.exec(sourceText(data, value));
  if (match === null) throw new Failure("transform", `pattern did not match the value${place(value)}`);
  return keys.reduce((out, key, i) => write(out, key, match[groups[i] ?? 0] ?? null, isRoot(value)), data);
}

function shape(data: Shape, args: ShapedArguments<Args>): Shape {
  return whenKnown(args, prepare, ({ keys, value }) => {
    const from = sourced(data, shapeOf(args.known?.value ?? null));
    const part = ofText(union(string, nothing))(from.shape);
    return keys.reduce((out: Shape, { text }) => keyed(out, oneOf("string", [text]), part, isRoot(value)), data);
  });
}

export const spec: Transform<Args, Ready> = {
  summary: "Take parts of a text by the groups of a regular expression; fails when it does not match.",
  schema: {
    type: "object",
    required: ["value", "expr", "keys"],
    additionalProperties: false,
    properties: {
      value: { type: "string", context: "source", description: "Path of the text, or a marker that gives it." },
      expr: { type: "string", context: "regex", description: "RE2 expression, not anchored; its groups are what is taken." },
      keys: {
        type: "array",
        items: { type: "string", context: "path" },
        description:
          "Names of the groups, under which they are written; of a pattern without names where they are written, in their order. There may be fewer keys than groups.",
      },
    },
  },
  bounds: "patterns of 4,096 characters and 10,000 instructions, texts of 4,194,304; time linear in the text",
  effect: "pure",
  prepare,
  run: extract_with_regex,
  texts: "keys",
  shape,
};
