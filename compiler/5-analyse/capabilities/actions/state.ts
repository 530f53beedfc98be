import { isUnset, member } from "../member.ts";
import { namesOf } from "../names.ts";
import { keysOf, stored } from "../state-keys.ts";
import type { Touched, Toucher } from "../touched.ts";

/** The keys that are read and written. */
export const toucher: Toucher = (args, known, config) => {
  const loads = namesOf(member(args, "load"), known).map(({ name }): Touched => stored(name, config));
  const operations = ["get", "set", "advance", "delete", "seen"].flatMap((verb) => {
    const operation = member(args, verb);
    return isUnset(operation) ? [] : keysOf(operation, verb, known, config);
  });
  return [...loads, ...operations];
};
