import type { Json, JsonObject } from "#runtime/value/json.ts";
import type { AnalysedInterface, AnalysedPlan } from "../../5-analyse/index.ts";
import type { Live } from "../../7-link/live.ts";
import type { Sources } from "../../diagnostics/position.ts";
import { present } from "../../present.ts";
import { type BenchSettings, openBench, type Threads } from "../bench.ts";
import type { Case } from "../case.ts";
import { type GivenWorld, givenOf } from "../given.ts";
import type { Mismatch } from "../judge.ts";
import { type CaseResult, worldOf } from "../run-suite.ts";
import type { Suite } from "../suite.ts";
import { type Disagreement, type Pair, runBoth } from "./agreement.ts";
import { caseText } from "./case-text.ts";
import { type Counterexample, inventedText, type SearchLimits, search } from "./search.ts";

/**
 * The interfaces of a project in both ways. `walked` has the plans for the interpreter; our tests change them to check that a difference is
 * found.
 */
export async function openPair(
  live: Live,
  {
    plans,
    walked = plans,
    sources,
  }: { readonly plans: readonly AnalysedPlan[]; readonly walked?: readonly AnalysedPlan[]; readonly sources: Sources },
  threads: Threads,
): Promise<Pair> {
  // An interface with `disable_fastpath` is printed here, too, so that there are two ways to compare.
  const fast = plans.map((each) => ({ ...each, interfaces: each.interfaces.map((target) => ({ ...target, disable_fastpath: false })) }));
  return {
    printed: await openBench(live, { plans: fast, sources }, threads),
    walked: await openBench(live, { plans: walked, sources }, threads, { interpret: true }),
  };
}

/** Compares the two ways on a test or an example: they must have the same results. */
export async function verifyCase(each: Case, pair: Pair, settings: BenchSettings): Promise<CaseResult> {
  if (each.skip !== undefined) return { case: each, outcome: "skipped", reason: each.skip, mismatches: [], acts: [], ms: 0 };
  if (asksRealDatabase(each.given)) return { case: each, outcome: "skipped", reason: realDatabase, mismatches: [], acts: [], ms: 0 };
  const began = performance.now();
  const world = () => ({ file: each.config.file, world: worldOf(each, settings) });
  const { trial, disagreement } = await runBoth(pair, each.target, each.given.request, world);
  const mismatches = disagreement === undefined ? [] : [mismatchOf(disagreement)];
  const outcome = mismatches.length === 0 ? "passed" : "failed";
  return { case: each, outcome, mismatches, acts: trial?.acts ?? [], ms: performance.now() - began };
}

/** The reason to skip a test with a real database: two runs would find different rows, and no data may leave this process. */
const realDatabase = "its database is a real one";
const asksRealDatabase = ({ world }: GivenWorld): boolean => Object.values(world.databases).some(({ kind }) => kind === "url");

const mismatchOf = ({ at, message, printed, walked }: Disagreement, note?: string): Mismatch => ({
  at,
  message,
  expected: printed,
  actual: walked,
  ...present({ note }),
});

/** Compares the two ways of an interface in random situations. */
export async function verifyInterface(
  { config, target, suite }: { readonly config: AnalysedPlan; readonly target: AnalysedInterface; readonly suite: Suite },
  pair: Pair,
  settings: BenchSettings,
  limits: SearchLimits,
): Promise<CaseResult> {
  const began = performance.now();
  const bases = basesOf(config, target, suite);
  const { runs, answered, found } = await search(pair, { config, target, bases }, settings, limits);
  const at = target.at ?? { file: config.file, start: 0, end: 0 };
  const [given] = bases;
  const each: Case = { name: `${target.name}: generated requests`, file: config.file, at, config, target, given, skip: undefined };
  const mismatches = found === undefined ? [] : [mismatchOf(found.disagreement, noteOf(found, config, target, settings))];
  return {
    case: each,
    outcome: outcomeOf({ runs, found }),
    reason: runs === 0 ? "no run ended in its share of the time" : `${runs} runs, ${answered} answered below 400`,
    mismatches,
    acts: found?.trial?.acts ?? [],
    ms: performance.now() - began,
  };
}

/** The outcome of a search. An interface without any finished run has not passed. */
export function outcomeOf({ runs, found }: { readonly runs: number; readonly found: Counterexample | undefined }): CaseResult["outcome"] {
  if (found !== undefined) return "failed";
  return runs === 0 ? "skipped" : "passed";
}

/** The bases of situations: the values of the tests of the interface, and the values of their file alone. */
function basesOf(config: AnalysedPlan, target: AnalysedInterface, { cases, files }: Suite): readonly [GivenWorld, ...GivenWorld[]] {
  const shared = files.find((file) => file.config === config.file)?.given;
  const own = cases.filter((each) => each.config.file === config.file && each.target.name === target.name && each.written !== undefined);
  const bare = givenOf(undefined, shared, config, target, () => undefined);
  const stubbed = Object.entries(bare.world.databases).filter(([, { kind }]) => kind !== "url");
  const first = { ...bare, world: { ...bare.world, databases: Object.fromEntries(stubbed) } };
  return [first, ...own.map(({ given }) => given).filter((given) => !asksRealDatabase(given))];
}

function noteOf(found: Counterexample, config: AnalysedPlan, target: AnalysedInterface, { variables }: BenchSettings): string {
  const { env, secrets, var: own } = found.situation.base.world;
  const of = (names: readonly string[], given: JsonObject): Record<string, Json> =>
    Object.fromEntries(names.map((name) => [name, given[name] ?? inventedText(name)]));
  const unmanaged = config.needs.vars.filter((name) => !Object.hasOwn(variables, name));
  const invented = {
    env: { ...of(config.needs.env, env), ...env } as Record<string, string>,
    var: of(unmanaged, own),
    secret: { ...of(config.needs.secrets, secrets), ...secrets },
  };
  return `the smallest request that was found, as a contract test:\n${caseText(found, target, invented)}`;
}
