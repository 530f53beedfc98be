import type { ActionPlan, ConditionPlan, Expr, LogPlan, ShortReplyPlan } from "#runtime/plan/index.ts";
import { mentions } from "../4-plan/markers/mentions.ts";
import {
  arrow,
  block as brackets,
  type Code,
  code,
  empty,
  enclosed,
  indented,
  type Line,
  lines,
  list,
  lit,
  name,
  parenthesised,
  widest,
} from "./code.ts";
import { block, expr } from "./exprs.ts";
import { widthOf } from "./marks.ts";
import { attempt } from "./ops.ts";
import type { ActionPlace } from "./place.ts";
import { settingOf } from "./start.ts";
import { asyncWord, body, message, tests } from "./tests.ts";

/** Prints an action: `const Name = cx.act("Name", { gates and reply policy }, attempt);` */
export function action(plan: ActionPlan, variable: Code | undefined, p: ActionPlace): Line[] {
  const options = actOptions(plan, { ...p, indent: `${p.indent}  ` });
  const start = code`${variable === undefined ? empty : code`const ${variable} = `}cx.act(${lit(plan.name)}, `;
  const { head, body } = attempt(plan, p);
  const first = body[0]?.text ?? empty;
  const opening = (beginning: Code): Code => {
    const line = code`${start}${oneLine(options)}`;
    return fits(code`${line}${beginning}`) ? line : code`${start}${severalLines(options)}`;
  };
  // A block, an object, a list or a text begins on the line of `cx.act`. Another call with several lines begins below it.
  const beside = code`${head} ${first}`;
  // Options on several lines end with a line that has room for the attempt.
  const before = fits(code`${start}${oneLine(options)}${head}`) ? code`${start}${oneLine(options)}` : code`}, `;
  if (/^(?:\{|\(\{|\[|`)/.test(first) || (body.length === 1 && fits(code`${before}${beside});`)))
    return enclosed(code`${opening(beside)}${head} `, body, code`);`, plan.at);
  return [...lines(code`${opening(head)}${head}`, plan.at), ...indented(enclosed(empty, body, code`,`)), { text: code`);`, at: plan.at }];
}

/** True when a line of an action is short enough; it stands four columns inside. */
const fits = (text: Code): boolean => !text.includes("\n") && widthOf(text) <= widest - 4;

/** All options on the line of the call; empty without options. */
const oneLine = (options: readonly Code[]): Code => (options.length === 0 ? empty : code`{ ${list(options)} }, `);

const severalLines = (options: readonly Code[]): Code => (options.length === 0 ? empty : code`${brackets("{", options, "}", "")}, `);

function actOptions(plan: ActionPlan, p: ActionPlace): Code[] {
  const { run_when_succeeded, run_when_failed, depends_on, run_on_assertion } = plan.gates;
  const options: Code[] = [];
  if (run_when_succeeded !== undefined) options.push(code`run_when_succeeded: ${condition(run_when_succeeded, p)}`);
  if (run_when_failed !== undefined) options.push(code`run_when_failed: ${condition(run_when_failed, p)}`);
  if (depends_on !== undefined) options.push(code`depends_on: ${condition(depends_on, p)}`);
  if (run_on_assertion !== undefined)
    options.push(code`run_on_assertion: ${asyncWord(run_on_assertion)}() => ${tests(run_on_assertion, p)}`);
  if (run_on_assertion?.error_message !== undefined) options.push(code`guard_message: () => ${message(run_on_assertion.error_message, p)}`);
  if (plan.skips_with !== undefined) options.push(code`skips_with: [${list(plan.skips_with.map((each) => p.act(each)))}]`);
  if (plan.reads.length > 0) options.push(code`reads: [${list(plan.reads.map((each) => p.act(each)))}]`);
  for (const flag of Object.keys(plan.hide)) options.push(code`${name(flag)}: true`);
  const { http_code_on_error, response_on_success, response_on_error, secrets, retry, retry_calls, timeout, stream } = plan;
  if (http_code_on_error !== undefined) options.push(code`http_code_on_error: ${lit(http_code_on_error)}`);
  if (secrets !== undefined) options.push(code`secrets: ${p.imports.use("secrets")}(${list(secrets.map(p.secret))})`);
  if (retry !== undefined) options.push(code`retry: ${retryOf(retry, p)}`);
  if (retry_calls !== undefined) options.push(code`retry_calls: ${retryOf(retry_calls, p)}`);
  if (timeout !== undefined) options.push(code`timeout: ${p.imports.use("timeout")}(${limit(timeout, p)})`);
  if (stream !== undefined) options.push(code`stream: ${p.imports.use("stream")}(${ofAct(stream, p)})`);
  if (plan.awaits !== undefined) {
    const { token, of } = plan.awaits;
    options.push(code`awaits: { of: [${list(of.map((each) => p.act(each)))}], token: () => ${p.imports.use("text")}(${expr(token, p)}) }`);
  }
  for (const [moment, lines] of Object.entries(plan.logs)) options.push(code`${name(moment)}: ${logs(lines, p)}`);
  if (response_on_success !== undefined) options.push(code`response_on_success: ${shortReply(response_on_success, p)}`);
  if (response_on_error !== undefined) options.push(code`response_on_error: ${shortReply(response_on_error, p)}`);
  return options;
}

function retryOf(retry: NonNullable<ActionPlan["retry"]>, { imports }: ActionPlace): Code {
  const settings =
    "started" in retry
      ? settingOf(retry, imports)
      : code`{ ${list(Object.entries(retry).map(([key, value]) => code`${name(key)}: ${lit(value)}`))} }`;
  return code`${imports.use("retry")}(${settings})`;
}

const limit = (timeout: Expr, p: ActionPlace): Code => (timeout.op === "lit" ? lit(timeout.value) : ofAct(timeout, p));

/** Prints a value as a function of the action. */
function ofAct(of: Expr, p: ActionPlace): Code {
  let usesAct = false;
  const now = (): Code => {
    usesAct = true;
    return code`act.now`;
  };
  const value = expr(of, { ...p, now });
  return arrow(usesAct, value);
}

function logs(lines: readonly LogPlan[], outer: ActionPlace): Code {
  const p = { ...outer, data: code`act.data`, now: () => code`act.now` };
  const list = block(
    "[",
    lines.map(
      ({ level, msg }) =>
        (inner) =>
          code`{ level: ${lit(level)}, msg: () => ${parenthesised(expr(msg, { ...p, ...inner }))} }`,
    ),
    "]",
    p,
  );
  return code`(act) => ${p.imports.use("logs")}(act, ${list})`;
}

function condition(plan: ConditionPlan, p: ActionPlace): Code {
  const actions = code`[${list(plan.actions.map((each) => p.act(each)))}]`;
  const { previous, at_least, http_code_on_error } = plan;
  const more: Code[] = [];
  if (previous !== undefined) more.push(code`previous: ${lit(previous)}`);
  if (at_least !== undefined) more.push(code`at_least: ${lit(at_least)}`);
  if (http_code_on_error !== undefined) more.push(code`http_code_on_error: ${lit(http_code_on_error)}`);
  return more.length === 0 ? actions : code`{ ${list([code`actions: ${actions}`, ...more])} }`;
}

function shortReply(plan: ShortReplyPlan, outer: ActionPlace): Code {
  let usesAct = mentions(plan, "data");
  const now = (): Code => {
    usesAct = true;
    return code`act.now`;
  };
  const p = { ...outer, data: code`act.data`, now, indent: `${outer.indent}  ` };
  const options: Code[] = [];
  const { http_code } = plan;
  if (http_code !== undefined) options.push(code`http_code: ${typeof http_code === "number" ? lit(http_code) : expr(http_code, p)}`);
  if (plan.headers !== undefined) options.push(code`headers: ${expr(plan.headers, p)}`);
  if (plan.body !== undefined) options.push(code`body: ${body(plan.body, p)}`);
  return arrow(usesAct, brackets("{", options, "}", outer.indent));
}
