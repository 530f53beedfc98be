import type {
  ActionListPlan,
  ActionPlan,
  ChoicePlan,
  Expr,
  GatePlan,
  LookupPlan,
  NestedPlan,
  Op,
  TransformOp,
} from "#runtime/plan/index.ts";
import { mentions } from "../4-plan/markers/mentions.ts";
import { featureWaits } from "./features.ts";
import { analyseAssert, analyseCondition, someFind, someWait } from "./tests.ts";
import { anyWaits, waitingValue } from "./values.ts";

/** The actions without the parts that only phase 5 reads. */
export const withoutContracts = <L extends ActionListPlan>(list: L): L => ({ ...list, actions: list.actions.map(actionWithout) });

const actionWithout = (plan: ActionPlan): ActionPlan => ({ ...plan, ops: plan.ops.map(opWithout) });

function opWithout(op: Op): Op {
  if (op.op === "lookup") return { ...op, body: withoutContracts(op.body) };
  if (op.op !== "call" || op.contract === undefined) return op;
  const { contract: _, ...rest } = op;
  return rest;
}

export const analyseList = <L extends ActionListPlan>(list: L): L => ({ ...list, actions: list.actions.map(analyseAction) });

function analyseAction(plan: ActionPlan): ActionPlan {
  const ops = withBefore(plan.ops.map(analyseOp));
  const resumes = ops.slice(0, -1).some(({ waits }) => waits) || ops.slice(-1).some(goesOn);
  return { ...plan, gates: analyseGates(plan.gates), ops, ...(resumes ? { resumes } : {}) };
}

/** True when the op has work to do after a wait; else it can return the promise itself. */
function goesOn(op: Op): boolean {
  switch (op.op) {
    case "call":
    case "query":
    case "transform":
      return op.args.waits === true;
    case "filter":
      return anyWaits(op.target, ...(op.values ?? [])).waits === true;
    case "lookup":
      return anyWaits(op.over, op.options.inherit, op.options.inherit_jq, op.options.item_timeout).waits === true;
    case "take":
    case "pick":
    case "check":
    case "nest":
      return op.waits === true;
  }
}

const analyseGates = (gates: GatePlan): GatePlan =>
  gates.run_on_assertion === undefined ? gates : { ...gates, run_on_assertion: analyseAssert(gates.run_on_assertion) };

/**
 * Marks the ops for which an attempt waits. The interpreter and the printed module wait for the same ops, so that concurrent actions
 * interleave alike.
 */
function analyseOp(op: Op): Op {
  switch (op.op) {
    case "take": {
      const from = waitingValue(op.from);
      return { ...op, from, ...anyWaits(from) };
    }
    case "pick": {
      const choices = op.choices.map(analyseChoice);
      return { ...op, choices, ...someWait(choices.flatMap(({ input, tests }) => [input, tests ?? {}])) };
    }
    case "call":
      return { ...op, args: waitingValue(op.args), waits: true };
    case "query":
      return { ...op, args: waitingValue(op.args), waits: true };
    case "lookup":
      return { ...op, over: waitingValue(op.over), options: analyseLoop(op.options), body: analyseList(op.body), waits: true };
    case "check": {
      const assert = analyseAssert(op.assert);
      return { ...op, assert, ...someWait([assert]), ...(someFind(assert.tests) ? { adds: true as const } : {}) };
    }
    case "transform":
    case "filter":
    case "nest":
      return analyseTransform(op);
  }
}

function analyseTransform(op: TransformOp): TransformOp {
  switch (op.op) {
    case "transform": {
      const args = waitingValue(op.args);
      return { ...op, args, ...(featureWaits("transforms", op.use) ? { waits: true } : anyWaits(args)) };
    }
    case "filter": {
      const [target, tests, given] = [waitingValue(op.target), op.tests.map(analyseCondition), givenValues(op)];
      return { ...op, target, tests, ...given, ...someWait([target, ...tests, ...(given.values ?? [])]) };
    }
    case "nest": {
      const lists = op.lists.map(analyseNested);
      // The op waits even when no transform does, because a long list yields to other runs.
      return { ...op, lists, waits: true };
    }
  }
}

function analyseNested(plan: NestedPlan): NestedPlan {
  const [target, body, given] = [waitingValue(plan.target), plan.body.map(analyseTransform), givenValues(plan)];
  return { ...plan, target, body, ...given, ...someWait([target, ...body, ...(given.values ?? [])]) };
}

const givenValues = ({ values }: { readonly values?: readonly Expr[] }): { readonly values?: readonly Expr[] } =>
  values === undefined ? {} : { values: values.map(waitingValue) };

function analyseLoop(options: LookupPlan): LookupPlan {
  const { inherit, inherit_jq, item_timeout } = options;
  return {
    ...options,
    ...(inherit === undefined ? {} : { inherit: waitingValue(inherit) }),
    ...(inherit_jq === undefined ? {} : { inherit_jq: waitingValue(inherit_jq) }),
    ...(item_timeout === undefined ? {} : { item_timeout: waitingValue(item_timeout) }),
  };
}

const analyseChoice = ({ input, tests }: ChoicePlan): ChoicePlan => ({
  input: waitingValue(input),
  ...(tests === undefined ? {} : { tests: analyseAssert(tests) }),
});

/**
 * Arguments of transforms see the data as they were before the first transform. Ops that read these data after a transform has changed them
 * get `before`, and the first transform gets `keeps`. One op with several lists of transforms changes the data between its own arguments.
 */
function withBefore(ops: readonly Op[]): readonly Op[] {
  const first = ops.findIndex(isTransform);
  const readers = ops.map((op, i) => isTransform(op) && mentions(op, "data") && (i > first || (op.op === "nest" && op.lists.length > 1)));
  if (!readers.includes(true)) return ops;
  return ops.map((op, i) => {
    if (!isTransform(op)) return op;
    return { ...op, ...(i === first ? { keeps: true as const } : {}), ...(readers[i] ? { before: true as const } : {}) };
  });
}

const isTransform = (op: Op): op is TransformOp => op.op === "transform" || op.op === "filter" || op.op === "nest";
