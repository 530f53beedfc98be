import type { Json, Step } from "./json.ts";

// Types only: the data that a printed module declares, and how the type checker compares a path that is read with them. Nothing of this
// exists at run time.

declare const marker: unique symbol;

/** The mark of data whose type a printed module declares. An interface would not be a `JsonObject`. */
export type Marked = { readonly [marker]: true };

/** The data of an action; null where it has none. */
export type Known<Data> = (Data & Marked) | null;

/** A run whose body has satisfied a schema; other members than those of its type may be there. */
export interface Accepted<Input> {
  readonly body: Json & (unknown extends Input ? unknown : Input & Marked);
}

/** The arguments of a reading: its path, when the path leads to a value or nothing is known of the data. */
export type Way<Value, Path> = [Exclude<Value, null>] extends [Marked] ? WayUnless<Astray<Value, Path>, Path> : Path;

/** The arguments of a reading in each element of a list. */
export type WayOfEach<Value, Path> = [Exclude<Value, null>] extends [Marked]
  ? [Exclude<Value, null>] extends [readonly (infer Item)[]]
    ? WayUnless<Astray<Item, Path>, Path>
    : Path
  : Path;

type WayUnless<Lost, Path> = [Lost] extends [never] ? Path : readonly NoMember<Lost>[];

/** A step of a path that leads nowhere. No step has this type, so the type checker reports it. */
export type NoMember<Name> = string & { readonly "has no member": Name };

/**
 * The first step that leads nowhere; `never` when there is none. It follows the same rules as `follow` of the compiler: null is never a
 * reason, since a value may be unset, and the steps behind `*` are not checked.
 */
type Astray<Value, Path> = Json extends Value
  ? never
  : Path extends readonly [infer First, ...infer Rest]
    ? First extends "*"
      ? never
      : [Below<Value, First>] extends [never]
        ? [Value] extends [null]
          ? never
          : First
        : Astray<Below<Value, First>, Rest>
    : never;

/** The value behind one step; never where there is none. */
type Below<Value, Key> = Value extends readonly (infer Item)[]
  ? Key extends number | `${number}`
    ? Item | null
    : never
  : Value extends object
    ? MemberOf<Value, Key extends number ? `${Key}` : Key>
    : never;

type MemberOf<Value, Name> = Name extends keyof Value
  ? Exclude<Value[[Name, string] extends [Inherited, keyof Value] ? string & keyof Value : Name], undefined>
  : never;

/** Names that TypeScript finds in every object before it looks at an index signature. */
type Inherited = "constructor" | "toString" | "toLocaleString" | "valueOf" | "hasOwnProperty" | "isPrototypeOf" | "propertyIsEnumerable";

/** The path of a reading. */
export type Path = readonly Step[];
