import type { ActionListPlan, ActionPlan, Expr, Op, Span } from "#runtime/plan/index.ts";
import { isExpr, isOp, partsOf } from "../4-plan/markers/mentions.ts";
import type { AnalysedInterface, AnalysedPlan } from "../5-analyse/analysed.ts";
import { type PlacedTouch, touchesOf, touchesOfAction } from "../5-analyse/capabilities/index.ts";
import type { Sources } from "../diagnostics/position.ts";

/** An action in an explanation. */
export interface ActionNode {
  readonly name: string;
  /** The key of its work: `http`, `database`, `json_output`, `lookup`. */
  readonly does: string;
  /** The actions for which it waits, with the reasons. */
  readonly after: readonly { readonly name: string; readonly why: string }[];
  /** Values of the trigger and of the environment that it reads, as markers. */
  readonly reads: readonly string[];
  /** Things outside that it touches. */
  readonly touches: readonly string[];
  readonly at?: Span;
  /** The actions of its loop. */
  readonly inside: readonly ActionNode[];
}

/** The actions of an interface in the order in which they start. */
export function graphOf(plan: AnalysedInterface, config: AnalysedPlan, sources: Sources): readonly ActionNode[] {
  const touches = touchesOf(plan, config);
  return nodesOf(plan, touches, sources);
}

const nodesOf = ({ actions }: ActionListPlan, touches: readonly PlacedTouch[], sources: Sources): readonly ActionNode[] =>
  actions.map((action) => ({
    name: action.name,
    does: action.ops.map((op) => wordOf(op, sources)).find((word) => word !== undefined) ?? "nothing",
    after: afterOf(action),
    reads: readsOf(action),
    touches: [...new Set(touchesOfAction(action, touches).map(touchText))],
    ...(action.at && { at: action.at }),
    inside: action.ops.flatMap((op) => (op.op === "lookup" ? nodesOf(op.body, touches, sources) : [])),
  }));

function wordOf(op: Op, sources: Sources): string | undefined {
  switch (op.op) {
    case "call":
    case "query":
      return op.use;
    case "lookup":
      return "lookup";
    case "take":
      return isWritten("json_output", op.at, sources) ? "json_output" : "input";
    case "pick":
      return "conditional_input";
    case "check":
    case "transform":
    case "filter":
    case "nest":
      return undefined;
  }
}

/** True when this key stands at the place. The plan has one operation for all keys that give data without a call. */
function isWritten(key: string, at: Span | undefined, sources: Sources): boolean {
  if (at === undefined) return false;
  const lines = sources.lines(at.file);
  const { line, column } = lines.at(at.start);
  return lines
    .line(line)
    .slice(column - 1)
    .replace(/^["']/, "")
    .startsWith(key);
}

/** Gates are stronger than reads: of an action that is both, the gate is said. */
function afterOf({ gates, reads }: ActionPlan): ActionNode["after"] {
  const gated = (["run_when_succeeded", "run_when_failed", "depends_on"] as const).flatMap((why) =>
    (gates[why]?.actions ?? []).map((name) => ({ name, why })),
  );
  const read = reads.filter((name) => !gated.some((gate) => gate.name === name)).map((name) => ({ name, why: "reads" }));
  return [...gated, ...read];
}

/** A touch as text, such as `delete main: posts` or `host api.example.com`. */
const touchText = ({ kind, name, of, verb, from }: PlacedTouch): string =>
  `${kind === "tables" ? `${verb} ` : `${kind.replace(/s$/, "").replace("_", " ")} `}${of === undefined ? "" : `${of}: `}${name}${from === undefined ? "" : ` (from a ${from})`}`;

/** The markers in a part of a plan whose values come from outside the actions. */
export const readsOf = (part: unknown): readonly string[] =>
  [...new Set(rootsIn(part).map(({ root, name }) => (name === undefined ? root : `${root}::${name}`)))].sort();

/** The roots in a part of a plan, without the actions of its loops. */
function rootsIn(part: unknown): readonly Extract<Expr, { op: "root" }>[] {
  if (isExpr(part, "root")) return [part];
  return partsOf(part).flatMap((each) => (isOp(part, "lookup") && each === part.body ? [] : rootsIn(each)));
}
