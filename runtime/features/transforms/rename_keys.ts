import { renaming } from "../../paths/member-edit.ts";
import { placesOfNames, whenKnown } from "../../shapes/arguments.ts";
import { eitherMember, memberAt, memberElse, rows, withMembers } from "../../shapes/edit.ts";
import { absent, type Member, type ObjectShape, type Shape } from "../../shapes/shape.ts";
import { Failure } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, own, put, typeOf } from "../../value/json.ts";
import type { MemberEdit, Transform } from "../feature.ts";

/** Old names and new ones. Null, from an unset marker, renames nothing. */
type Names = Readonly<Record<string, Json>>;

/** New names by old ones, and the other way round. */
interface Renaming {
  readonly to: ReadonlyMap<string, string>;
  readonly from: ReadonlyMap<string, readonly string[]>;
}

/** Stage 1 makes two tables: the new name of each old one, and the old names of each new one. */
export function prepare(names: Names): Renaming {
  const to = new Map<string, string>();
  const from = new Map<string, readonly string[]>();
  for (const [old, name] of Object.entries(names)) {
    if (typeof name !== "string") continue;
    to.set(old, name);
    from.set(name, [...(from.get(name) ?? []), old]);
  }
  return { to, from };
}

/**
 * Renames root members, or those of each object of an array; other elements stay. All names change at once, so that two names may be
 * swapped; members keep their place. A renamed member replaces one that has the new name already. A missing member is ignored. Names are
 * literal: dots are part of them.
 */
export function rename_keys(data: Json, renaming: Renaming): Json {
  if (Array.isArray(data)) return data.map((item) => (isObject(item) ? renamed(item, renaming) : item));
  if (!isObject(data)) throw new Failure("transform", `expected an object or array, found ${typeOf(data)}`);
  return renamed(data, renaming);
}

function renamed(row: JsonObject, { to, from }: Renaming): JsonObject {
  const out: JsonObject = {};
  for (const key in row) {
    const name = to.get(key);
    const value = row[key] ?? null;
    if (name !== undefined) put(out, name, value);
    else if (!from.get(key)?.some((old) => Object.hasOwn(row, old))) put(out, key, value);
  }
  return out;
}

/** All names change at once, so the order does not matter. */
function edit(names: Names): MemberEdit | undefined {
  const rename = renaming(Object.entries(names));
  return rename && { rename };
}

function renamedShape(row: ObjectShape, { to, from }: Renaming): Shape {
  const gone = [...to.keys()].filter((old) => !from.has(old)).map((old) => [old, absent] as const);
  const renamed = [...from].map(([name, olds]) => {
    const sources = olds.map((old) => memberAt(row, old)).reduce(oneOfMembers);
    return [name, memberElse(sources, to.has(name) ? absent : memberAt(row, name))] as const;
  });
  return withMembers(row, [...gone, ...renamed]);
}

/** Two members that get one name: the one that comes later in the row stays. */
const oneOfMembers = (a: Member, b: Member): Member => {
  const { shape } = eitherMember(a, b);
  return a.optional === true && b.optional === true ? { shape, optional: true } : { shape };
};

export const spec: Transform<Names, Renaming> = {
  summary: "Rename members at the root, or in every object of a list.",
  schema: {
    type: "object",
    additionalProperties: { type: "string", description: "The new name." },
    description: "Old name to new name. Names are literal, not paths.",
  },
  effect: "pure",
  prepare,
  run: rename_keys,
  shape: (data, args) => whenKnown(args, prepare, (renaming) => rows(data, (row) => renamedShape(row, renaming))),
  expects: (names) => placesOfNames(Object.keys(names).filter((old) => typeof own(names, old) === "string")),
  edit,
};
