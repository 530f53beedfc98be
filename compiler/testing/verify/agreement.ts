import type { InterfacePlan, Span } from "#runtime/plan/index.ts";
import type { Effect } from "#runtime/testing/effects.ts";
import type { TestRequest } from "#runtime/testing/test-request.ts";
import type { Trial } from "#runtime/testing/trial.ts";
import type { World } from "#runtime/testing/world.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import type { Bench } from "../bench.ts";
import { unfitAnswer } from "../contract.ts";
import { seenAnswer } from "../seen-answer.ts";
import { listed } from "./reads.ts";
import { callOf, placesOf, queryOf } from "./sources.ts";

/** The two ways of running the same interfaces: their printed modules, and the interpreter. */
export interface Pair {
  readonly printed: Bench;
  readonly walked: Bench;
}

/** A run with different results of the two ways, a crash of both, or an answer that breaks its contract. */
export interface Disagreement {
  readonly at: Span;
  readonly message: string;
  /** The different facts, from the module (`printed`) and from the interpreter. */
  readonly printed: JsonObject;
  readonly walked: JsonObject;
}

/** A run that threw, which must never happen. */
interface Crash {
  readonly crash: string;
}

const attempt = (run: Promise<Trial>): Promise<Trial | Crash> =>
  run.catch((error: unknown): Crash => ({ crash: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }));

/** Runs an interface once in each way, each in its own world. Gives the run of the module, and the differences of the interpreter. */
export async function runBoth(
  { printed, walked }: Pair,
  target: InterfacePlan,
  request: TestRequest,
  world: () => { readonly file: string; readonly world: World },
): Promise<{ readonly trial: Trial | undefined; readonly disagreement: Disagreement | undefined }> {
  const once = ({ run }: Bench): Promise<Trial | Crash> => {
    const { file, world: fresh } = world();
    return attempt(run(file, request, fresh));
  };
  const one = await once(printed);
  const other = await once(walked);
  const disagreement = disagreementOf(target, one, other);
  return { trial: "crash" in one ? undefined : one, disagreement };
}

function disagreementOf(target: InterfacePlan, printed: Trial | Crash, walked: Trial | Crash): Disagreement | undefined {
  const whole = target.at ?? nowhere;
  if ("crash" in printed || "crash" in walked)
    return { at: whole, message: "a run of it throws", printed: crashOf(printed), walked: crashOf(walked) };
  const [one, other] = [factsOf(printed), factsOf(walked)];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((name) => !isSame(one[name], other[name]));
  if (names.length === 0) {
    const bug = printed.log.find(({ level }) => level === "critical");
    if (bug !== undefined) return { at: whole, message: `a run of it is a bug on both ways: ${bug.msg}`, printed: {}, walked: {} };
    return unkept(target, printed);
  }
  const action = differing(printed.acts, walked.acts)?.name ?? askedBy(target, differing(printed.effects, walked.effects));
  const place = listed(target.actions).find(({ name }) => name === action)?.at;
  const only = (facts: JsonObject): JsonObject =>
    Object.fromEntries(names.flatMap((name): [string, Json][] => (facts[name] === undefined ? [] : [[name, facts[name]]])));
  const what = place === undefined ? names.join(", ") : `action ${action}`;
  return {
    at: place ?? whole,
    message: `${what} of ${target.name}: the printed module and the interpreter differ; this is a bug of pipewright, please report it`,
    printed: only(one),
    walked: only(other),
  };
}

/** An answer that breaks the contract. Answers from outside may be made up, so only runs without effects are checked. */
function unkept(target: InterfacePlan, trial: Trial): Disagreement | undefined {
  const [message] = trial.effects.length === 0 ? unfitAnswer(seenAnswer(trial), target) : [];
  return message === undefined ? undefined : { at: target.contract.enforced ?? target.at ?? nowhere, message, printed: {}, walked: {} };
}

const nowhere: Span = { file: "", start: 0, end: 0 };

const crashOf = (end: Trial | Crash): JsonObject => ("crash" in end ? { crash: end.crash } : factsOf(end));

/** All results of a run that a caller, the outside or a reader of the log can see. */
function factsOf(trial: Trial): JsonObject {
  const { status, headers, body } = seenAnswer(trial);
  const { reply, effects, acts, problems, log } = trial;
  return {
    status,
    headers,
    body,
    // The text is compared, too, because JSON texts may be equal as values but differ in order or blanks.
    text: typeof reply?.body === "string" ? reply.body : null,
    effects: [...effects],
    actions: acts.map(({ name, state, error = null, data }) => ({ name, state, error, data })),
    problems: [...problems],
    log: log.map(({ level, msg, fields }) => ({ level, msg, ...fields })),
  };
}

/** Compares two JSON values. The order of keys counts, as in an answer. */
const isSame = (one: Json | undefined, other: Json | undefined): boolean => JSON.stringify(one) === JSON.stringify(other);

const differing = <T>(one: readonly T[], other: readonly T[]): T | undefined =>
  one.find((each, i) => JSON.stringify(each) !== JSON.stringify(other[i])) ?? other[one.length];

/** The name of the action that made the request to the outside. */
function askedBy({ actions }: InterfacePlan, effect: Effect | undefined): string | undefined {
  const { call, query, database } = effect ?? {};
  const question = typeof call === "string" ? callOf(call.replace(/^\S+ /, "")) : queryOf(String(database), String(query));
  return placesOf(actions).find(({ fits }) => fits(question))?.action.name;
}
