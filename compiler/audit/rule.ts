import type { ActionPlan, Op, Span } from "#runtime/plan/index.ts";
import type { AnalysedInterface, AnalysedPlan } from "../5-analyse/analysed.ts";
import { type Touch, touchesOf } from "../5-analyse/capabilities/index.ts";
import { everyTest } from "../5-analyse/uses.ts";
import { actionsOf } from "../review/facets/actions.ts";
import { isProof } from "../review/facets/checks.ts";

export const auditSeverities = ["high", "medium", "low"] as const;
export type AuditSeverity = (typeof auditSeverities)[number];

/** A place where a rule has something to say. */
export interface Found {
  readonly at: Span;
  /** A sentence without a full stop, about this place. */
  readonly text: string;
  /** Where it is not that of the rule. */
  readonly severity?: AuditSeverity;
}

/** Something that is legal and unwise. */
export interface AuditRule {
  /** In comments that silence it: `# pipewright-ignore NAME reason`. */
  readonly name: string;
  readonly severity: AuditSeverity;
  /** Says what may happen. */
  readonly why: string;
  readonly remedy: string;
  /** The findings in one interface. */
  readonly find?: (target: Audited) => readonly Found[];
  /** The findings in a configuration by itself. */
  readonly findConfig?: (config: AnalysedPlan, at: Span) => readonly Found[];
}

/** An interface with the facts that several rules ask for. */
export interface Audited {
  readonly plan: AnalysedInterface;
  readonly config: AnalysedPlan;
  readonly at: Span;
  readonly touches: readonly Touch[];
  /** Every action and every op of it, loops included. */
  readonly actions: readonly ActionPlan[];
  readonly ops: readonly (Op & { readonly at: Span })[];
  /** A test of it proves who calls. */
  readonly proves: boolean;
  /** Only some networks may call it. */
  readonly fenced: boolean;
}

export function audited(plan: AnalysedInterface, config: AnalysedPlan): Audited {
  const at = plan.at ?? startOf(config);
  const actions = actionsOf(plan).map(([, action]) => action);
  const levels = [plan.network?.inherits === true ? config.network : undefined, plan.network?.rules];
  return {
    plan,
    config,
    at,
    touches: touchesOf(plan, config),
    actions,
    ops: actions.flatMap((action) => action.ops.map((op) => ({ ...op, at: op.at ?? action.at ?? at }))),
    proves: everyTest(plan).some(isProof),
    fenced: levels.some((rules) => rules?.ip?.allow !== undefined) && plan.network?.mode !== "monitor",
  };
}

export const startOf = ({ file }: AnalysedPlan): Span => ({ file, start: 0, end: 0 });
