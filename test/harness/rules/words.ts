// Environment variables that control a test run: `UPDATE=1 PATHS=walk,print npm test`.

/**
 * The ways in which a config is run, most trusted first: the interpreter is nearest to the plan. `fastify` is a printed module inside of an
 * application of Fastify.
 */
export const allPaths = ["walk", "print", "bundle", "fastify"] as const;
export type PathName = (typeof allPaths)[number];

/** The fixtures that `npm run case` asks for, each as `kind/name`. */
const wanted = process.env.CASE?.split(",");

/** True when tests write the files that they otherwise compare with: printed modules, sizes, lists of diagnostics. */
export const update = process.env.UPDATE === "1";

/** The seed of all random draws; test/vitest.config.ts sets it. */
export const seed = Number(process.env.SEED);

const { DRAWS = "some" } = process.env;

/** True for the fast run during development: `npm test` without further variables. */
const fast = DRAWS === "some" && wanted === undefined;

/** The paths to run. `walk` and `print` always run; `bundle` and `fastify` run in `npm run test:all` and `npm run case`. */
export const paths: readonly PathName[] = (process.env.PATHS?.split(",") ?? (fast ? ["walk", "print"] : allPaths)).map(pathOf);

/** Number of draws of a random law: `all` in `npm run test:all`, a fortieth of that elsewhere. `DRAWS=20000` searches for longer. */
export function draws(all: number): number {
  if (DRAWS === "all") return all;
  return DRAWS === "some" ? Math.ceil(all / 40) : Number(DRAWS);
}

/**
 * The names that a costly law examines: all in `npm run test:all` and `npm run case`, elsewhere about one of `every`. The choice depends
 * only on the name and the seed, so that a new fixture does not change it for the others.
 */
export function sampled<Name extends string>(names: readonly Name[], every: number): readonly Name[] {
  if (!fast) return names;
  return names.filter((name) => ([...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) + seed) % every === 0);
}

/** True when the fixture runs: either all run, or `npm run case` has selected this one. */
export const isWanted = (kind: string, name: string): boolean => wanted?.includes(`${kind}/${name}`) ?? true;

/** The names of a kind that `npm run case` has selected; empty when all fixtures run. */
export const namesWanted = (kind: string): readonly string[] =>
  (wanted ?? []).flatMap((each) => (each.startsWith(`${kind}/`) ? [each.slice(kind.length + 1)] : []));

function pathOf(word: string): PathName {
  const path = allPaths.find((known) => known === word);
  if (path === undefined) throw new Error(`PATHS: '${word}' is none of ${allPaths.join(", ")}`);
  return path;
}
