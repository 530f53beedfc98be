// The words of the environment that steer a test run: `ONLY=rename_keys UPDATE=1 PATHS=walk,print npm test`.

/** The ways a config is run, in the order of their trust: the interpreter is the nearest to the plan. */
export const allPaths = ["walk", "print", "bundle"] as const;
export type PathName = (typeof allPaths)[number];

/** Fixtures of these names only, separated by commas. */
const only = process.env.ONLY?.split(",");

/** Rewrite what a test would compare with a file: printed modules and sizes. */
export const update = process.env.UPDATE === "1";

/** The paths to run. */
export const paths: readonly PathName[] = (process.env.PATHS?.split(",") ?? allPaths).map(pathOf);

/** Of everything that is drawn at random; test/vitest.config.ts says where it comes from. A failure prints it: `SEED=<seed>` draws the same again. */
export const seed = Number(process.env.SEED);

/** How many random configs: all that the project promises where it counts, some at a desk. `RUNS=20000` searches for longer. */
export const randomRuns = Number(process.env.RUNS ?? (process.env.CI === "true" ? 5_000 : 300));

export const isWanted = (name: string): boolean => only === undefined || only.includes(name);

function pathOf(word: string): PathName {
  const path = allPaths.find((known) => known === word);
  if (path === undefined) throw new Error(`PATHS: '${word}' is none of ${allPaths.join(", ")}`);
  return path;
}
