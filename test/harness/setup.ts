import fc from "fast-check";
import { afterAll, expect } from "vitest";
import { seed } from "./words.ts";

// Loaded before every test file.

// Properties draw from the seed of this run.
fc.configureGlobal({ seed });

/** What packages bring that stand in for features of newer engines may add to the prototypes of others. */
const shared = { Object, Array, Function, String };

const members = (): Record<string, string[]> =>
  Object.fromEntries(Object.entries(shared).map(([name, { prototype }]) => [name, Reflect.ownKeys(prototype).map(String).sort()]));

const before = members();

// Data never becomes a member of what all objects share, whatever a file has run (durability-and-security.md: prototype pollution).
afterAll(() => expect(members()).toEqual(before));
