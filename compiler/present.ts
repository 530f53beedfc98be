/** Members without undefined: an optional member is present with a value, or absent (`exactOptionalPropertyTypes`). */
type Present<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The members that have a value, in the order written: `...present({ route, method })` leaves `route` out where it is undefined. */
export function present<const T extends object>(members: T): Present<T> {
  const result: Record<PropertyKey, unknown> = {};
  for (const key of Object.keys(members) as (keyof T)[]) if (members[key] !== undefined) result[key] = members[key];
  return result as Present<T>; // each member has its own value
}
