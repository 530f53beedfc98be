import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "esbuild";

/** A documentation comment on lines of its own. */
const comment = /^[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*$/gm;

/**
 * A source text with empty lines in the place of its documentation comments. All lines keep their numbers, so that source maps and stacks
 * stay right.
 */
export const withoutComments = (text: string): string => text.replace(comment, (found) => "\n".repeat(found.split("\n").length - 1));

/**
 * Keeps the comments of our sources out of bundles: esbuild removes comments between statements, but not inside classes. The files of the
 * npm package have none.
 */
export const withoutOwnComments = (root: string): Plugin => ({
  name: "without-own-comments",
  setup(build) {
    const own = join(root, "runtime");
    build.onLoad({ filter: /[\\/]runtime[\\/].*\.ts$/ }, ({ path }) =>
      path.startsWith(own) ? { contents: withoutComments(readFileSync(path, "utf8")), loader: "ts" } : undefined,
    );
  },
});
