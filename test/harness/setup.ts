import { flushCompileCache } from "node:module";
import fc from "fast-check";
import { afterAll, expect } from "vitest";
import { repeated } from "./rules/repeated.ts";
import { seed } from "./rules/words.ts";

// Loaded before every test file.

// Property tests draw from the seed of this run, and a failure prints the command that repeats the draws.
fc.configureGlobal({ seed, reporter: repeated });

/** Objects whose prototypes are checked. Other prototypes are not, because polyfills in npm packages may add to them. */
const shared = { Object, Array, Function, String };

const members = (): Record<string, string[]> =>
  Object.fromEntries(Object.entries(shared).map(([name, { prototype }]) => [name, Reflect.ownKeys(prototype).map(String).sort()]));

const before = members();

// No test file may add members to the objects that all code shares: that would be prototype pollution.
afterAll(() => expect(members()).toEqual(before));

// The process of a test ends by a signal, at which Node would not write its compile cache.
afterAll(() => flushCompileCache());
