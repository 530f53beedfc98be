import type { ActionPlan, AssertPlan, ConditionPlan, LogPlan, ShortReplyPlan, StartedPlan } from "../plan/index.ts";
import { retry } from "../run/around/retry.ts";
import { secrets } from "../run/around/secrets.ts";
import { timeout } from "../run/around/timeout.ts";
import type { StreamArgs } from "../run/forwarding.ts";
import type { ShortReply } from "../run/response.ts";
import type { Act, ActSpec, Condition } from "../run/run.ts";
import { logs } from "../run/steps/logs.ts";
import { setting } from "../start/setting.ts";
import { asObject, own } from "../value/json.ts";
import { milliseconds, string, text } from "../value/values.ts";
import { actOf, evaluate, type Parts, type Scope } from "./evaluate.ts";
import { asyncResults, body, results } from "./tests.ts";

/** Builds the spec of an action, with the same calls as the printed module. */
export function actSpec(action: ActionPlan, scope: Scope): ActSpec {
  const { run_when_succeeded, run_when_failed, depends_on, run_on_assertion } = action.gates;
  const { response_on_success, response_on_error, timeout: limit, stream } = action;
  const message = run_on_assertion?.error_message;
  return {
    ...(run_when_succeeded === undefined ? {} : { run_when_succeeded: condition(run_when_succeeded, scope) }),
    ...(run_when_failed === undefined ? {} : { run_when_failed: condition(run_when_failed, scope) }),
    ...(depends_on === undefined ? {} : { depends_on: condition(depends_on, scope) }),
    ...(run_on_assertion === undefined ? {} : { run_on_assertion: guardOf(run_on_assertion, scope) }),
    ...(message === undefined ? {} : { guard_message: () => string(evaluate(message, scope)) }),
    ...(action.skips_with === undefined ? {} : { skips_with: action.skips_with.map((name) => actOf(name, scope)) }),
    ...(action.reads.length === 0 ? {} : { reads: action.reads.map((name) => actOf(name, scope)) }),
    ...action.hide,
    ...(action.http_code_on_error === undefined ? {} : { http_code_on_error: action.http_code_on_error }),
    ...(action.secrets === undefined
      ? {}
      : { secrets: secrets(...action.secrets.map((name) => own(scope.parts.secrets ?? {}, name) ?? name)) }),
    ...(action.retry === undefined ? {} : { retry: retry(started(action.retry, scope)) }),
    ...(action.retry_calls === undefined ? {} : { retry_calls: retry(started(action.retry_calls, scope)) }),
    ...(limit === undefined ? {} : { timeout: timeout((act) => milliseconds(evaluate(limit, { ...scope, act }), "timeout")) }),
    // The compiler has checked the fields, or the evaluation has coerced them.
    ...(stream === undefined ? {} : { stream: streaming(scope)((act) => evaluate(stream, { ...scope, act }) as unknown as StreamArgs) }),
    ...(action.awaits === undefined ? {} : { awaits: awaited(action.awaits, scope) }),
    ...Object.fromEntries(
      Object.entries(action.logs).map(([moment, lines]: [string, readonly LogPlan[]]) => [
        moment,
        (act: Act) => log(lines, { ...scope, act, data: act.data }),
      ]),
    ),
    ...(response_on_success === undefined
      ? {}
      : { response_on_success: (act) => shortReply(response_on_success, { ...scope, act, data: act.data }) }),
    ...(response_on_error === undefined
      ? {}
      : { response_on_error: (act) => shortReply(response_on_error, { ...scope, act, data: act.data }) }),
  };
}

const awaited = ({ token, of }: NonNullable<ActionPlan["awaits"]>, scope: Scope): NonNullable<ActSpec["awaits"]> => ({
  of: of.map((name) => actOf(name, scope)),
  token: () => text(evaluate(token, scope)),
});

function streaming({ parts }: Scope): NonNullable<Parts["stream"]> {
  if (parts.stream === undefined) throw new Error("a stream without the part that forwards it");
  return parts.stream;
}

const guardOf = (tests: AssertPlan, scope: Scope): NonNullable<ActSpec["run_on_assertion"]> =>
  tests.waits ? () => asyncResults(tests, scope) : () => results(tests, scope);

function log(lines: readonly LogPlan[], scope: Scope): void {
  logs(
    running(scope),
    lines.map(({ level, msg }) => ({ level, msg: () => evaluate(msg, scope) })),
  );
}

function condition({ actions, ...rest }: ConditionPlan, scope: Scope): Condition {
  return { actions: actions.map((name) => actOf(name, scope)), ...rest };
}

function shortReply(plan: ShortReplyPlan, scope: Scope): ShortReply {
  const { http_code } = plan;
  return {
    ...(http_code === undefined ? {} : { http_code: typeof http_code === "number" ? http_code : Number(evaluate(http_code, scope)) }),
    ...(plan.headers === undefined ? {} : { headers: asObject(evaluate(plan.headers, scope)) }),
    ...(plan.body === undefined ? {} : { body: body(plan.body, scope) }),
  };
}

/** The action whose op is under way. */
export function running(s: Scope): Act {
  if (s.act === undefined) throw new Error("an op outside an action");
  return s.act;
}

/** A setting of the plan, or the setting that was read at the start. */
export const started = <V>(value: V | StartedPlan, { cx }: Scope): V =>
  typeof value === "object" && value !== null && "started" in value ? setting(cx, value.started) : value;
