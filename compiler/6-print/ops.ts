import type { ActionPlan, ChoicePlan, Expr, NestedPlan, Op, Span, TransformOp } from "#runtime/plan/index.ts";
import { mentions } from "../4-plan/markers/mentions.ts";
import { isUnset } from "../5-analyse/capabilities/member.ts";
import {
  addLines,
  block as brackets,
  type Code,
  call,
  code,
  empty,
  enclosed,
  indented,
  isShort,
  type Line,
  lines,
  list,
  lit,
  mark,
  name,
  parenthesised,
} from "./code.ts";
import { block, expr } from "./exprs.ts";
import { lookupOptions } from "./lookup-options.ts";
import { widthOf } from "./marks.ts";
import type { ActionPlace } from "./place.ts";
import { type PlannedRowLoop, rowLoop } from "./row-loop.ts";
import { printRowLoop } from "./rows.ts";
import { columnsBefore } from "./select-list.ts";
import { pathOf, ready } from "./stage.ts";
import { assertOptions, asyncWord, predicate, tests } from "./tests.ts";

/** An attempt as the last argument of `cx.act`. */
export interface PrintedAttempt {
  /** The text before the body: `(act) =>` or `async (act) =>`. */
  readonly head: Code;
  /** The lines of one expression, or of a block. */
  readonly body: readonly Line[];
}

/** The place at which an op is printed; expressions read `data` as the action's own data. */
interface OpPlace extends ActionPlace {
  /** The result of the op before. */
  readonly current: Code;
  /** The code of the function that records the input of the action. */
  readonly takes: () => Code;
  /** `await ` before a call that waits, or nothing where its promise is returned. */
  readonly wait: Code;
}

/** The place of an op whose result is not the result of the attempt, so that its promise is awaited. */
const within = (p: OpPlace): OpPlace => ({ ...p, wait: code`await ` });

/** An op, or several ops that are printed together as one loop. */
interface Step {
  readonly op: Op;
  readonly together: PlannedRowLoop | undefined;
  /** True when its arguments read the data as they were before the first transform. */
  readonly before: boolean;
}

/** The attempt: one expression when each op takes only the result of the op before it, else a statement for each op. */
export function attempt(plan: ActionPlan, outer: ActionPlace): PrintedAttempt {
  const { ops } = plan;
  let usesAct = ops.some((op) => op.op !== "take" && op.op !== "pick");
  const act = (part: "now" | "signal" | "earlier" | "takes") => (): Code => {
    usesAct = true;
    return code`act.${name(part)}`;
  };
  const data = code`data`;
  const own = { now: act("now"), signal: act("signal"), earlier: act("earlier"), takes: act("takes") };
  const [async, wait] = plan.resumes === true ? [code`async `, code`await `] : [empty, empty];
  const inner: OpPlace = { ...outer, ...own, data, current: data, indent: "", wait };
  const steps = stepsOf(ops, inner);
  const expression = expressionOf(steps, inner);
  const body = expression ?? statements(steps, inner);
  return {
    head: code`${async}(${usesAct ? code`act` : empty}) =>`,
    body: expression === undefined ? [{ text: code`{`, at: plan.at }, ...indented(body), { text: code`}` }] : body,
  };
}

/** An action without a source begins with null. */
function stepsOf(ops: readonly Op[], p: OpPlace): readonly Step[] {
  const nothing: Op = { op: "take", from: { op: "lit", value: null } };
  const steps: Step[] = ops[0] !== undefined && isSource(ops[0]) ? [] : [{ op: nothing, together: undefined, before: false }];
  for (let i = 0; i < ops.length; ) {
    const op = ops[i] ?? nothing;
    const together = rowLoop(ops, i, p.features.edit, columnsBefore(ops, i, p.speaks));
    steps.push({ op, together, before: (together?.ops ?? [op]).some((each) => "before" in each) });
    i += together?.ops.length ?? 1;
  }
  return steps;
}

/** The attempt as one expression, when at most one op follows its source and reads the source in the place of `data`. */
function expressionOf([source, next, ...more]: readonly Step[], p: OpPlace): Line[] | undefined {
  if (source === undefined || more.length > 0) return undefined;
  if (next === undefined) return only(source, p);
  if (source.op.op !== "take" || next.op.op === "nest" || next.op.op === "lookup") return undefined;
  const place = isRead(source.op.from) ? empty : mark(source.op.at);
  const data = code`${place}${detached(source.op, expr(source.op.from, p), p)}`;
  const readsOnce = next.op.op !== "check" && !mentions(next.together?.ops ?? next.op, "data");
  const isShort = widthOf(data) <= shortest && !data.includes("\n");
  if (!(isShort && readsOnce) && !(isRead(source.op.from) && !p.captured)) return undefined;
  return lines(resultOf(next, { ...p, data, current: data }), next.op.at);
}

/** The most columns of a source that is printed inside a call. */
const shortest = 60;

function only({ op, together, before }: Step, p: OpPlace): Line[] {
  if (op.op === "lookup") return loop(op, p);
  return lines(op.op === "take" ? parenthesised(expr(op.from, p)) : resultOf({ op, together, before }, p), op.at);
}

/** True for a value that can be read twice without cost. */
const isRead = (e: Expr): boolean => e.op === "action" || isUnset(e) || (e.op === "root" && ["body", "headers", "params"].includes(e.root));

/** True when a source that no op reads can be left out without changing the run. */
const isIdle = ({ op }: Step, { captured }: OpPlace): boolean => op.op === "take" && !captured && (op.from.op === "lit" || isRead(op.from));

/** The number of times that the step changes the data. */
function changes({ op }: Step): number {
  if (op.op === "nest") return op.lists.length;
  return op.op === "check" && op.adds !== true ? 0 : 1;
}

/** `data` is a constant when it never changes, or changes only in the returned expression. Data that no op reads have no name. */
function statements([source, ...rest]: readonly Step[], p: OpPlace): Line[] {
  if (source === undefined) return [];
  const [next, ...more] = rest;
  if (next !== undefined && !readsCurrent(next)) {
    const unread = isIdle(source, p) ? [] : statement(source, empty, within(p));
    return [...unread, ...(more.length === 0 ? statement(next, code`return `, p) : statements(rest, p))];
  }
  const last = rest.at(-1);
  const before = rest.slice(0, -1).reduce((sum, step) => sum + changes(step), 0);
  const isConstant = before === 0 && (last === undefined || changes(last) <= 1);
  // When no op follows, the attempt returns the promise of the last op.
  const returns = (step: Step): boolean => step === last && (isConstant || (p.wait === empty && step.op.waits === true));
  // The type checker reads objects of a list together, and then reads a member `constructor` as the inherited function.
  const isPlain = source.op.op === "take" && (source.op.from.op === "lit" || source.op.from.op === "list");
  const type = isConstant && !isPlain ? empty : code`: pw.Json`;
  const out = statement(source, isConstant ? code`const data${type} = ` : code`let data${type} = `, within(p));
  for (const step of rest) {
    if ("keeps" in step.op) out.push({ text: code`const before = data;`, at: step.op.at });
    const target = returns(step) ? code`return ` : changes(step) === 0 ? empty : code`data = `;
    addLines(out, statement(step, target, returns(step) ? p : within(p)));
  }
  return last !== undefined && returns(last) ? out : [...out, { text: code`return data;`, at: last?.op.at }];
}

/** A source reads earlier data only when its arguments name them. */
const readsCurrent = ({ op }: Step): boolean => !isSource(op) || mentions(op, "data");

/** Prints a step as a statement. */
function statement(step: Step, target: Code, p: OpPlace): Line[] {
  const { op } = step;
  if (op.op === "lookup") return enclosed(target, loop(op, p), code`;`);
  if (op.op === "nest") return nest(op, target, step.before ? { ...p, data: code`before` } : p);
  return lines(code`${target}${resultOf(step, p)};`, op.at);
}

type ValueOp = Exclude<Op, { op: "lookup" | "nest" }>;

/** Prints the result of a step that is one expression. */
function resultOf({ op, together, before }: Step, p: OpPlace): Code {
  const place = before ? { ...p, data: code`before` } : p;
  if (together !== undefined) return printRowLoop(together, place.current, place);
  const single = op as ValueOp; // ops that are statements were handled by the caller
  return detached(single, value(single, place), place);
}

/** Records the input of an action for its run record, if the op takes other data. */
const detached = ({ op }: Op, input: Code, { captured, takes }: OpPlace): Code =>
  captured && (op === "take" || op === "pick") ? code`${takes()}(${input})` : input;

type LoopOp = Extract<Op, { op: "lookup" }>;

/** Prints a loop, whose actions keep their own places in the YAML. */
function loop(op: LoopOp, p: OpPlace): Line[] {
  const { run, lines: body } = p.nested(op.body);
  const args = [code`act`, expr(op.over, p), ...lookupOptions(op.options, p), code`(${run}) => {`];
  return [...lines(code`${p.wait}${p.imports.use("lookup")}(${list(args)}`, op.at), ...indented(body), { text: code`})`, at: op.at }];
}

type NestOp = Extract<Op, { op: "nest" }>;

/** Prints one statement for each path; the transforms in it keep their own places in the YAML. */
function nest({ lists }: NestOp, target: Code, p: OpPlace): Line[] {
  return lists.flatMap((plan, i) => {
    const data = i === 0 ? code`act.step("nested_transforms", ${p.current})` : p.current;
    return enclosed(i === 0 ? target : code`data = `, nestedList(plan, data, p), code`;`);
  });
}

/** Prints a nested list as a call. Each argument has its own line when markers give values, or when one line is too long. */
function nestedList({ target, body, values = [], waits, at }: NestedPlan, data: Code, p: OpPlace): Line[] {
  const helper = code`${p.wait}${p.imports.use(waits ? "asyncNested" : "nested")}`;
  const args = [code`act`, data, pathOf(target, "nested_transforms", at, p)];
  const head = code`${waits ? code`async ` : empty}(${values.length === 0 ? code`data` : code`data, ...values`}) =>`;
  const start = code`${helper}(${list([...args, head])}`;
  if (values.length === 0 && isShort(start)) {
    const whole = nestedChange(start, body, at, p);
    return whole[0]?.text === start ? [...enclosed(empty, whole, code`,`), ...lines(code`)`, at)] : enclosed(empty, whole, code`)`);
  }
  const own = (arg: Code): Line[] => lines(code`${arg},`, at);
  const change = enclosed(empty, nestedChange(head, body, at, p), code`,`);
  const further = values.flatMap((value) => own(expr(value, p)));
  return [...lines(code`${helper}(`, at), ...indented([...args.flatMap(own), ...change, ...further]), ...lines(code`)`, at)];
}

/** Prints the change of an element: an expression behind the head, below it when the line is too long, or a statement for each step. */
function nestedChange(head: Code, body: readonly TransformOp[], at: Span | undefined, p: OpPlace): Line[] {
  const [only, ...more] = nestedSteps(body, p);
  if (only === undefined) return lines(code`${head} data`, at);
  const inner: OpPlace = { ...p, data: code`data`, current: code`data`, wait: empty };
  if (more.length === 0 && only.op.op !== "nest") {
    const result = lines(resultOf(only, inner), only.op.at);
    if (isShort(code`${head} ${result[0]?.text ?? empty})`)) return enclosed(code`${head} `, result, empty);
    return [...lines(head, at), ...indented(result)];
  }
  const changed = [only, ...more].flatMap((step) => statement(step, code`data = `, within(inner)));
  return [...lines(code`${head} {`, at), ...indented([...changed, { text: code`return data;`, at }]), ...lines(code`}`, at)];
}

/** The steps of a nested list. Consecutive edits of members are one loop, as in the list around. */
function nestedSteps(body: readonly TransformOp[], p: OpPlace): Step[] {
  const [op, ...rest] = body;
  if (op === undefined) return [];
  const together = rowLoop(body, 0, p.features.edit);
  const more = nestedSteps(together === undefined ? rest : body.slice(together.ops.length), p);
  return [{ op, together, before: "before" in op }, ...more];
}

const isSource = ({ op }: Op): boolean => op === "take" || op === "pick" || op === "call" || op === "query" || op === "lookup";

/** Prints the value of an op with the same calls as `step` in runtime/walk/walk.ts, case by case. */
function value(op: ValueOp, p: OpPlace): Code {
  const { imports } = p;
  const wait = op.waits ? p.wait : empty;
  switch (op.op) {
    case "take":
      return expr(op.from, p);
    case "pick":
      return code`${op.waits ? code`await ${imports.use("asyncPick")}` : imports.use("pick")}${block(
        "(",
        op.choices.map((choice) => (inner) => choiceOf(choice, { ...p, ...inner })),
        ")",
        p,
      )}`;
    case "call":
      return code`${wait}${imports.feature(op.use)}(act, ${expr(op.args, p)})`;
    case "query":
      return code`${wait}${imports.feature(op.use)}(act, ${p.database(op.database)}, ${expr(op.args, p)})`;
    case "check":
      return call(imports.use("check"), [code`act`, p.current, ...assertOptions(op.assert, p), tests(op.assert, p)]);
    case "transform": {
      const args = [
        code`act.step(${lit(op.use)}, ${p.current})`,
        ready({ kind: "transforms", feature: op.use, args: op.args, at: op.at }, "", p),
        ...(p.features.pure(op.use) ? [] : [code`act`]),
      ];
      return code`${wait}${call(imports.feature(op.use), args)}`;
    }
    case "filter":
      return filter(op, wait, p);
  }
}

/** `filter(act.step("filter", data), target, (item) => passes(…) && passes(…))`; with values of markers each argument has its own line. */
function filter({ target, tests, values = [], waits, at }: Extract<Op, { op: "filter" }>, wait: Code, p: OpPlace): Code {
  const inner = values.length === 0 ? p : { ...p, indent: `${p.indent}  ` };
  const element = mentions(tests, "item") ? code`item` : code`_item`;
  const item = tests.length === 0 ? empty : values.length === 0 ? element : code`${element}, ...values`;
  const args = [
    ...(waits ? [code`act`] : []),
    code`act.step("filter", ${p.current})`,
    pathOf(target, "filter", at, inner),
    code`${waits ? code`async ` : empty}(${item}) =>${predicate(tests, inner)}`,
    ...values.map((value) => expr(value, inner)),
  ];
  const helper = code`${wait}${p.imports.use(waits ? "asyncFilter" : "filter")}`;
  return values.length === 0 ? call(helper, args) : code`${helper}${brackets("(", args, ")", p.indent)}`;
}

function choiceOf({ input, tests: assert }: ChoicePlan, p: OpPlace): Code {
  const of = code`input: ${asyncWord(input)}() => ${parenthesised(expr(input, p))}`;
  if (assert === undefined) return code`{ ${of} }`;
  return code`{ ${of}, tests: ${asyncWord(assert)}(${mentions(assert.tests, "data") ? code`data` : empty}) => ${tests(assert, { ...p, data: code`data` })} }`;
}
