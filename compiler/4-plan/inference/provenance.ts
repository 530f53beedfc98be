import type { ActionListPlan, Expr, NestedPlan, Op, TransformOp } from "#runtime/plan/index.ts";
import { roots } from "#runtime/run/marker-roots.ts";
import { recordOf } from "../../records.ts";
import { innerOf } from "../markers/inner.ts";

/** The source of a value: the configuration and its environment, another service or a store, or the caller. */
export type Provenance = "configuration" | "service" | "request";

/** The provenance of the values that may be read at a place of a list of actions. */
export interface Sources {
  readonly body: Provenance;
  /** Data of actions that have been planned, by name. */
  readonly actions: ReadonlyMap<string, Provenance>;
  /** Data of the action itself so far. */
  readonly data: Provenance;
  /** Values of the op around. */
  readonly given: Provenance;
}

export const ofRequest: Sources = { body: "request", actions: new Map(), data: "configuration", given: "configuration" };

const rank: Readonly<Record<Provenance, number>> = { configuration: 0, service: 1, request: 2 };

/** The provenance of a value made of several parts: it is trusted as little as the least trusted part. */
export const worst = (all: readonly Provenance[]): Provenance =>
  all.reduce((worse, each) => (rank[each] > rank[worse] ? each : worse), "configuration" as Provenance);

/** Filters whose argument only selects among existing values, so that no part of the argument gets into the result. */
const choosing: ReadonlySet<string> = new Set(["access", "path"]);

/** The origin of the value of an expression. */
export function provenanceOf(e: Expr, sources: Sources): Provenance {
  // A list in a file may have more items than a call may have arguments, so the values are passed as one list.
  const of = (all: readonly Expr[]): Provenance => worst(all.map((each) => provenanceOf(each, sources)));
  switch (e.op) {
    case "lit":
      return "configuration";
    case "root":
      return ofRoot(e.root, sources);
    case "action":
      return sources.actions.get(e.name) ?? "service";
    case "data":
    case "item":
      return sources.data;
    case "given":
      return sources.given;
    case "filter":
      return of(choosing.has(e.use) ? [e.of] : innerOf(e));
    case "at":
    case "count":
    case "each":
    case "or":
    case "jq":
    case "text":
    case "join":
    case "reread":
    case "typed":
    case "start":
    case "list":
    case "map":
      return of(innerOf(e));
  }
}

function ofRoot(root: string, { body, actions }: Sources): Provenance {
  if (root === "body") return body;
  if (root === "settled") return worst([...actions.values()]);
  if (root === "state") return "service";
  return roots[root]?.config === true ? "configuration" : "request";
}

/** The provenance of the data of an action after its ops. */
export function provenanceAfter(ops: readonly Op[], sources: Sources): Provenance {
  return ops.reduce((data, op) => afterOp(op, { ...sources, data }), "configuration" as Provenance);
}

function afterOp(op: Op, sources: Sources): Provenance {
  switch (op.op) {
    case "take":
      return provenanceOf(op.from, sources);
    case "call":
      return afterCall(op, sources);
    case "query":
      return "service";
    case "pick":
      return worst(op.choices.map(({ input }) => provenanceOf(input, sources)));
    case "lookup":
      return worst([inLoop(op, sources).body, ...eachAction(op.body, inLoop(op, sources))]);
    case "check":
      // A matcher may put what it finds in its target into the data.
      return worst([sources.data, ...op.assert.tests.map(({ target }) => provenanceOf(target, sources))]);
    case "transform":
    case "filter":
    case "nest":
      return afterTransform(op, sources);
  }
}

function afterCall({ use, args }: Extract<Op, { op: "call" }>, sources: Sources): Provenance {
  const { origin } = recordOf("actions", use);
  if (origin === undefined) return "service";
  if (origin === "configuration" || origin === "request") return origin;
  if (origin === "data") return sources.data;
  return worst(origin.map((field) => provenanceOf(memberOf(args, field), sources)));
}

function afterTransform(op: TransformOp, sources: Sources): Provenance {
  switch (op.op) {
    case "transform":
      return worst([sources.data, provenanceOf(op.args, sources)]);
    case "filter":
      return sources.data;
    case "nest":
      return worst([sources.data, ...op.lists.map((list) => afterNested(list, sources))]);
  }
}

function afterNested({ values = [], body }: NestedPlan, sources: Sources): Provenance {
  const inside = { ...sources, given: worst([sources.given, ...values.map((value) => provenanceOf(value, sources))]) };
  return worst(body.map((op) => afterTransform(op, inside)));
}

/** The sources of the actions inside a loop: the item is their body. */
export function inLoop({ over, options }: Extract<Op, { op: "lookup" }>, sources: Sources): Sources {
  const all = [over, options.inherit, options.inherit_jq].flatMap((each) => each ?? []);
  return { ...sources, body: worst(all.map((each) => provenanceOf(each, sources))), data: "configuration" };
}

/** The provenance of the data of each action of a list. */
function eachAction({ actions }: ActionListPlan, sources: Sources): readonly Provenance[] {
  const origins = new Map(sources.actions);
  return actions.map(({ name, ops }) => {
    const origin = provenanceAfter(ops, { ...sources, actions: origins });
    origins.set(name, origin);
    return origin;
  });
}

/** A member of a map of arguments; arguments of any other form are given as a whole. */
export function memberOf(args: Expr, ...fields: readonly string[]): Expr {
  const [field, ...rest] = fields;
  if (field === undefined || args.op !== "map") return args;
  const member = args.entries.find(([key]) => key === field);
  return member === undefined ? { op: "lit", value: null } : memberOf(member[1], ...rest);
}
