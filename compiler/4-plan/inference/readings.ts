import { matchers } from "#generated/features.ts";
import type { AnyMatcher } from "#runtime/features/feature.ts";
import type {
  ActionListPlan,
  ActionPlan,
  AssertPlan,
  Expr,
  InterfacePlan,
  MatcherPlan,
  NestedPlan,
  Op,
  ParamPlan,
  Span,
  TestPlan,
  TransformOp,
} from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import { values as codes } from "../../diagnostics/codes/values.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { present } from "../../present.ts";
import { declaredTypes } from "./declared-type.ts";
import { isSecretOrigin, isTransportText, type Origin, type OriginSurroundings, originOf, originsOf } from "./origin.ts";
import { afterCall, afterTransform, makerOf, stepsOf, type TextRows } from "./rows-of-text.ts";

/** The parts of an interface in which tests stand. */
type Tested = Pick<InterfacePlan, "params" | "assert"> & ActionListPlan;

/**
 * Decides for each ordering matcher whether it reads a text as a number, and writes it into the plan for the printer and the walker. Values
 * of a transport that carries only text are read as numbers, and so are members that the contract of the body calls numbers. It warns when
 * the value is surely text, and notes when its type is unknown.
 */
export function withReadings<P extends Tested>(plan: P, contract: Json | undefined, report: Report): P {
  const readings = new Readings(contract, report);
  const params = plan.params.map((param) => readings.param(param));
  const list = readings.list(plan, { actions: new Map() }, new Map());
  const last = plan.declared?.at(-1) ?? plan.actions.at(-1)?.name ?? "";
  const ends = list.actions.find(({ name }) => name === last);
  const data = ends === undefined || maySkip(ends) ? undefined : list.origins.get(last);
  const assert = plan.assert === undefined ? {} : { assert: readings.assert(plan.assert, { actions: list.origins, data }, list.rows) };
  readings.end();
  return { ...plan, params, actions: list.actions, ...assert };
}

/** True when an action has a gate or may be skipped with others, so that another action may be the last one that ran. */
export const maySkip = ({ gates, skips_with }: ActionPlan): boolean => Object.keys(gates).length > 0 || skips_with !== undefined;

const features: Readonly<Record<string, AnyMatcher>> = matchers;

/** The facts about the rows of each action, by its name, and of the data that a nested list of transforms works on. */
type Rows = Map<string, readonly TextRows[]>;

interface Walked extends ActionListPlan {
  readonly origins: ReadonlyMap<string, Origin>;
  readonly rows: Rows;
}

/** A bound on a member of the body whose type is unknown. */
interface Loose {
  readonly place: string;
  readonly member: string;
  readonly use: string;
  readonly at: Span;
}

class Readings {
  readonly #contract: Json | undefined;
  readonly #report: Report;
  readonly #loose: Loose[] = [];
  /** Members of the body whose type is tested somewhere. */
  readonly #typed = new Set<string>();

  constructor(contract: Json | undefined, report: Report) {
    this.#contract = contract;
    this.#report = report;
  }

  /** A parameter is text wherever its value comes from. */
  param(param: ParamPlan): ParamPlan {
    if (param.validate === undefined) return param;
    const actions = new Map<string, Origin>();
    const of = originOf(param.value, { actions });
    const data: Origin = of !== undefined && isTransportText(of) ? of : { root: "params", path: [param.name], certain: true };
    return { ...param, validate: this.#test(param.validate, { actions, data }, new Map()) };
  }

  list(plan: ActionListPlan, around: OriginSurroundings, outer: Rows): Walked {
    const origins = originsOf(plan.actions, around);
    const rows: Rows = new Map(outer);
    const inner = { ...around, actions: origins };
    return { ...plan, actions: plan.actions.map((action) => this.#action(action, inner, rows)), origins, rows };
  }

  assert(plan: AssertPlan, around: OriginSurroundings, rows: Rows): AssertPlan {
    return { ...plan, tests: plan.tests.map((test) => this.#test(test, around, rows)) };
  }

  /** Reports one note for all bounds of the interface, because a note for each would be repeated for most members of a form. */
  end(): void {
    const [first, ...more] = this.#loose.filter(({ place }) => !this.#typed.has(place));
    if (first !== undefined) this.#report(codes.boundOfAnyType(first.use, first.member, more.length), first.at);
  }

  #action(action: ActionPlan, around: OriginSurroundings, rows: Rows): ActionPlan {
    const { run_on_assertion: guard } = action.gates;
    const gates = guard === undefined ? action.gates : { ...action.gates, run_on_assertion: this.assert(guard, around, rows) };
    const own: Origin = { root: action.name, path: [], certain: true };
    let data: Origin | undefined;
    const ops = action.ops.map((op) => {
      const changed = this.#op(op, { ...around, data }, rows, own);
      data = afterOp(op, { ...around, data }, own);
      return changed;
    });
    return { ...action, gates, ops };
  }

  #op(op: Op, around: OriginSurroundings, rows: Rows, own: Origin): Op {
    switch (op.op) {
      case "check":
        return { ...op, assert: this.assert(op.assert, around, rows) };
      case "pick": {
        const choices = op.choices.map((choice) => {
          const data = originOf(choice.input, around);
          return choice.tests === undefined ? choice : { ...choice, tests: this.assert(choice.tests, { ...around, data }, rows) };
        });
        return { ...op, choices };
      }
      case "lookup": {
        const { origins: _, rows: __, ...body } = this.list(op.body, { actions: new Map(), body: itemOf(op, around), outer: around }, rows);
        return { ...op, body };
      }
      case "transform":
      case "filter":
      case "nest":
        return this.#transform(op, around, rows, own);
      case "call":
        rows.set(own.root, afterCall(op.use, op.args));
        return op;
      case "take":
      case "query":
        return op;
    }
  }

  /** Handles one transform, and updates the facts about rows for the transforms behind it. */
  #transform(op: TransformOp, around: OriginSurroundings, rows: Rows, { root }: Origin): TransformOp {
    const before = rows.get(root) ?? [];
    switch (op.op) {
      case "transform":
        rows.set(root, afterTransform(before, op.use, op.args));
        return op;
      case "filter": {
        const inner = { ...around, ...present({ values: op.values }), item: elementOf(op.target, around.data) };
        return { ...op, tests: op.tests.map((test) => this.#test(test, inner, rows)) };
      }
      case "nest": {
        const lists = op.lists.map((list) => this.#nested(list, around, before, rows));
        if (op.lists.some(({ body }) => body.some((one) => one.op !== "filter"))) rows.set(root, []);
        return { ...op, lists };
      }
    }
  }

  #nested(list: NestedPlan, around: OriginSurroundings, before: readonly TextRows[], rows: Rows): NestedPlan {
    const steps = stepsOf(list.target) ?? ["*"];
    const below = before.filter(({ path }) => steps.every((step, i) => path[i] === step));
    // The root is a name that no action can have.
    const data: Origin = { root: "nested transforms", path: [], certain: true };
    rows.set(
      data.root,
      below.map((one) => ({ ...one, path: one.path.slice(steps.length) })),
    );
    const inner = { ...around, ...present({ values: list.values }), data };
    return { ...list, body: list.body.map((op) => this.#transform(op, inner, rows, data)) };
  }

  #test(plan: TestPlan, around: OriginSurroundings, rows: Rows): TestPlan {
    const origin = originOf(plan.target, around);
    const isTyped = plan.matchers.some(({ use }) => features[use]?.typed);
    if (isTyped && origin !== undefined) this.#typed.add(placeOf(origin));
    const isBounded = plan.matchers.some(({ use }) => features[use]?.orders !== undefined);
    const target = isBounded && origin?.isCustom && isTransportText(origin) ? untexted(plan.target) : plan.target;
    return { ...plan, target, matchers: plan.matchers.map((matcher) => this.#matcher(matcher, origin, isTyped, around, rows)) };
  }

  #matcher(plan: MatcherPlan, origin: Origin | undefined, isTyped: boolean, around: OriginSurroundings, rows: Rows): MatcherPlan {
    if (plan.leaves !== undefined) {
      const leaves = Object.entries(plan.leaves).map(([path, leaf]) => {
        const of = originOf(leaf.target, around);
        // A leaf of a structure states its type.
        if (of !== undefined) this.#typed.add(placeOf(of));
        return [path, this.#test(leaf, around, rows)] as const;
      });
      return { ...plan, leaves: Object.fromEntries(leaves) };
    }
    const { orders, readsText: asType } = features[plan.use] ?? {};
    if (asType !== undefined && origin !== undefined && isTransportText(origin)) return { ...plan, reads: asType };
    if (origin === undefined || orders === undefined) return plan;
    const reads = this.#readingOf(origin);
    if (reads === undefined && !isTyped) this.#doubt(plan, origin, rows);
    return reads === undefined ? plan : { ...plan, reads };
  }

  #readingOf(origin: Origin): MatcherPlan["reads"] {
    if (isTransportText(origin)) return isSecretOrigin(origin) ? "secret_number" : "text_number";
    if (origin.isText || origin.root !== "body") return undefined;
    const types = declaredTypes(this.#contract, origin.path)?.filter((type) => type !== "null") ?? [];
    if (types.length === 0 || !types.every((type) => type === "number" || type === "integer")) return undefined;
    return types.includes("number") ? "contract_number" : "contract_integer";
  }

  /** True when the contract of the body says that the value is a text. */
  #isOfText({ root, path }: Origin): boolean {
    const types = root === "body" ? (declaredTypes(this.#contract, path) ?? []) : [];
    return types.includes("string");
  }

  /** Warns of a bound on a value that surely is text, and notes one that may be text. */
  #doubt({ use, at }: MatcherPlan, origin: Origin, rows: Rows): void {
    if (at === undefined) return;
    if (origin.isCustom && !this.#isOfText(origin)) this.#report(codes.boundOfCustomValue(use), at);
    if (origin.isText) return;
    const member = origin.path.at(-1);
    const maker = makerOf(rows.get(origin.root) ?? [], origin.path);
    if (maker !== undefined) this.#report(codes.boundOfCsvText(use, String(member ?? "$"), maker), at);
    if (origin.root !== "body" || member === undefined || declaredTypes(this.#contract, origin.path) !== undefined) return;
    this.#loose.push({ place: placeOf(origin), member: memberName(origin.path), use, at });
  }
}

/** The member at the end of a path: `id`, or `ids[]` for an item of a list. */
function memberName(path: Origin["path"]): string {
  const last = path.findLastIndex((step) => typeof step === "string");
  return `${last < 0 ? "" : String(path[last])}${"[]".repeat(path.length - 1 - last)}`;
}

const placeOf = ({ root, path }: Origin): string => JSON.stringify([root, ...path.map(String)]);

/** The origin of the data after an op. */
function afterOp(op: Op, around: OriginSurroundings, own: Origin): Origin | undefined {
  switch (op.op) {
    case "take":
      return originOf(op.from, around);
    case "pick": {
      const [first, ...more] = op.choices.map(({ input }) => originOf(input, around));
      return more.every((one) => JSON.stringify(one) === JSON.stringify(first)) ? first : own;
    }
    case "check":
      return around.data;
    case "filter":
    case "transform":
    case "nest":
    case "call":
    case "query":
    case "lookup":
      return own;
  }
}

/** The origin of the body in a loop: an element of the loop's list, unless the element is changed before. */
function itemOf({ over, options }: Extract<Op, { op: "lookup" }>, around: OriginSurroundings): Origin {
  const of = originOf(over, around);
  const isPlain = options.partition === undefined && options.inherit === undefined && options.inherit_jq === undefined;
  return of === undefined || !isPlain ? { root: "item of a loop", path: [], certain: true } : { ...of, path: [...of.path, 0] };
}

/** The origin of an element of the list that a filter tests. */
function elementOf(target: Expr, data: Origin | undefined): Origin | undefined {
  const steps = stepsOf(target);
  return data === undefined || steps === undefined ? undefined : { ...data, path: [...data.path, ...steps, 0] };
}

/** The value of a text that is one marker: a list stays a list, and unset is the empty text. */
function untexted(target: Expr): Expr {
  const [only] = target.op === "text" ? target.parts : [];
  return typeof only === "object" ? { op: "or", of: only.of, instead: { op: "lit", value: "" } } : target;
}
