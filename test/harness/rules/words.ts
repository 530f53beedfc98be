// The words of the environment that steer a test run: `UPDATE=1 PATHS=walk,print npm test`.

/**
 * The ways in which a config is run, in the order of trust: the interpreter is the nearest to the plan. `fastify` is a printed module
 * inside of an application of Fastify.
 */
export const allPaths = ["walk", "print", "bundle", "fastify"] as const;
export type PathName = (typeof allPaths)[number];

/** The fixtures that `npm run case` asks for, each as `kind/name`. */
const wanted = process.env.CASE?.split(",");

/** A test writes the file that it would compare with: printed modules, sizes, lists of diagnostics. */
export const update = process.env.UPDATE === "1";

/** Everything that is drawn at random is drawn from this seed; test/vitest.config.ts sets it. */
export const seed = Number(process.env.SEED);

const { DRAWS = "some" } = process.env;

/** A fast run for whoever works on something: `npm test` without a word. */
const fast = DRAWS === "some" && wanted === undefined;

/** The paths to run: the two meanings always, and in `npm run test:all` and `npm run case` the two other ways in which people run them. */
export const paths: readonly PathName[] = (process.env.PATHS?.split(",") ?? (fast ? ["walk", "print"] : allPaths)).map(pathOf);

/**
 * How often a random law draws: `all` times in `npm run test:all`, a fortieth of that elsewhere. `DRAWS=20000` searches for longer.
 */
export function draws(all: number): number {
  if (DRAWS === "all") return all;
  return DRAWS === "some" ? Math.ceil(all / 40) : Number(DRAWS);
}

/**
 * The names that a costly law looks at: all of them in `npm run test:all` and `npm run case`, elsewhere about one of `every`. Which ones
 * follows from the name and the seed alone, so that one more fixture leaves the others where they are.
 */
export function sampled<Name extends string>(names: readonly Name[], every: number): readonly Name[] {
  if (!fast) return names;
  return names.filter((name) => ([...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) + seed) % every === 0);
}

/** The fixture is run: either all are, or `npm run case` has asked for this one. */
export const isWanted = (kind: string, name: string): boolean => wanted?.includes(`${kind}/${name}`) ?? true;

/** The names of a kind that `npm run case` has asked for; none when all fixtures are run. */
export const namesWanted = (kind: string): readonly string[] =>
  (wanted ?? []).flatMap((each) => (each.startsWith(`${kind}/`) ? [each.slice(kind.length + 1)] : []));

function pathOf(word: string): PathName {
  const path = allPaths.find((known) => known === word);
  if (path === undefined) throw new Error(`PATHS: '${word}' is none of ${allPaths.join(", ")}`);
  return path;
}
