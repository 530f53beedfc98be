import { isNever, type Member, type ObjectShape, type Shape } from "#runtime/shapes/shape.ts";
import { isObject, type Json, type JsonObject } from "#runtime/value/json.ts";
import { cut, isOpen } from "../6-print/types/cut.ts";
import type { Fact, Judgement } from "./fact.ts";

/** The key of the fact about the shape of an answer that follows from the actions, if no contract states one. */
export const inferred = "answer by its actions";

/** The levels of an answer that are compared; the data of an action are three levels below the envelope. */
const deepest = 8;

/** The shape as a fact; empty if nothing is known about the answer. */
export function inferredAnswer(reply: Shape): readonly Fact[] {
  const shape = cut(reply, deepest);
  return isOpen(shape) ? [] : [{ key: inferred, value: jsonOf(shape) }];
}

/**
 * A shape as plain JSON: the alternatives by their types, lists with their items and objects with their members. A shape for any value is
 * null, and so are members with unknown names. Values of scalars are left out, because they are data.
 */
function jsonOf(shape: Shape): Json {
  switch (shape.type) {
    case "any":
      return null;
    case "union":
      return isNever(shape) ? null : Object.assign({}, ...shape.of.map(jsonOf));
    case "array":
      return { array: isNever(shape.items) ? null : jsonOf(shape.items) };
    case "object":
      return { object: membersOf(shape) };
    case "null":
    case "boolean":
    case "number":
    case "string":
      return { [shape.type]: {} };
  }
}

const membersOf = ({ members, rest }: ObjectShape): JsonObject => ({
  members: [...members].map(([name, member]) => memberOf(name, member)),
  ...(rest === undefined ? {} : { more: true }),
});

const memberOf = (name: string, { shape, optional }: Member): Json => ({ name, ...(optional ? { optional } : {}), is: jsonOf(shape) });

/** The changes of the parts of a shape. A part that may be any value in one of the versions is no change. */
export function ofInferredAnswer(before: Json | undefined, after: Json | undefined): readonly Judgement[] {
  return before === undefined || after === undefined ? [] : changes(before, after, "");
}

function changes(before: Json, after: Json, way: string): readonly Judgement[] {
  if (!isObject(before) || !isObject(after)) return [];
  const [old, next] = [Object.keys(before), Object.keys(after)];
  const isWider = next.some((type) => !old.includes(type));
  const text = `${at(way)} is ${inWords(next)}, was ${inWords(old)}`;
  if (isWider) return [{ severity: "breaking", text }];
  return [
    ...(old.length > next.length ? [{ severity: "changed", text } as const] : []),
    ...(before.array === undefined || after.array === undefined ? [] : changes(before.array, after.array, `${way}/*`)),
    ...(isObject(before.object) && isObject(after.object) ? memberChanges(before.object, after.object, way) : []),
  ];
}

interface NamedMember {
  readonly name: string;
  readonly optional?: true;
  readonly is: Json;
}

/** The members by name, read from the JSON that `membersOf` has written into a manifest. */
const namedIn = ({ members }: JsonObject): ReadonlyMap<string, NamedMember> =>
  new Map(((Array.isArray(members) ? members : []) as unknown as readonly NamedMember[]).map((member) => [member.name, member]));

function memberChanges(before: JsonObject, after: JsonObject, way: string): readonly Judgement[] {
  const [old, next] = [namedIn(before), namedIn(after)];
  const former = [...old.values()].flatMap((member): readonly Judgement[] => {
    const path = `${way}/${member.name}`;
    const now = next.get(member.name);
    if (now === undefined) return after.more === true ? [] : [{ severity: "breaking", text: `${at(path)} is gone` }];
    const mayMiss = now.optional === true && member.optional !== true;
    return [
      ...(mayMiss ? [{ severity: "breaking", text: `${at(path)} may be missing` } as const] : []),
      ...changes(member.is, now.is, path),
    ];
  });
  // The new action behind a new entry of the envelope is reported separately.
  const added = before.more === true || way === "/data" ? [] : [...next.keys()].filter((name) => !old.has(name));
  return [...former, ...added.map((name) => ({ severity: "changed", text: `${at(`${way}/${name}`)} is new` }) as const)];
}

const at = (way: string): string => `answer \`${way || "/"}\``;

const inWords = (types: readonly string[]): string => [...types].sort().join(" or ");
