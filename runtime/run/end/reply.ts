import { Failure, failureCodes } from "../../value/failure.ts";
import { type Json, type JsonObject, put } from "../../value/json.ts";
import { limitReason } from "../../value/too-large.ts";
import { placeOfInterface } from "../action-place.ts";
import type { ResponseSpec } from "../interface.ts";
import type { Reply, ShortReply, WrittenBody } from "../response.ts";
import type { Act, Run } from "../run.ts";
import { levelOfRun, reasonOf } from "../run-level.ts";
import { failedTests, outcome } from "../steps/check.ts";
import type { AssertSpec, TestResult } from "../verdict.ts";
import { finish, headed } from "./finish.ts";
import { shownData } from "./internal-errors.ts";
import { ownMessage } from "./own-message.ts";

const json = "application/json";

/** Turns the outcomes of a finished run into its answer (spec/language 7.2 to 7.5). */
export function reply(run: Run): Reply | Promise<Reply> {
  const answer = replyOf(run);
  return answer instanceof Promise ? answer.then((large) => checked(large, run)) : checked(answer, run);
}

function checked(answer: Reply, run: Run): Reply {
  run.interface.checks?.(answer, run);
  return answer;
}

function replyOf(run: Run): Reply | Promise<Reply> {
  if (run.short !== undefined) return shortReply(run, run.short);
  const judgement = judge(run);
  const { status, failed } = selectOutcome(run, judgement);
  const { templates } = run;
  const own = failed ? (templates?.error_body ?? templates?.custom_body) : templates?.custom_body;
  return orFailedReply(run, () => {
    const body = replyOfTest(run, judgement) ?? own?.() ?? { data: envelope(run, judgement), type: json };
    return finish(run, status, templates?.headers?.() ?? {}, body);
  });
}

/** Gives the answer; if its parts cannot be evaluated or written, a failed response. */
function orFailedReply(run: Run, answer: () => Reply | Promise<Reply>): Reply | Promise<Reply> {
  const failed = (error: unknown): Reply => {
    logFailure(run, error);
    return headed(run, 500, {}, failedBody);
  };
  try {
    const ready = answer();
    return ready instanceof Promise ? ready.catch(failed) : ready;
  } catch (error) {
    return failed(error);
  }
}

/** The body of a failed test: that of the first action with such a body, else that of the interface assert (spec/language 6.4). */
function replyOfTest({ declared }: Run, judgement: Judgement): WrittenBody | undefined {
  for (const { reply } of declared) if (reply !== undefined) return reply;
  return judgement?.passed === false ? judgement.reply : undefined;
}

const failedBody = { text: '{"error":"response failed"}', type: json };

/** Evaluates a `response_on_*`; a template that fails answers as a failed response does (spec/language 7.5). */
export function orFailed(run: Run, answer: () => ShortReply): ShortReply {
  try {
    const short = answer();
    const { http_code = 200 } = short;
    // A written status was checked when compiling; a marker may give any number.
    if (http_code < 100 || http_code > 599)
      throw new Failure("evaluation", `field http_code: expected a status from 100 to 599, got ${http_code}`);
    return short;
  } catch (error) {
    logFailure(run, error);
    return { http_code: 500, body: failedBody };
  }
}

/**
 * Logs a failure of the response: a template that could not be evaluated, or an answer that is too large or too deep. Any other error is
 * our bug and is thrown again.
 */
function logFailure(run: Run, error: unknown, status = 500): void {
  const reason = error instanceof Failure ? error.message : limitReason(error);
  if (reason === undefined) throw error;
  run.problems = [reason];
  logMistake(run, status, `${failureCodes.response} ${reason}`);
}

const logMistake = (run: Run, status: number, text: string): void =>
  run.host.log(levelOfRun(run, status), text, { ...run.place, ...placeOfInterface(run) });

const shortReply = (run: Run, short: ShortReply): Reply | Promise<Reply> =>
  orFailedReply(run, () => {
    const body = short.body ?? replyOfTest(run, null) ?? { data: envelope(run, null), type: json };
    return finish(run, short.http_code ?? 200, short.headers ?? {}, body);
  });

/** Evaluates an interface-level assert that has to wait, and gives it as one whose results are known. */
export async function evaluated(
  run: Run,
  spec: AssertSpec,
  tests: (data: Json) => Promise<readonly TestResult[]>,
): Promise<NonNullable<Run["assertion"]>> {
  if (run.short !== undefined || failedByStrategy(run)) return { spec, tests: () => [] };
  try {
    const results = await tests(baseOf(run));
    return { spec, tests: () => results };
  } catch (error) {
    const thrown = (): never => {
      throw error;
    };
    return { spec, tests: thrown };
  }
}

/**
 * The value that an interface-level assert looks at: the data of the last action that was not skipped, without any action the request body
 * (spec/language 6.6).
 */
const baseOf = (run: Run): Json => (run.acts.length === 0 ? run.body : (lastRun(run)?.data ?? null));

/** Outcome of the interface-level assert; null when there is none or the run failed before it. */
type Judgement =
  | { readonly passed: true; readonly message: string | undefined; readonly code: number | undefined }
  | {
      readonly passed: false;
      readonly error: string | undefined;
      readonly errors: readonly string[];
      readonly status?: number;
      readonly reply?: WrittenBody;
    }
  | null;

/**
 * The interface-level assert: only when the run has not failed; its base is the data of the last action that was not skipped
 * (spec/language 6.6).
 */
function judge(run: Run): Judgement {
  if (run.assertion === undefined || failedByStrategy(run)) return null;
  const { spec, tests } = run.assertion;
  try {
    const failed = failedTests(tests(baseOf(run)));
    if (failed.length === 0) return { passed: true, message: spec.success_message?.() ?? undefined, code: spec.http_code_on_success };
    const judgement = { passed: false, error: spec.error_message?.() ?? undefined, ...outcome(spec, failed) } as const;
    run.problems = judgement.error === undefined ? judgement.errors : [judgement.error, ...judgement.errors];
    // The log has also the texts that the answer hides.
    const reason = run.host.redactor.failure(reasonOf(judgement.error, judgement.errors));
    logMistake(run, statusOfFailure(run, judgement) ?? 500, `${failureCodes.assert} ${reason}`);
    return judgement;
  } catch (error) {
    // An assert that cannot be evaluated has failed.
    logFailure(run, error, spec.http_code_on_error ?? run.interface.response?.http_code_on_error);
    const reason = error instanceof Failure && run.interface.show_error_detail ? error.message : "assert failed";
    return {
      passed: false,
      error: ownMessage(spec.error_message),
      errors: [reason],
      ...(spec.http_code_on_error === undefined ? {} : { status: spec.http_code_on_error }),
    };
  }
}

const lastRun = (run: Run): Act | undefined => run.declared.findLast((act) => act.state !== "skipped");

const hasFailed = (act: Act): boolean => act.state === "failed";

function failedByStrategy(run: Run): boolean {
  if (run.awaited?.stopped) return true;
  const strategy = run.interface.response?.http_code_fallback_strategy ?? "last_action";
  return strategy === "last_action" ? lastRun(run)?.state === "failed" : run.acts.some(hasFailed);
}

export const selectStatus = (run: Run, judgement: Judgement): number => selectOutcome(run, judgement).status;

/** The table of spec/language 7.3, and whether the status is that of a failure; a short-circuit (rule 1) never comes here. */
function selectOutcome(run: Run, judgement: Judgement): { readonly status: number; readonly failed: boolean } {
  const code = statusOfFailure(run, judgement);
  if (code !== undefined) return { status: code, failed: true };
  return { status: (judgement?.passed ? judgement.code : undefined) ?? run.declared.findLast(hasCode)?.okCode ?? 200, failed: false };
}

/** The status of the failure; undefined when the run has not failed, or when a later action has succeeded in place of a failed one. */
function statusOfFailure(run: Run, judgement: Judgement): number | undefined {
  const response: ResponseSpec = run.interface.response ?? {};
  if (judgement?.passed === false) return judgement.status ?? response.http_code_on_error ?? 500;
  const failed = run.declared.filter(hasFailed);
  if (failed.length === 0) return undefined;
  const wish = askedFor(response, failed);
  if (wish !== undefined || !failedByStrategy(run)) return wish;
  return codeOf(response, failed);
}

const askedFor = (response: ResponseSpec, failed: readonly Act[]): number | undefined =>
  inherit(response.http_code_inherit_error ?? [], failed) ?? response.http_code_on_error;

const codeOf = (response: ResponseSpec, failed: readonly Act[]): number =>
  codeByStrategy(response, failed) ?? response.http_code_fallback ?? 500;

/** The status that this failed action alone gives its run: that of its `response_on_error`, or the one by the rules of the interface. */
export function statusOfAct(act: Act): number {
  const { short, interface: target } = act.run;
  if (short !== undefined && act.spec.response_on_error !== undefined) return short.http_code ?? 200;
  const response: ResponseSpec = target.response ?? {};
  return askedFor(response, [act]) ?? codeOf(response, [act]);
}

/** True when the assert gives the status: a transform may have failed after the assert had passed. */
const hasCode = (act: Act): boolean => act.okCode !== undefined && act.state === "succeeded";

/** Rule 3: the first listed failed action that has a code of its own or an upstream status from 400 up. */
function inherit(names: readonly string[], failed: readonly Act[]): number | undefined {
  for (const name of names) {
    const act = failed.find((a) => a.name === name);
    const code = act?.code ?? (act?.upstream !== undefined && act.upstream >= 400 ? act.upstream : undefined);
    if (code !== undefined) return code;
  }
  return undefined;
}

function codeByStrategy(response: ResponseSpec, failed: readonly Act[]): number | undefined {
  const coded = failed.filter((act) => act.code !== undefined);
  return (response.http_code_fallback_strategy === "last_action_with_error" ? coded.at(-1) : coded[0])?.code;
}

/** `{"data": {...}}` in declared order, with the run's own error, errors and message (spec/language 7.2). */
function envelope(run: Run, judgement: Judgement): JsonObject {
  const out: JsonObject = { data: entries(run) };
  if (judgement?.passed === true && judgement.message !== undefined) out.message = judgement.message;
  if (judgement?.passed === false) {
    const { redactor } = run.host;
    const error = judgement.error === undefined ? undefined : redactor.failure(judgement.error);
    const errors = judgement.errors.map((each) => redactor.failure(each));
    if (error !== undefined) out.error = error;
    if (error === undefined || run.interface.show_error_detail) out.errors = errors;
  }
  return out;
}

/** The entries of the envelope, one for each action. */
export function entries(run: Run): JsonObject {
  const detail = run.interface.show_error_detail === true;
  const { veil } = run.shared;
  return entriesOf(run, (act) => {
    const entry = shownEntry(act, detail);
    return veil === undefined || hidesData(act) ? entry : { ...entry, data: veil.over(act, entry.data ?? null) };
  });
}

/** The entries with the whole error texts, for use inside the configuration; only the answer hides texts. */
export const wholeEntries = (run: Run): JsonObject => entriesOf(run, wholeEntry);

/** Each action that has settled and is not hidden. */
function entriesOf(run: Run, entry: (act: Act) => JsonObject): JsonObject {
  const data: JsonObject = {};
  for (const act of run.declared) {
    if (!act.spec.hide_action && act.settled && !act.cancelled) put(data, act.name, entry(act));
  }
  return data;
}

/** The error of an action as the caller may see it; undefined when the action hides it. */
export function shownError({ spec, error, internal }: Act, detail: boolean): string | undefined {
  if (spec.hide_errors || error === undefined) return undefined;
  return internal && !detail ? "action failed" : error;
}

/** The parts of an action's entry that the caller may see. */
export function shownEntry(act: Act, detail: boolean): JsonObject {
  const { spec, error, errors } = act;
  const isShown = !spec.hide_errors && (error === undefined || detail);
  return entry(act, detail ? act.data : shownData(act), shownError(act, detail), isShown ? errors : undefined);
}

const wholeEntry = (act: Act): JsonObject => entry(act, act.data, act.error, act.errors);

function entry(act: Act, data: Json, error: string | undefined, errors: readonly string[] | undefined): JsonObject {
  const out: JsonObject = {};
  if (!hidesData(act)) out.data = data;
  if (act.message !== undefined) out.message = act.message;
  if (error !== undefined) out.error = error;
  if (errors !== undefined) out.errors = [...errors];
  out["time.ms"] = act.ms;
  return out;
}

/** True when neither an answer nor a record shows the data. */
export function hidesData(act: Act): boolean {
  const { spec, state, data } = act;
  if (state === "failed" ? spec.hide_data_on_error : spec.hide_data_on_success) return true;
  return spec.hide_data_on_empty === true && isEmpty(data);
}

function isEmpty(data: Json): boolean {
  if (data === null || data === "") return true;
  if (Array.isArray(data)) return data.length === 0;
  return typeof data === "object" && Object.keys(data).length === 0;
}
