import { flushCompileCache } from "node:module";
import fc from "fast-check";
import { afterAll, expect } from "vitest";
import { repeated } from "./rules/repeated.ts";
import { seed } from "./rules/words.ts";

// Loaded before every test file.

// Properties draw from the seed of this run, and a failure names the command that draws the same again.
fc.configureGlobal({ seed, reporter: repeated });

/** Packages that stand in for features of newer engines may add to the prototypes of others. */
const shared = { Object, Array, Function, String };

const members = (): Record<string, string[]> =>
  Object.fromEntries(Object.entries(shared).map(([name, { prototype }]) => [name, Reflect.ownKeys(prototype).map(String).sort()]));

const before = members();

// Data never becomes a member of what all objects share, whatever a file has run: that would be a pollution of prototypes.
afterAll(() => expect(members()).toEqual(before));

// The process of a test ends by a signal, at which Node would keep nothing of what it has compiled.
afterAll(() => flushCompileCache());
