import { actionKeys } from "./action-keys.ts";
import { configurationKeys } from "./configuration-keys.ts";
import { contractTestKeys } from "./contract-test-keys.ts";
import { interfaceKeys } from "./interface-keys.ts";
import { matcherKeys, matchers } from "./matchers.ts";
import { transforms } from "./transforms.ts";
import type { Words } from "./words.ts";

/** Words for keys, by the title of the record in which they are written. Each leads to the hint that says how it is written here. */
export const keys: ReadonlyMap<string, Words> = new Map(
  Object.entries({
    ...configurationKeys,
    ...interfaceKeys,
    ...actionKeys,
    ...contractTestKeys,
    ...matcherKeys,
    Test: matchers,
    Transform: transforms,
  }),
);

/** The hint for a key of a record that is a word of another tool, in any spelling: `forEach`, `for-each`. */
export function keyHint(title: string, key: string): string | undefined {
  const word = key
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
  return keys.get(title)?.get(word);
}
