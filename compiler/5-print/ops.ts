import type {
  ActionListPlan,
  ActionPlan,
  AssertPlan,
  BodyPlan,
  ChoicePlan,
  ConditionPlan,
  Expr,
  LogPlan,
  LookupPlan,
  MatcherPlan,
  Op,
  ShortReplyPlan,
  Span,
  TestPlan,
} from "#runtime/plan.ts";
import { mentions } from "../4-plan/mentions.ts";
import { block as brackets, type Code, code, empty, indented, type Line, lines, list, lit, name, pair, property } from "./code.ts";
import { block, expr, type Place } from "./exprs.ts";

/** What the printer asks about features; answered from generated/features.ts. */
export interface FeatureFacts {
  readonly staged: (kind: "transforms" | "matchers", feature: string) => boolean;
  readonly async: (kind: "transforms" | "matchers", feature: string) => boolean;
  /** True when the matcher takes the run. */
  readonly inRun: (matcher: string) => boolean;
  readonly pure: (transform: string) => boolean;
  /** True when the matcher looks at the options of its test. */
  readonly optioned: (matcher: string) => boolean;
}

/** Where the ops of one action are printed. */
export interface ActionPlace extends Place {
  readonly features: FeatureFacts;
  readonly database: (name: string) => Code;
  /** The actions of a loop: a list of their own. */
  readonly nested: (list: ActionListPlan) => Line[];
  /** Names a module constant for stage 1 of a static argument. */
  readonly hoist: (what: string, value: Code, at: Span | undefined) => Code;
}

/** Prints an action: `const Name = cx.act("Name", {gates and reply policy}, attempt);` */
export function action(plan: ActionPlan, variable: Code | undefined, p: ActionPlace): Line[] {
  const inner = { ...p, indent: `${p.indent}  ` };
  const head = variable === undefined ? code`cx.act(` : code`const ${variable} = cx.act(`;
  const options = actOptions(plan, inner);
  const opening = code`${head}${lit(plan.name)}, ${braces(options, p.indent)}, `;
  const body = attempt(plan, p);
  const [first, ...rest] = body;
  const start = lines(opening, plan.at);
  const last = start.pop();
  return [...start, { text: `${last?.text ?? ""}${first?.text ?? ""}`, at: plan.at }, ...rest].map((line, i, all) =>
    i === all.length - 1 ? { ...line, text: `${line.text});` } : line,
  );
}

/** One option stays on the line when it is short in structure; several go one a line. */
function braces(options: readonly Code[], indent: string): Code {
  if (options.length === 0) return code`{}`;
  const [only] = options;
  if (options.length === 1 && only !== undefined && !only.includes("\n")) return code`{ ${only} }`;
  return brackets("{", options, "}", indent);
}

function actOptions(plan: ActionPlan, p: ActionPlace): Code[] {
  const { run_when_succeeded, run_when_failed, depends_on, run_on_assertion } = plan.gates;
  const options: Code[] = [];
  if (run_when_succeeded !== undefined) options.push(code`run_when_succeeded: ${condition(run_when_succeeded, p)}`);
  if (run_when_failed !== undefined) options.push(code`run_when_failed: ${condition(run_when_failed, p)}`);
  if (depends_on !== undefined) options.push(code`depends_on: ${condition(depends_on, p)}`);
  if (run_on_assertion !== undefined) options.push(code`run_on_assertion: () => ${tests(run_on_assertion, p)}`);
  if (plan.reads.length > 0) options.push(code`reads: [${list(plan.reads.map(p.act))}]`);
  for (const flag of Object.keys(plan.hide)) options.push(code`${name(flag)}: true`);
  const { response_on_success, response_on_error, retry, timeout } = plan;
  if (retry !== undefined)
    options.push(
      code`retry: ${p.imports.helper("retry.ts", "retry")}({ ${list(Object.entries(retry).map(([key, value]) => code`${name(key)}: ${lit(value)}`))} })`,
    );
  if (timeout !== undefined) options.push(code`timeout: ${p.imports.helper("timeout.ts", "timeout")}(${limit(timeout, p)})`);
  for (const [moment, lines] of Object.entries(plan.logs)) options.push(code`${name(moment)}: ${logs(lines, p)}`);
  if (response_on_success !== undefined) options.push(code`response_on_success: ${shortReply(response_on_success, p)}`);
  if (response_on_error !== undefined) options.push(code`response_on_error: ${shortReply(response_on_error, p)}`);
  return options;
}

function limit(timeout: Expr, p: ActionPlace): Code {
  if (timeout.op === "lit") return lit(timeout.value);
  let usesAct = false;
  const now = (): Code => {
    usesAct = true;
    return code`act.now`;
  };
  const value = expr(timeout, { ...p, now });
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
  return code`(act) => ${p.imports.helper("logs.ts", "logs")}(act, ${list})`;
}

function condition(plan: ConditionPlan, p: ActionPlace): Code {
  const actions = code`[${list(plan.actions.map(p.act))}]`;
  const { previous, at_least, http_code_on_error } = plan;
  const more: Code[] = [];
  if (previous) more.push(code`previous: true`);
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
  if (plan.http_code !== undefined) options.push(code`http_code: ${lit(plan.http_code)}`);
  if (plan.headers !== undefined) options.push(code`headers: ${expr(plan.headers, p)}`);
  if (plan.body !== undefined) options.push(code`body: ${body(plan.body, p)}`);
  return arrow(usesAct, brackets("{", options, "}", outer.indent));
}

/** A whole response body; runtime/body.ts has the three forms. */
export function body(plan: BodyPlan, p: Place): Code {
  const helpers = { json_text: "jsonBody", text: "textBody", value: "valueBody" } as const;
  const value = plan.as === "text" ? message(plan.of, p) : expr(plan.of, p);
  return code`${p.imports.helper("body.ts", helpers[plan.as])}(${value})`;
}

/** The attempt: an expression for a single value, else one statement for each op. */
function attempt(plan: ActionPlan, outer: ActionPlace): Line[] {
  const { ops } = plan;
  const [only] = ops;
  if (only === undefined) return lines(code`() => null`, plan.at);
  let usesAct = ops.some((op) => op.op !== "take" && op.op !== "pick");
  const now = (): Code => {
    usesAct = true;
    return code`act.now`;
  };
  const p = { ...outer, data: code`data`, now };
  if (ops.length === 1 && only.op === "take") {
    const value = expr(only.from, p);
    return lines(arrow(usesAct, value), only.at);
  }
  const inner = { ...p, indent: `${p.indent}  ` };
  const firstShape = ops.findIndex(({ op }) => op === "shape");
  const keepsBefore = ops.slice(firstShape + 1).some(readsBefore);
  const printed = ops.flatMap((op, i) => [
    ...(keepsBefore && i === firstShape ? indented(lines(code`const before = data;`, op.at), inner.indent) : []),
    ...statement(op, i, ops.length, i > firstShape && readsBefore(op) ? { ...inner, data: code`before` } : inner),
  ]);
  const waits = ops.some((op) => isAsync(op, p.features));
  const head = `${waits ? "async " : ""}(${usesAct ? "act" : ""}) => {`;
  return [{ text: head, at: plan.at }, ...printed, { text: `${inner.indent}return data;`, at: plan.at }, { text: `${p.indent}}` }];
}

/** Arguments of transforms see the data as it was before the first of them (transforms.md 1). */
const readsBefore = (op: Op): boolean => op.op === "shape" && mentions(op.args, "data");

/** The ops that runtime/walk.ts waits for. */
function isAsync(op: Op, features: FeatureFacts): boolean {
  switch (op.op) {
    case "take":
    case "pick":
      return false;
    case "check":
      return op.assert.tests.some((test) => isAsyncTest(test, features));
    case "call":
    case "query":
    case "lookup":
      return true;
    case "shape":
      return features.async("transforms", op.use);
  }
}

const isAsyncTest = ({ matchers }: TestPlan, features: FeatureFacts): boolean =>
  matchers.some(({ use }) => features.async("matchers", use));

/** An arrow function that gives the expression; an object literal needs parentheses. */
function arrow(usesAct: boolean, value: Code): Code {
  const parameters = usesAct ? code`(act)` : code`()`;
  return code`${parameters} => ${parenthesised(value)}`;
}

const parenthesised = (value: Code): Code => (value.startsWith("{") ? code`(${value})` : value);

function statement(op: Op, i: number, length: number, p: ActionPlace): Line[] {
  p.imports.type("json.ts", "Json");
  const target = i > 0 ? code`data = ` : length === 1 ? code`const data: Json = ` : code`let data: Json = `;
  const start = i === 0 && !isSource(op) ? lines(code`let data: Json = null;`, op.at) : [];
  const assign = start.length > 0 ? code`data = ` : target;
  if (op.op === "lookup") return loop(op, assign, p);
  return [...start, ...lines(code`${assign}${value(op, p)};`, op.at)].flatMap((line, i) =>
    i < start.length + 1 ? indented([line], p.indent) : [line],
  );
}

type LoopOp = Extract<Op, { op: "lookup" }>;

/** The actions of a loop keep their own places in the YAML. */
function loop(op: LoopOp, assign: Code, p: ActionPlace): Line[] {
  const call = code`${assign}await ${p.imports.helper("lookup.ts", "lookup")}(act, ${expr(op.over, p)}, ${lookupOptions(op.options, p)}, `;
  const [first, ...rest] = lines(code`${call}(cx) => {`, op.at);
  return [
    ...indented(first === undefined ? [] : [first], p.indent),
    ...rest,
    ...indented(p.nested(op.body), `${p.indent}  `),
    { text: `${p.indent}});`, at: op.at },
  ];
}

const isSource = ({ op }: Op): boolean => op === "take" || op === "pick" || op === "call" || op === "query" || op === "lookup";

/** The value of an op: the same calls as runtime/walk.ts `step`, case by case. */
function value(op: Exclude<Op, LoopOp>, p: ActionPlace): Code {
  const { imports } = p;
  switch (op.op) {
    case "take":
      return expr(op.from, p);
    case "pick":
      return code`${imports.helper("pick.ts", "pick")}${block(
        "(",
        op.choices.map((choice) => (inner) => choiceOf(choice, { ...p, ...inner })),
        ")",
        p,
      )}`;
    case "call":
      return code`await ${imports.feature("actions", op.use)}(act, ${expr(op.args, p)})`;
    case "query":
      return code`await ${imports.feature("actions", "database")}(act, ${p.database(op.database)}, ${expr(op.args, p)})`;
    case "check":
      return code`${imports.helper("check.ts", "check")}(act, data, ${assertOptions(op.assert, p)}, ${tests(op.assert, p)})`;
    case "shape": {
      const { features } = p;
      const args = list([
        code`act.step(${lit(op.use)}, data)`,
        ready("transforms", op.use, op.args, "", op.at, p),
        ...(features.pure(op.use) ? [] : [code`act`]),
      ]);
      return code`${features.async("transforms", op.use) ? code`await ` : empty}${imports.feature("transforms", op.use)}(${args})`;
    }
  }
}

function lookupOptions({ partition, concurrency, inherit, item_timeout }: LookupPlan, p: ActionPlace): Code {
  const options: Code[] = [];
  if (partition) options.push(code`partition: true`);
  if (concurrency !== undefined) options.push(code`concurrency: ${lit(concurrency)}`);
  if (inherit !== undefined) options.push(code`inherit: ${expr(inherit, p)}`);
  if (item_timeout !== undefined) options.push(code`item_timeout: ${expr(item_timeout, p)}`);
  return options.length === 0 ? code`{}` : code`{ ${list(options)} }`;
}

function choiceOf({ input, tests: assert }: ChoicePlan, p: ActionPlace): Code {
  const of = code`input: () => ${parenthesised(expr(input, p))}`;
  if (assert === undefined) return code`{ ${of} }`;
  return code`{ ${of}, tests: (${mentions(assert.tests, "data") ? code`data` : empty}) => ${tests(assert, { ...p, data: code`data` })} }`;
}

/** Arguments as the feature wants them: stage 1 is hoisted to a module constant when they are static. */
function ready(kind: "transforms" | "matchers", feature: string, args: Expr, label: string, at: Span | undefined, p: ActionPlace): Code {
  if (!p.features.staged(kind, feature)) return expr(args, p);
  const prepared = (indent: string): Code => code`${p.imports.prepare(kind, feature)}(${expr(args, { ...p, indent })})`;
  return args.op === "lit" ? p.hoist(`${label}_${feature}`, prepared(""), at) : prepared(p.indent);
}

/** Messages and codes of an assert. */
export function assertOptions(plan: AssertPlan, p: Place): Code {
  const options: Code[] = [];
  if (plan.http_code_on_error !== undefined) options.push(code`http_code_on_error: ${lit(plan.http_code_on_error)}`);
  if (plan.http_code_on_success !== undefined) options.push(code`http_code_on_success: ${lit(plan.http_code_on_success)}`);
  if (plan.error_message !== undefined) options.push(code`error_message: () => ${message(plan.error_message, p)}`);
  if (plan.success_message !== undefined) options.push(code`success_message: () => ${message(plan.success_message, p)}`);
  return options.length === 0 ? code`{}` : code`{ ${list(options)} }`;
}

function message(e: Expr, p: Place): Code {
  const isText = e.op === "text" || (e.op === "lit" && typeof e.value === "string");
  return isText ? expr(e, p) : code`${p.imports.value("text")}(${expr(e, p)})`;
}

/** One test a line. */
export function tests(plan: AssertPlan, p: ActionPlace): Code {
  return block(
    "[",
    plan.tests.map((test) => (inner) => oneTest(test, { ...p, ...inner })),
    "]",
    p,
  );
}

/** A test, as `tests` lists them. */
export function oneTest(plan: TestPlan, p: ActionPlace): Code {
  const matchers = list(plan.matchers.map((matcher) => code`${property(matcher.use)}: ${oneMatcher(matcher, plan, p)}`));
  const waits = isAsyncTest(plan, p.features);
  const verdicts = code`${waits ? code`async ` : empty}(t) => (${plan.optional ? code`t === null ? {} : ` : empty}{ ${matchers} })`;
  const options: Code[] = [];
  if (plan.error_message !== undefined) options.push(code`error_message: () => ${message(plan.error_message, p)}`);
  if (plan.http_code_on_error !== undefined) options.push(code`http_code_on_error: ${lit(plan.http_code_on_error)}`);
  if (plan.hide_errors) options.push(code`hide_errors: true`);
  const args = [lit(plan.label), expr(plan.target, p), verdicts, ...(options.length === 0 ? [] : [code`{ ${list(options)} }`])];
  return waits
    ? code`await ${p.imports.helper("check.ts", "asyncTest")}(${list(args)})`
    : code`${p.imports.helper("check.ts", "test")}(${list(args)})`;
}

function oneMatcher(plan: MatcherPlan, test: TestPlan, p: ActionPlace): Code {
  const waits = p.features.async("matchers", plan.use);
  const rest = [...(p.features.inRun(plan.use) ? [code`cx`] : []), ...(p.features.optioned(plan.use) ? matcherOptions(plan, test, p) : [])];
  const target = plan.bare ? code`${p.imports.helper("lib/authorization.ts", "credentials")}(t)` : code`t`;
  const call = (operand: Code): Code => code`${p.imports.feature("matchers", plan.use)}(${list([target, operand, ...rest])})`;
  const prefix = waits ? code`await ` : empty;
  if (!plan.dynamic && !plan.secret) return code`${prefix}${call(ready("matchers", plan.use, plan.operand, test.label, plan.at, p))}`;
  const staged = p.features.staged("matchers", plan.use);
  const operand = staged ? code`${p.imports.prepare("matchers", plan.use)}(e)` : code`e`;
  const args = [expr(plan.operand, p), code`(e) => ${call(operand)}`];
  if (!plan.dynamic) return code`${prefix}${p.imports.helper("check.ts", "discreet")}(${list(args)})`;
  return code`${prefix}${p.imports.helper("check.ts", "given")}(${list([...args, ...(plan.secret ? [code`true`] : [])])})`;
}

function matcherOptions(plan: MatcherPlan, { case_insensitive, result_key }: TestPlan, p: ActionPlace): readonly Code[] {
  const { values, leaves = {} } = plan;
  const options: Code[] = [];
  if (case_insensitive) options.push(code`case_insensitive: true`);
  if (result_key !== undefined) options.push(code`result_key: ${lit(result_key)}`);
  if (values !== undefined) options.push(code`values: [${list(values.map((value) => expr(value, p)))}]`);
  const inner = { ...p, indent: `${p.indent}  ` };
  const tests = Object.entries(leaves).map(([path, test]) => pair(property(path), code`() => ${oneTest(test, inner)}`));
  if (tests.length > 0) options.push(code`leaves: ${brackets("{", tests, "}", p.indent)}`);
  return options.length === 0 ? [] : [code`{ ${list(options)} }`];
}
