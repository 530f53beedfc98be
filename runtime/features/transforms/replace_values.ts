import { native } from "../../languages/native-pattern.ts";
import type { Groups, Pattern } from "../../languages/pattern.ts";
import { compile } from "../../languages/regex.ts";
import { literalOf, type Piece, replacementFor } from "../../languages/replacement.ts";
import { eachNodeWork, isWork, Long } from "../../paths/each-node.ts";
import { container } from "../../paths/nodes-mask.ts";
import { type NodePath, nodePath, nothingAt } from "../../paths/path.ts";
import { argument, onlyValue, pathIn, placesOf } from "../../shapes/arguments.ts";
import { containersOf, memberAt, withMember } from "../../shapes/edit.ts";
import { changedAt } from "../../shapes/place.ts";
import { any, array, byType, object, type Shape, string } from "../../shapes/shape.ts";
import { inSlices, type Work, type WorkOwner } from "../../threads/slices.ts";
import { Failure, Reject } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, own, put } from "../../value/json.ts";
import type { ShapedArguments, Transform } from "../feature.ts";

/** Null is what an unset marker leaves: the field is absent. */
interface Args {
  readonly target_value: string | null;
  readonly target_key?: string | null;
  readonly find_str?: string | null;
  readonly new_str?: string | readonly Piece[] | null;
  readonly regex?: string | null;
  readonly values?: readonly (string | null)[] | null;
}

/** Characters of the texts that one transform gives where they may grow. */
const longest = 67_108_864;

/** The characters that results may still have. */
interface Room {
  left: number;
}

/** Edits one text. Short work gives its result at once, long work gives slices. */
type Edit = (text: string) => string | Work<string>;
type EditIn = (text: string, room: Room) => string | Work<string>;

interface Ready {
  readonly target: NodePath;
  /** The only member that is changed, or null for all of them. */
  readonly key: string | null;
  readonly edit: EditIn;
}

/** Stage 1: nothing to find, two things at once or an empty text is PW512; a bad pattern, or a group that it does not have, PW421. */
export const prepare = (args: Args): Ready => prepared(args, compile);

/** Prepares with the pattern that the compiler has made, if there is one. */
export const prepareNative = (args: Args, regex?: RegExp): Ready => prepared(args, () => native(regex ?? /(?:)/u));

type Compile = (regex: string) => Pattern;

function prepared({ target_value, target_key, find_str, new_str, regex, values }: Args, compileRegex: Compile): Ready {
  const words = values?.filter((value) => value !== null);
  const matches = regex === undefined || regex === null ? null : () => compileRegex(regex);
  const pieces = typeof new_str === "string" ? [new_str] : (new_str ?? []);
  const edit = editOf(find_str ?? null, matches, words, pieces);
  return { target: nodePath(target_value), key: target_key ?? null, edit };
}

function editOf(
  find: string | null,
  regex: (() => Pattern) | null,
  words: readonly string[] | undefined,
  pieces: readonly Piece[],
): EditIn {
  if (find !== null && regex !== null) throw new Reject("PW512", "replace_values takes find_str or regex, not both");
  if (find === "" || (find === null && regex === null && words?.includes("")))
    throw new Reject("PW512", "replace_values cannot find an empty text");
  const literal = literalOf(pieces);
  const edit = find !== null ? replacing([find], literal) : regex !== null ? replacingMatches(regex(), pieces) : undefined;
  if (edit === undefined && words === undefined) throw new Reject("PW512", "replace_values needs find_str, regex or values");
  if (edit === undefined) return replacing(words ?? [], literal);
  if (words === undefined) return edit;
  const only = new Set(words);
  return (text, room) => (only.has(text) ? edit(text, room) : text);
}

/** Replaces every match. */
function replacingMatches(pattern: Pattern, pieces: readonly Piece[]): EditIn {
  const { withGroups, fill } = replacementFor(pattern, pieces);
  return (text, room) => {
    take(room, text.length);
    const counted = (groups: Groups): string => {
      const filled = fill(groups);
      take(room, filled.length - (groups[0]?.length ?? 0));
      return filled;
    };
    return pattern.replace(text, counted, withGroups);
  };
}

/** Counts characters before they are put together. */
function take(room: Room, length: number): void {
  room.left -= length;
  if (room.left < 0) throw new Failure("transform", `output is over the limit of ${longest} characters`);
}

/** Replaces every occurrence of several texts in one pass: the replacements are not searched again. */
function replacing(texts: readonly string[], replacement: string): EditIn {
  if (texts.length === 0) return (text) => text;
  // Replacing by a text takes half the time of replacing by a function; a dollar in the text would name a part of the match, so it is
  // doubled.
  const literal = replacement.replaceAll("$", "$$$$");
  // Only literal texts, so that no pattern can be slow.
  const any = new RegExp(texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g");
  const shortest = texts.reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY);
  const growth = replacement.length - shortest;
  return (text, room) => {
    if (growth > 0) take(room, text.length);
    const replace = (part: string): string => {
      if (growth > 0 && (part.length / shortest) * growth > room.left) return counted(part, any, replacement, room);
      const out = part.replace(any, literal);
      if (growth > 0) room.left -= out.length - part.length;
      return out;
    };
    return text.length <= piece ? replace(text) : replacedInPieces(text, any, replace, longestOf(texts));
  };
}

/** Counts each match, where there may be too many. */
function counted(text: string, any: RegExp, replacement: string, room: Room): string {
  return text.replace(any, (match) => {
    take(room, replacement.length - match.length);
    return replacement;
  });
}

/** Characters that are searched in some milliseconds. */
const piece = 100_000;

const longestOf = (texts: readonly string[]): number => texts.reduce((most, { length }) => Math.max(most, length), 0);

/** A match may begin anywhere in a piece, and end behind it. */
function* replacedInPieces(text: string, any: RegExp, replace: (part: string) => string, reach: number): Work<string> {
  const next = new RegExp(any.source, "g");
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    const most = from + piece;
    const window = text.slice(from, most + reach);
    next.lastIndex = 0;
    let end = 0;
    for (let match = next.exec(window); match !== null && match.index < piece; match = next.exec(window)) end = next.lastIndex;
    const cut = Math.min(Math.max(end, piece), window.length);
    parts.push(replace(window.slice(0, cut)));
    from += cut;
    yield;
  }
  return parts.join("");
}

/**
 * Replaces text in what the path matches: in a string, in the strings of an array or in the members of an object that are strings; with
 * `target_key` only in that member of an object, or of each object of an array. Anything else stays. A path that matches nothing fails.
 */
export function replace_values(data: Json, ready: Ready, act: WorkOwner): Json | Promise<Json> {
  return inSlices(replaced(data, ready), act);
}

function* replaced(data: Json, { target, key, edit }: Ready): Work<Json> {
  let isThere = false;
  const room: Room = { left: longest };
  const editIn: Edit = (text) => edit(text, room);
  const out = yield* eachNodeWork(container(data), target, (node) => {
    isThere = true;
    return edited(node, key, editIn);
  });
  if (!isThere) throw nothingAt(target);
  return out;
}

function edited(node: Json, key: string | null, edit: Edit): Json | Long {
  if (Array.isArray(node)) return new Long(editedElements(node, key, edit));
  if (key !== null) return new Long(editedMember(node, key, edit));
  if (isObject(node)) return new Long(editedMembers(node, edit));
  const result = editedText(node, edit);
  return isWork(result) ? new Long(result) : result;
}

const editedText = (value: Json, edit: Edit): Json | Work<string> => (typeof value === "string" ? edit(value) : value);

/** Texts that are edited in about a millisecond. */
const textsOfSlice = 500;

function* editedElements(list: readonly Json[], key: string | null, edit: Edit): Work<Json[]> {
  const out: Json[] = [];
  for (const item of list) {
    const result = key === null ? editedText(item, edit) : hasMember(item, key) ? editedMember(item, key, edit) : item;
    if (out.push(isWork(result) ? yield* result : result) % textsOfSlice === 0) yield;
  }
  return out;
}

const hasMember = (node: Json, key: string): boolean => isObject(node) && Object.hasOwn(node, key);

function* editedMember(node: Json, key: string, edit: Edit): Work<Json> {
  if (!isObject(node) || !Object.hasOwn(node, key)) return node;
  const result = editedText(node[key] ?? null, edit);
  const out = { ...node };
  put(out, key, isWork(result) ? yield* result : result);
  return out;
}

function* editedMembers(object: JsonObject, edit: Edit): Work<Json> {
  const out: JsonObject = {};
  let count = 0;
  for (const name of Object.keys(object)) {
    const result = editedText(own(object, name) ?? null, edit);
    put(out, name, isWork(result) ? yield* result : result);
    if (++count % textsOfSlice === 0) yield;
  }
  return out;
}

function shape(data: Shape, { shape: args }: ShapedArguments<Args>): Shape {
  const path = pathIn(argument(args, "target_value"));
  const key = onlyValue(argument(args, "target_key"));
  if (path === undefined || key === undefined) return any;
  const give = key === null ? editedShape : (node: Shape): Shape => editedMemberShape(node, String(key));
  return changedAt(containersOf(data), { path, must: true, give });
}

const textShape = (value: Shape): Shape => byType(value, (one) => (one.type === "string" ? string : one));

const editedShape = (node: Shape): Shape =>
  byType(node, (one) => {
    if (one.type === "array") return array(textShape(one.items));
    if (one.type !== "object") return textShape(one);
    const members = [...one.members].map(([name, member]) => [name, { ...member, shape: textShape(member.shape) }] as const);
    return object(new Map(members), one.rest === undefined ? undefined : textShape(one.rest));
  });

function editedMemberShape(node: Shape, name: string): Shape {
  return byType(node, (one) => {
    if (one.type === "array") return array(byType(one.items, (item) => (item.type === "object" ? editedMemberShape(item, name) : item)));
    if (one.type !== "object") return one;
    const member = memberAt(one, name);
    return withMember(one, name, { ...member, shape: textShape(member.shape) });
  });
}

export const spec: Transform<Args, Ready> = {
  summary: "Replace text in strings, wherever it occurs.",
  schema: {
    type: "object",
    required: ["target_value"],
    additionalProperties: false,
    properties: {
      target_value: {
        type: "string",
        context: "path",
        description: "Path of a string, of a list of strings or of an object with strings.",
      },
      target_key: { type: "string", description: "Name of the only member that is changed, in the object or in each object of a list." },
      find_str: { type: "string", description: "Text of which every occurrence is replaced. It is literal." },
      new_str: {
        type: "string",
        context: "replacement",
        default: "",
        description: "The text in place of what is found. Default: nothing.",
      },
      regex: {
        type: "string",
        context: "regex",
        description: "RE2 expression of which every match is replaced; `new_str` may name its groups, such as `$1`.",
      },
      values: {
        type: "array",
        items: { type: "string" },
        description: "With `find_str` or `regex`: only strings equal to one of these are changed. Alone: texts to find.",
      },
    },
  },
  bounds:
    "patterns of 4,096 characters and 10,000 instructions, texts of 4,194,304; 10,000,000 characters that are read beyond matches; 67,108,864 characters of texts that grow",
  effect: "pure",
  async: true,
  everyMatch: true,
  prepare,
  run: replace_values,
  shape,
  expects: ({ target_value }) => placesOf([target_value]),
};
