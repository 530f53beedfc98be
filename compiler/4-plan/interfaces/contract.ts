import type { AnyMatcher, JsonSchema } from "#runtime/features/feature.ts";
import { parseJson } from "#runtime/formats/json-text.ts";
import { caselessPattern } from "#runtime/languages/schema/json-schema.ts";
import type { ActionPlan, AssertPlan, ContractPlan, Expr, InterfacePlan, ParamPlan, TestPlan } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import { entry, get, type Node, plain } from "../../1-read/document.ts";
import { demands } from "../inference/demands.ts";
import { type Origin, originOf, originsOf, sourceOf } from "../inference/origin.ts";
import { maySkip } from "../inference/readings.ts";
import { caseless, StatedFacts } from "../inference/stated-facts.ts";

// The types of the input and the output of an interface: as the author declared them, else as the tests demand (spec/surfaces 6.1,
// spec/language 7.10).

/**
 * The parts of the records of matchers that describe targets: `target` is a schema, `describe` gives one, and `orders` tells that a number
 * is compared with a bound.
 */
export type Describers = Readonly<Record<string, Pick<AnyMatcher, "target" | "describe" | "orders">>>;

type Actions = Pick<InterfacePlan, "actions" | "declared" | "assert" | "response" | "params">;

export function planContract(node: Node, plan: Actions, matchers: Describers): ContractPlan {
  const input = get(get(node, "accepts"), "schema");
  const output = get(get(node, "produces"), "schema");
  const facts = new Facts(plan, matchers);
  return {
    ...contractPart("input", input === undefined ? facts.body(plan.params) : plain(input)),
    ...contractPart("output", output === undefined ? facts.answer() : plain(output)),
    ...(input === undefined ? {} : { accepted: true as const }),
    ...(output === undefined ? {} : { produced: true as const }),
    ...contractPart("params", facts.params(plan.params)),
    ...example("input_example", get(node, "accepts")),
    ...example("output_example", get(node, "produces")),
  };
}

function example(part: "input_example" | "output_example", contract: Node | undefined): ContractPlan {
  const member = entry(contract, "example");
  return member === undefined ? {} : { [part]: read(plain(member.value)) };
}

/** JSON that was written as a text is shown as what it is. */
function read(example: Json): Json {
  return typeof example === "string" && /^\s*[[{]/.test(example) ? (parseJson(example) ?? example) : example;
}

const contractPart = (part: "input" | "output" | "params", schema: ContractPlan[typeof part]): ContractPlan =>
  schema === undefined ? {} : { [part]: schema };

class Facts {
  readonly #plan: Actions;
  readonly #matchers: Describers;
  readonly #origins: ReadonlyMap<string, Origin>;

  constructor(plan: Actions, matchers: Describers) {
    this.#plan = plan;
    this.#matchers = matchers;
    this.#origins = originsOf(plan.actions, { actions: new Map() });
  }

  /** The schema of the body. A body that does not satisfy it is refused by a test, or by the validation of a parameter. */
  body(declared: readonly ParamPlan[]): ContractPlan["input"] {
    return this.#partOf("body", declared);
  }

  /** The schema of the parameters, with their declarations: a default is text like any other parameter. */
  params(declared: readonly ParamPlan[]): ContractPlan["params"] {
    return this.#partOf("params", declared);
  }

  #partOf(root: "body" | "params", declared: readonly ParamPlan[]): ContractPlan["input"] {
    const facts = this.#requested(root);
    for (const param of declared) this.#declare(param, root, facts);
    return facts.isEmpty ? undefined : asJson(facts.schema());
  }

  /** Adds the facts that the declaration of a parameter states about the member of the request that it reads. */
  #declare({ value, validate }: ParamPlan, root: "body" | "params", facts: StatedFacts): void {
    const [of, preset] = value.op === "or" ? [value.of, value.instead] : [value, undefined];
    const place = this.#trace(of, undefined, root);
    if (place?.root !== root || place.path.length === 0) return;
    const target = facts.at(place.path);
    if (preset?.op === "lit") target.preset(preset.value);
    if (validate === undefined) return;
    const isSure = validate.required === true;
    if (isSure) facts.require(place.path);
    if (validate.description !== undefined) target.describe(validate.description);
    // A test of another value states nothing about the parameter.
    const tested = this.#trace(validate.target, of, root);
    const isItself = tested?.root === place.root && tested.path.join("\0") === place.path.join("\0");
    if (isItself) this.#add(validate, target, isSure);
  }

  #requested(root: "body" | "params"): StatedFacts {
    const facts = new StatedFacts();
    for (const action of this.#plan.actions) {
      const base = sourceOf(action);
      // A guarded action does not run for every request, so its tests do not apply to every request.
      const sure =
        action.gates.run_on_assertion === undefined && action.gates.run_when_failed === undefined && action.skips_with === undefined;
      for (const op of action.ops) if (op.op === "check") this.#gather(op.assert, base, root, facts, sure);
    }
    if (this.#plan.assert !== undefined) this.#gather(this.#plan.assert, this.#ending(), root, facts, true);
    return facts;
  }

  /**
   * The value that the interface-level assert looks at: the data of the last action, or the body when there is no action. Undefined when an
   * action may be skipped.
   */
  #ending(): Expr | undefined {
    const { actions, declared } = this.#plan;
    const last = declared?.at(-1) ?? actions.at(-1)?.name;
    if (last === undefined) return { op: "root", root: "body" };
    const action = actions.find(({ name }) => name === last);
    return action === undefined || maySkip(action) ? undefined : { op: "action", name: last };
  }

  /**
   * The schema of the answer: the facts that the interface-level assert states about the last action, at the place of that action's data in
   * the body.
   */
  answer(): ContractPlan["output"] {
    const { actions, declared, assert, response } = this.#plan;
    const last = declared?.at(-1) ?? actions.at(-1)?.name;
    const action = actions.find(({ name }) => name === last);
    if (assert === undefined || last === undefined || action === undefined || mayBeSkipped(action, actions)) return undefined;
    if (response.custom_body === undefined && hidesData(action)) return undefined;
    const failures = [assert, response, ...assert.tests].map(({ http_code_on_error = 500 }) => http_code_on_error);
    if ([...failures, response.http_code_fallback ?? 500].some((code) => code < 400)) return undefined;
    const facts = new StatedFacts();
    this.#gather(assert, { op: "action", name: last }, last, facts, true);
    if (facts.isEmpty) return undefined;
    const data = asJson(facts.schema());
    if (response.custom_body === undefined) return nested(["data", last, "data"], data);
    const { of } = response.custom_body;
    return of.op === "action" && of.name === last ? data : undefined;
  }

  #gather(assert: AssertPlan, base: Expr | undefined, root: string, facts: StatedFacts, sure: boolean): void {
    for (const test of assert.tests.flatMap(withLeaves)) {
      const isCount = test.target.op === "count";
      const place = this.#trace(test.target.op === "count" ? test.target.of : test.target, base, root);
      if (place?.root !== root) continue;
      const target = facts.at(place.path);
      // A list that is missing has no elements, which may satisfy the bound.
      const isSure = sure && place.certain && (isCount ? this.#facts(test).some(refusesNone) : demands(test));
      if (isSure) facts.require(place.path);
      if (test.description !== undefined) target.describe(test.description);
      if (isCount) for (const fact of this.#facts(test)) target.add(asSize(fact), isSure);
      else this.#add(test, target, isSure);
    }
  }

  #add(test: TestPlan, target: StatedFacts, isSure: boolean): void {
    if (test.matchers.some(({ use, reads }) => reads !== undefined && this.#matchers[use]?.orders !== undefined)) target.number();
    for (const fact of this.#facts(test)) target.add(fact, isSure);
  }

  /**
   * The facts that the matchers of a test state. An operand with a marker states nothing, because it may be a secret; only a matcher
   * whose `target` is the same for every operand still states it.
   */
  #facts(test: TestPlan): JsonSchema[] {
    return test.matchers.flatMap(({ use, operand }) => {
      const matcher = this.#matchers[use];
      const fact = matcher?.target ?? (operand.op === "lit" ? matcher?.describe?.(operand.value) : undefined);
      if (fact === undefined) return [];
      return [test.case_insensitive ? caseless(fact, caselessPattern) : fact];
    });
  }

  /** The origin of a value; undefined when the value was turned into text, which is another value. */
  #trace(e: Expr, base: Expr | undefined, root: string): Origin | undefined {
    const actions = new Map(this.#origins);
    // The data of the action `root` are described here, so their own origin must not be traced further.
    if (actions.has(root)) actions.set(root, { root, path: [], certain: true });
    const data = base === undefined ? undefined : originOf(base, { actions });
    const origin = originOf(e, { actions, data });
    return origin?.isText || origin?.name !== undefined ? undefined : origin;
  }
}

const hidesData = ({ hide }: ActionPlan): boolean =>
  hide.hide_action === true || hide.hide_data_on_success === true || hide.hide_data_on_empty === true;

/**
 * True when an answer may come from a run that has skipped the action. An action that does not run because an action before it has failed
 * does not count: it fails, and the run with it.
 */
function mayBeSkipped({ gates, skips_with }: ActionPlan, all: readonly ActionPlan[]): boolean {
  const { run_when_succeeded: before, run_when_failed, run_on_assertion } = gates;
  if (run_when_failed !== undefined || run_on_assertion !== undefined || skips_with !== undefined) return true;
  return all.some((action) => before?.actions.includes(action.name) && mayBeSkipped(action, all));
}

/** A test, and the tests of the leaves in its matchers (spec/language 6.5). */
function withLeaves(test: TestPlan): readonly TestPlan[] {
  return [test, ...test.matchers.flatMap(({ leaves = {} }) => Object.values(leaves).flatMap(withLeaves))];
}

/** True when the number of elements cannot be 0. */
const refusesNone = (fact: JsonSchema): boolean => asSize(fact).minItems !== undefined;

/** Turns a fact about the number of elements into one about the list. */
function asSize({ const: count, not, minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema): JsonSchema {
  if (not?.const === 0) return { type: "array", minItems: 1 };
  const least =
    typeof count === "number" ? count : (minimum ?? (exclusiveMinimum === undefined ? undefined : Math.floor(exclusiveMinimum) + 1));
  const most =
    typeof count === "number" ? count : (maximum ?? (exclusiveMaximum === undefined ? undefined : Math.ceil(exclusiveMaximum) - 1));
  return {
    type: "array",
    ...(least === undefined || least <= 0 ? {} : { minItems: Math.ceil(least) }),
    ...(most === undefined || most < 0 ? {} : { maxItems: Math.floor(most) }),
  };
}

function nested(path: readonly string[], schema: ContractPlan["output"]): ContractPlan["output"] {
  return path.reduceRight((inner, key) => ({ type: "object", properties: { [key]: inner ?? {} }, required: [key] }), schema);
}

/** A schema is plain data. */
const asJson = (schema: JsonSchema): ContractPlan["input"] => JSON.parse(JSON.stringify(schema));
