import type { ActionPlan, Op, Span } from "#runtime/plan/index.ts";
import type { AnalysedInterface, AnalysedPlan } from "../5-analyse/analysed.ts";
import { authenticationOf } from "../5-analyse/authentication.ts";
import { type PlacedTouch, touchesOf } from "../5-analyse/capabilities/index.ts";
import { actionsOf } from "../review/facets/actions.ts";
import { changesAmong } from "./changes.ts";
import { type Statement, statementsIn } from "./statements.ts";

export const auditSeverities = ["high", "medium", "low"] as const;
export type AuditSeverity = (typeof auditSeverities)[number];

/** A place that a rule reports. */
export interface ReportedPlace {
  readonly at: Span;
  /** A sentence without a full stop, about this place. */
  readonly text: string;
  /** The severity, if it differs from the severity of the rule. */
  readonly severity?: AuditSeverity;
}

/** A rule about something that is legal but unwise. */
export interface AuditRule {
  /** The name of the rule in comments that silence it: `# pipewright-ignore NAME reason`. */
  readonly name: string;
  readonly severity: AuditSeverity;
  /** The harm that may happen. */
  readonly why: string;
  readonly remedy: string;
  /** The findings in one interface. */
  readonly find?: (target: Audited) => readonly ReportedPlace[];
  /** The findings in a configuration by itself. */
  readonly findConfig?: (config: AnalysedPlan, at: Span) => readonly ReportedPlace[];
}

/** An interface with the facts that several rules need. */
export interface Audited {
  readonly plan: AnalysedInterface;
  readonly config: AnalysedPlan;
  readonly at: Span;
  readonly touches: readonly PlacedTouch[];
  /** Touches that change something outside. */
  readonly changes: readonly PlacedTouch[];
  /** Every action of the interface, and below it every op, loops included. */
  readonly actions: readonly ActionPlan[];
  readonly ops: readonly (Op & { readonly at: Span })[];
  readonly statements: readonly Statement[];
  /** True when a test of the interface authenticates the caller. */
  readonly proves: boolean;
  /** Actions that run for a caller who has proved nothing. */
  readonly unproven: readonly ActionPlan[];
  /** True when only some networks may call the interface. */
  readonly fenced: boolean;
}

export function audited(plan: AnalysedInterface, config: AnalysedPlan): Audited {
  const at = plan.at ?? startOf(config);
  const { proofs, unproven } = authenticationOf(plan);
  const actions = actionsOf(plan).map(([, action]) => action);
  const levels = [plan.network?.inherits === true ? config.network : undefined, plan.network?.rules];
  const ops = actions.flatMap((action) => action.ops.map((op) => ({ ...op, at: op.at ?? action.at ?? at })));
  const touches = touchesOf(plan, config);
  const statements = statementsIn(ops, config);
  return {
    ...{ plan, config, at, touches, changes: changesAmong(touches, statements), actions, ops, statements },
    proves: proofs.length > 0,
    unproven,
    fenced: levels.some((rules) => rules?.ip?.allow !== undefined) && plan.network?.mode !== "monitor",
  };
}

export const startOf = ({ file }: AnalysedPlan): Span => ({ file, start: 0, end: 0 });
