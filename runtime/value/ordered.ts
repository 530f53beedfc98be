/**
 * A map whose members count in the order in which they are written. It is a list of pairs where an object of JavaScript would have another
 * order, because names such as `1` come first there.
 */
export type Ordered<V> = Readonly<Record<string, V>> | readonly (readonly [name: string, value: V])[];

/** The members of a map in the order in which they are written. */
export const membersOf = <V>(map: Ordered<V>): readonly (readonly [name: string, value: V])[] => (isList(map) ? map : Object.entries(map));

const isList = <V>(map: Ordered<V>): map is readonly (readonly [string, V])[] => Array.isArray(map);

/** True when an object with these members would have them in another order. */
export const isReordered = (names: readonly string[]): boolean => {
  const own = Object.keys(Object.fromEntries(names.map((name) => [name, true])));
  return names.some((name, i) => name !== own[i]);
};
