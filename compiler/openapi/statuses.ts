import type { ActionPlan, AssertPlan, ShortReplyPlan, TestPlan } from "#runtime/plan/index.ts";
import { maySkip } from "../4-plan/inference/readings.ts";
import type { AnalysedInterface } from "../5-analyse/analysed.ts";

/** The statuses that an interface is known to answer with, without running it. */
export interface Statuses {
  readonly good: readonly number[];
  /** The statuses of failures, sorted, also of answers of the service itself. */
  readonly bad: readonly number[];
}

export function statusesOf(plan: AnalysedInterface): Statuses {
  const refusals = [...deniedOf(plan), ...refusalsOf(plan)];
  // The caller gets its answer before the run ends, so no status of the run reaches the caller.
  if (plan.respond === "early") return { good: [202], bad: unique([...refusals, ...failuresOf(plan)]) };
  const all = [...ofRun(plan), ...refusals];
  const bad = unique(all.filter((code) => code >= 400));
  const good = unique([...(endsShort(plan) ? [] : [200]), ...all].filter((code) => code < 400));
  // An interface that always sets another status of success never answers with 200.
  const isReplaced = plan.assert?.http_code_on_success !== undefined && !shortsOf(plan).some(({ short }) => statusOfShort(short) === 200);
  return { good: good.length > 1 && isReplaced ? good.filter((code) => code !== 200) : good, bad };
}

/** The status of a denial by the network policy. */
export const deniedOf = (plan: AnalysedInterface): readonly number[] =>
  plan.network === undefined || plan.network.mode === "monitor" || !restricts(plan) ? [] : [plan.network.on_deny?.status ?? 403];

/** The statuses with which the service itself refuses a request before a run. */
export function refusalsOf(plan: AnalysedInterface): readonly number[] {
  // The parameters may fail, and the body may not fit its content type.
  const unreadable = plan.params.some(({ validate }) => validate !== undefined) || plan.contract.input !== undefined ? [400] : [];
  const unaccepted = plan.accepts === undefined ? [] : [422];
  // The store of durable runs may be unreachable.
  const unstored = plan.keeps === undefined ? [] : [503];
  return [...unreadable, ...unaccepted, ...unstored, ...(plan.respond === "early" ? [429] : [])];
}

/** An answer of an action that ends the run at once. */
export interface Short {
  readonly short: ShortReplyPlan;
  readonly action: ActionPlan;
  readonly isOfSuccess: boolean;
}

export const shortsOf = ({ actions }: AnalysedInterface): readonly Short[] =>
  actions.flatMap((action) => {
    const { response_on_success: success, response_on_error: error } = action;
    return [
      ...(success === undefined ? [] : [{ short: success, action, isOfSuccess: true }]),
      ...(error === undefined ? [] : [{ short: error, action, isOfSuccess: false }]),
    ];
  });

/** The status of such an answer; undefined where a marker gives it. */
export const statusOfShort = ({ http_code = 200 }: ShortReplyPlan): number | undefined =>
  typeof http_code === "number" ? http_code : undefined;

/** The interface without replies that end a run early. */
export const withoutShorts = (plan: AnalysedInterface): AnalysedInterface => ({
  ...plan,
  actions: plan.actions.map(({ response_on_success: _, response_on_error: __, ...action }) => action),
});

/** True when the last action, which is never skipped, ends every run without a failure by its own success reply. */
export function endsShort({ actions, declared }: AnalysedInterface): boolean {
  const name = declared?.at(-1) ?? actions.at(-1)?.name;
  const last = actions.find((action) => action.name === name);
  const code = last?.response_on_success === undefined ? undefined : statusOfShort(last.response_on_success);
  return last !== undefined && code !== undefined && code < 400 && !maySkip(last);
}

/** True when a caller may get 202 in place of the outcome: a durable run may continue later or in another process (spec/surfaces 14). */
export const mayGoOn = ({ keeps, respond }: AnalysedInterface): boolean => keeps !== undefined && respond !== "early";

/** Statuses of failed runs. With `respond: early`, the caller learns only of actions in `respond_after`. */
export function failuresOf(plan: AnalysedInterface): readonly number[] {
  const { respond, respond_after: awaited = [], actions } = plan;
  if (respond !== "early") return [500, ...ofRun(plan).filter((code) => code >= 400)];
  return actions.filter(({ name }) => awaited.includes(name)).flatMap((action) => ofAction(action).filter((code) => code >= 400));
}

function ofRun({ actions, assert, response, uses }: AnalysedInterface): number[] {
  const configured = [response.http_code_on_error, response.http_code_fallback].filter((code) => code !== undefined);
  // A database may be unreachable, or refuse a statement.
  const isUnnamed = response.http_code_on_error === undefined;
  const unnamed = [...(uses.databases.length > 0 ? [500] : []), ...(uses.collides ? [409] : [])];
  return [...actions.flatMap(ofAction), ...ofAssert(assert), ...configured, ...(isUnnamed ? unnamed : [])];
}

const restricts = ({ network }: AnalysedInterface): boolean => network?.inherits === true || network?.rules !== undefined;

function ofAction(action: ActionPlan): number[] {
  const { gates } = action;
  const conditions = [gates.run_when_succeeded, gates.run_when_failed, gates.depends_on];
  return [
    ...conditions.flatMap((condition) => condition?.http_code_on_error ?? []),
    ...action.ops.flatMap((op) => (op.op === "check" ? ofCheck(op.assert, action) : [])),
    ...[action.response_on_success, action.response_on_error].flatMap((short) => (short === undefined ? [] : (statusOfShort(short) ?? []))),
  ];
}

/** The statuses of the tests of an action. If the failure of the action ends the run with its own reply, failed tests give no status. */
function ofCheck(assert: AssertPlan, { response_on_error }: ActionPlan): number[] {
  const { http_code_on_success: success } = assert;
  if (response_on_error === undefined) return ofAssert(assert);
  return success === undefined ? [] : [success];
}

function ofAssert(assert: AssertPlan | undefined): number[] {
  if (assert === undefined) return [];
  const { http_code_on_error, http_code_on_success, tests } = assert;
  return [...[http_code_on_error, http_code_on_success].filter((code) => code !== undefined), ...tests.flatMap(ofTest)];
}

const ofTest = ({ http_code_on_error, matchers }: TestPlan): number[] => [
  ...(http_code_on_error === undefined ? [] : [http_code_on_error]),
  ...matchers.flatMap(({ leaves = {} }) => Object.values(leaves).flatMap(ofTest)),
];

const unique = (codes: readonly number[]): number[] => [...new Set(codes)].sort((a, b) => a - b);
