import type { ActionPlan, ChoicePlan, LookupPlan, NestedPlan, Op, ShapeOp, Span } from "#runtime/plan/index.ts";
import { mentions } from "../4-plan/markers/mentions.ts";
import {
  arrow,
  block as brackets,
  type Code,
  code,
  deeper,
  empty,
  enclosed,
  indented,
  type Line,
  lines,
  list,
  lit,
  parenthesised,
  spaces,
} from "./code.ts";
import { block, expr, type Place } from "./exprs.ts";
import type { ActionPlace } from "./place.ts";
import { type RowLoop, rowLoop } from "./row-loop.ts";
import { printRowLoop } from "./rows.ts";
import { columnsBefore } from "./select-list.ts";
import { pathOf, ready } from "./stage.ts";
import { settingOf } from "./start.ts";
import { assertOptions, asyncWord, predicate, tests } from "./tests.ts";

/** The attempt: an expression for a single value, else one statement for each op. */
export function attempt(plan: ActionPlan, outer: ActionPlace): Line[] {
  const { ops } = plan;
  const [only] = ops;
  if (only === undefined) return lines(code`() => null`, plan.at);
  let usesAct = ops.some((op) => op.op !== "take" && op.op !== "pick");
  const now = (): Code => {
    usesAct = true;
    return code`act.now`;
  };
  const signal = (): Code => {
    usesAct = true;
    return code`act.signal`;
  };
  const p = { ...outer, data: code`data`, now, signal };
  if (ops.length === 1 && (only.op === "take" || only.op === "call" || only.op === "query")) {
    const made = value(only, p);
    return lines(arrow(usesAct, made, only.waits), only.at);
  }
  if (ops.length === 1 && only.op === "lookup") return enclosed(code`async (act) => `, loop(only, p), empty);
  const inner = { ...p, indent: `${p.indent}  ` };
  const printed: Line[] = [];
  for (let i = 0; i < ops.length; ) {
    const op = ops[i] ?? only;
    if ("keeps" in op) printed.push(...indented(lines(code`const before = data;`, op.at), inner.indent));
    const together = rowLoop(ops, i, p.features.edit, columnsBefore(ops, i, p.speaks));
    const readsBefore = (together?.ops ?? [op]).some((each) => "before" in each);
    printed.push(...statement(op, i, ops.length, readsBefore ? { ...inner, data: code`before` } : inner, together));
    i += together?.ops.length ?? 1;
  }
  const head = code`${ops.some(({ waits }) => waits) ? code`async ` : empty}(${usesAct ? code`act` : empty}) => {`;
  return [
    { text: head, at: plan.at },
    ...printed,
    { text: code`${spaces(inner.indent)}return data;`, at: plan.at },
    { text: code`${spaces(p.indent)}}` },
  ];
}

/** One op, or those that are printed together with it. */
function statement(op: Op, i: number, length: number, p: ActionPlace, together: RowLoop | undefined): Line[] {
  const target = i > 0 ? code`data = ` : length === 1 ? code`const data: pw.Json = ` : code`let data: pw.Json = `;
  const start = i === 0 && !isSource(op) ? lines(code`let data: pw.Json = null;`, op.at) : [];
  const assign = start.length > 0 ? code`data = ` : target;
  if (op.op === "lookup") return enclosed(code`${spaces(p.indent)}${assign}`, loop(op, p), code`;`);
  if (op.op === "nest") return [...indented(start, p.indent), ...nest(op, assign, p)];
  const result = together === undefined ? kept(op, value(op, p), p) : printRowLoop(together, p);
  return [...indented(start, p.indent), ...statementLines(code`${assign}${result};`, op.at, p)];
}

/** The input of an action whose data become something else. */
const kept = ({ op }: Op, input: Code, { captured }: ActionPlace): Code =>
  captured && (op === "take" || op === "pick") ? code`act.takes(${input})` : input;

type LoopOp = Extract<Op, { op: "lookup" }>;

/** The actions of a loop keep their own places in the YAML. */
function loop(op: LoopOp, p: ActionPlace): Line[] {
  const call = code`await ${p.imports.use("lookup")}(act, ${expr(op.over, p)}, ${lookupOptions(op.options, p)}, `;
  return [
    ...lines(code`${call}(cx) => {`, op.at),
    ...indented(p.nested(op.body), `${p.indent}  `),
    { text: code`${spaces(p.indent)}})`, at: op.at },
  ];
}

type NestOp = Extract<Op, { op: "nest" }>;

/** One statement for each path; the transforms in it keep their own places in the YAML. */
function nest({ lists }: NestOp, assign: Code, p: ActionPlace): Line[] {
  return lists.flatMap((plan, i) => {
    const [target, data] = i === 0 ? [assign, code`act.step("nested_transforms", data)`] : [code`data = `, code`data`];
    return nestedList(plan, target, data, p);
  });
}

function nestedList({ target, body, values = [], waits, at }: NestedPlan, assign: Code, data: Code, p: ActionPlace): Line[] {
  const inner = { ...p, indent: `${p.indent}  ` };
  const [async, helper] = waits ? ([code`async `, "asyncNested"] as const) : ([empty, "nested"] as const);
  const args = list([code`act`, data, pathOf(target, "nested_transforms", at, p)]);
  const parameters = values.length === 0 ? code`data` : code`data, ...values`;
  const start = code`${assign}await ${p.imports.use(helper)}(${args}, ${async}(${parameters}) => {`;
  const end = list([code`}`, ...values.map((value) => expr(value, p))]);
  return [
    ...statementLines(start, at, p),
    ...nestedOps(body, inner),
    { text: code`${spaces(inner.indent)}return data;`, at },
    ...statementLines(code`${end});`, at, p),
  ];
}

/** Member edits in a row are one loop, as in the list around. */
function nestedOps(body: readonly ShapeOp[], p: ActionPlace): Line[] {
  const [op, ...rest] = body;
  if (op === undefined) return [];
  const together = rowLoop(body, 0, p.features.edit);
  return [...statement(op, 1, 0, p, together), ...nestedOps(together === undefined ? rest : body.slice(together.ops.length), p)];
}

/** Code of a statement: what follows its first line has its indent already. */
const statementLines = (text: Code, at: Span | undefined, p: Place): Line[] =>
  lines(text, at).flatMap((line, i) => (i === 0 ? indented([line], p.indent) : [line]));

const isSource = ({ op }: Op): boolean => op === "take" || op === "pick" || op === "call" || op === "query" || op === "lookup";

/** The value of an op: the same calls as runtime/walk/walk.ts `step`, case by case. */
function value(op: Exclude<Op, LoopOp | NestOp>, p: ActionPlace): Code {
  const { imports } = p;
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
      return code`await ${imports.feature(op.use)}(act, ${expr(op.args, p)})`;
    case "query":
      return code`await ${imports.feature(op.use)}(act, ${p.database(op.database)}, ${expr(op.args, p)})`;
    case "check":
      return code`${imports.use("check")}(act, data, ${assertOptions(op.assert, p)}, ${tests(op.assert, p)})`;
    case "shape": {
      const args = list([
        code`act.step(${lit(op.use)}, data)`,
        ready("transforms", op.use, op.args, "", op.at, p),
        ...(p.features.pure(op.use) ? [] : [code`act`]),
      ]);
      return code`${op.waits ? code`await ` : empty}${imports.feature(op.use)}(${args})`;
    }
    case "filter":
      return filter(op, p);
  }
}

/** `filter(act.step("filter", data), target, (item) => passes(…) && passes(…))`; with values of markers one argument a line. */
function filter({ target, tests, values = [], waits, at }: Extract<Op, { op: "filter" }>, p: ActionPlace): Code {
  const inner = values.length === 0 ? p : { ...p, indent: `${p.indent}  ` };
  const element = mentions(tests, "item") ? code`item` : code`_item`;
  const item = tests.length === 0 ? empty : values.length === 0 ? element : code`${element}, ...values`;
  const args = [
    ...(waits ? [code`act`] : []),
    code`act.step("filter", data)`,
    pathOf(target, "filter", at, inner),
    code`${waits ? code`async ` : empty}(${item}) =>${predicate(tests, inner)}`,
    ...values.map((value) => expr(value, inner)),
  ];
  const helper = code`${waits ? code`await ` : empty}${p.imports.use(waits ? "asyncFilter" : "filter")}`;
  return values.length === 0 ? code`${helper}(${list(args)})` : code`${helper}${brackets("(", args, ")", p.indent)}`;
}

function lookupOptions({ partition, concurrency, inherit, inherit_jq, item_timeout }: LookupPlan, p: ActionPlace): Code {
  const options: Code[] = [];
  if (partition) options.push(code`partition: true`);
  if (concurrency !== undefined)
    options.push(code`concurrency: ${typeof concurrency === "number" ? lit(concurrency) : settingOf(concurrency, p.imports)}`);
  if (inherit !== undefined) options.push(code`inherit: ${expr(inherit, p)}`);
  if (inherit_jq !== undefined) options.push(code`inherit_jq: ${expr(inherit_jq, p)}`);
  if (item_timeout !== undefined) options.push(code`item_timeout: ${expr(item_timeout, p)}`);
  if (options.length === 0) return code`{}`;
  const further = options.map((option) => deeper(option, "  "));
  return options.some((option) => option.includes("\n")) ? brackets("{", further, "}", p.indent) : code`{ ${list(options)} }`;
}

function choiceOf({ input, tests: assert }: ChoicePlan, p: ActionPlace): Code {
  const of = code`input: () => ${parenthesised(expr(input, p))}`;
  if (assert === undefined) return code`{ ${of} }`;
  return code`{ ${of}, tests: ${asyncWord(assert)}(${mentions(assert.tests, "data") ? code`data` : empty}) => ${tests(assert, { ...p, data: code`data` })} }`;
}
