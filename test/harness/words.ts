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

/** The seed that a failure of random configs has printed. */
export const seed = process.env.SEED === undefined ? undefined : Number(process.env.SEED);

export const isWanted = (name: string): boolean => only === undefined || only.includes(name);

function pathOf(word: string): PathName {
  const path = allPaths.find((known) => known === word);
  if (path === undefined) throw new Error(`PATHS: '${word}' is none of ${allPaths.join(", ")}`);
  return path;
}
