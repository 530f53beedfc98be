import fc from "fast-check";
import type { Trial } from "#runtime/testing/trial.ts";
import type { World } from "#runtime/testing/world.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import type { AnalysedInterface, AnalysedPlan } from "../../5-analyse/index.ts";
import type { BenchSettings } from "../bench.ts";
import type { GivenWorld } from "../given.ts";
import { type Disagreement, type Pair, runBoth } from "./agreement.ts";
import { type Improvised, improvise } from "./outside.ts";
import { type Situation, situationsOf } from "./situations.ts";
import type { Source } from "./sources.ts";

/** The limits of a search. */
export interface SearchLimits {
  readonly runs: number;
  readonly seed: number;
  /** The time in milliseconds; undefined for no limit. */
  readonly time: number | undefined;
}

/** The end of a search: the number of situations that were run, and how many of them were answered below 400. */
export interface Searched {
  readonly runs: number;
  readonly answered: number;
  readonly found?: Counterexample;
}

/** The smallest situation with a difference, with all requests to the outside. */
export interface Counterexample {
  readonly situation: Situation;
  readonly given: Improvised;
  readonly trial: Trial | undefined;
  readonly disagreement: Disagreement;
}

/** The most smaller situations that are tried after a difference; each needs two runs. */
const mostShrinks = 500;

/**
 * Runs an interface in both ways in random situations until the results differ; then it searches the smallest situation with a difference.
 */
export async function search(
  pair: Pair,
  { config, target, bases }: { readonly config: AnalysedPlan; readonly target: AnalysedInterface; readonly bases: readonly GivenWorld[] },
  settings: BenchSettings,
  { runs, seed, time }: SearchLimits,
): Promise<Searched> {
  const { situations, sources } = situationsOf(target, bases);
  const compared = { runs: 0, answered: 0, shrinks: 0, failed: false };
  const performed = (situation: Situation) => perform(pair, { config, target, sources }, situation, settings);
  const property = fc.asyncProperty(situations, async (situation) => {
    if (compared.failed && compared.shrinks++ > mostShrinks) return true;
    const { trial, disagreement } = await performed(situation);
    if (!compared.failed) {
      compared.runs++;
      const status = trial?.reply?.status ?? 0;
      if (status > 0 && status < 400) compared.answered++;
    }
    compared.failed ||= disagreement !== undefined;
    return disagreement === undefined;
  });
  const bound = time === undefined ? {} : { interruptAfterTimeLimit: Math.max(1, time) };
  const { counterexample } = await fc.check(property, { numRuns: runs, seed, ...bound });
  const [situation] = counterexample ?? [];
  if (situation === undefined) return compared;
  const { given, trial, disagreement } = await performed(situation);
  return disagreement === undefined ? compared : { ...compared, found: { situation, given, trial, disagreement } };
}

async function perform(
  pair: Pair,
  { config, target, sources }: { readonly config: AnalysedPlan; readonly target: AnalysedInterface; readonly sources: readonly Source[] },
  situation: Situation,
  settings: BenchSettings,
) {
  const { base, trigger, params, headers, body, answers } = situation;
  const request = { ...base.request, trigger, params, headers, body };
  let first: Improvised | undefined;
  const both = await runBoth(pair, target, request, () => {
    const { outside, given } = improvise(sources, answers);
    first ??= given;
    return { file: config.file, world: { ...worldAround(base, config, settings), outside } };
  });
  return { ...both, given: first ?? { calls: [], queries: [], commands: [], callbacks: [], files: new Map() } };
}

/** The world of a situation: the values of its base, and a made-up value for each other need of the configuration. */
function worldAround({ world }: GivenWorld, { needs }: AnalysedPlan, { environment, variables }: BenchSettings): World {
  const { var: own, env, secrets, ...rest } = world;
  const invented = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, inventedText(name)]));
  const secret: JsonObject = { ...invented(needs.secrets), ...secrets };
  return {
    ...rest,
    environment,
    env: { ...invented(needs.env), ...env },
    secrets: secret,
    variables: { ...invented(needs.vars), ...variables, ...own },
  };
}

/** A text for a variable of this name: an address if the name suggests one. */
export const inventedText = (name: string): string => {
  const word = name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  if (/(?:^|-)(?:url|uri|endpoint|base|origin|api)(?:-|$)/.test(word)) return `https://${word}.test`;
  return /(?:^|-)port(?:-|$)/.test(word) ? "8080" : word;
};
