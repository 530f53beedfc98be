import type { ActionListPlan, InterfacePlan, Op, TestPlan } from "#runtime/plan/index.ts";
import { exprsIn, mentions } from "../4-plan/markers/mentions.ts";
import { factsOf } from "./actions/assessor.ts";
import type { DatabaseUse, InterfaceUses } from "./analysed.ts";
import { waitsForSomebody } from "./confirms.ts";
import { everyAction, everyOp } from "./every.ts";

/** Gathers the needs of an interface. Its tests must have been analysed before. */
export function usesOf(plan: InterfacePlan): InterfaceUses {
  const actions = everyAction(plan.actions);
  const ops = actions.flatMap(everyOp);
  const facts = ops.map(factsOf);
  const tests = everyTest(plan);
  const { contract: _, ...run } = plan;
  const roots = exprsIn(run, "root");
  return {
    transforms: names(ops.flatMap((op) => (op.op === "transform" ? [op.use] : []))),
    matchers: names(tests.flatMap(({ matchers }) => matchers.map(({ use }) => use))),
    plain: names(tests.flatMap(({ plain, matchers }) => (plain ? matchers.map(({ use }) => use) : []))),
    actions: names(ops.flatMap((op) => (op.op === "call" ? [op.use] : []))),
    databases: databasesOf(ops),
    records: names((plan.response.logs ?? []).flatMap(({ to }) => to?.database ?? [])),
    secrets: names(actions.flatMap(({ secrets }) => secrets ?? [])),
    filters: mentions(plan, "filter"),
    jq: mentions(plan, "jq"),
    streams: actions.some(({ stream }) => stream !== undefined),
    remembers: facts.some(({ remembers }) => remembers),
    collides: facts.some(({ collides }) => collides),
    waits: ops.some(waitsForSomebody),
    tells: facts.some(({ tells }) => tells),
    body: roots.some(({ root }) => root === "body" || root === "raw_body"),
  };
}

function databasesOf(ops: readonly Op[]): readonly DatabaseUse[] {
  const drivers = new Map(ops.flatMap((op) => (op.op === "query" ? [[op.database, op.use] as const] : [])));
  return names([...drivers.keys()]).map((name) => ({ name, use: drivers.get(name) ?? "database" }));
}

/** A part of the plan that has tests: an interface, or some of its actions. */
type Tested = ActionListPlan & Partial<Pick<InterfacePlan, "params" | "assert">>;

/** Every test of an interface, those of leaves included. */
export function everyTest({ params = [], assert, actions: list }: Tested): readonly TestPlan[] {
  const actions = everyAction(list);
  const ops = actions.flatMap(everyOp);
  const asserts = [assert, ...actions.map(({ gates }) => gates.run_on_assertion)];
  const tests = [
    ...params.flatMap(({ validate }) => validate ?? []),
    ...asserts.flatMap((each) => each?.tests ?? []),
    ...ops.flatMap(testsOf),
  ];
  return tests.flatMap(withLeaves);
}

/** The tests of an op itself. Tests of the actions in a loop are found as gates and ops of these actions. */
function testsOf(op: Op): readonly TestPlan[] {
  switch (op.op) {
    case "take":
    case "call":
    case "query":
    case "lookup":
    case "transform":
    case "nest":
      return [];
    case "pick":
      return op.choices.flatMap(({ tests }) => tests?.tests ?? []);
    case "check":
      return op.assert.tests;
    case "filter":
      return op.tests;
  }
}

/** A test, and the tests of places inside its target. */
export const withLeaves = (test: TestPlan): readonly TestPlan[] => [
  test,
  ...test.matchers.flatMap(({ leaves = {} }) => Object.values(leaves).flatMap(withLeaves)),
];

/** The names, sorted and without duplicates. */
export const names = <N extends string>(list: readonly N[]): readonly N[] => [...new Set(list)].sort();
