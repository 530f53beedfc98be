import type { Span } from "#runtime/plan/index.ts";
import { compareNames } from "../1-read/order.ts";
import { transforms } from "../diagnostics/codes/transforms.ts";
import type { Sources } from "../diagnostics/position.ts";
import type { Planned } from "../pipeline.ts";
import { present } from "../present.ts";
import { type AuditRule, type AuditSeverity, audited, auditSeverities, type ReportedPlace, startOf } from "./rule.ts";
import { literalSecret, rules } from "./rules/index.ts";

/** A risk at one place. */
export interface Finding {
  readonly rule: AuditRule;
  readonly severity: AuditSeverity;
  readonly text: string;
  /** The interface that has the risk. */
  readonly subject?: string;
  readonly at: Span;
  readonly line: number;
  readonly column: number;
}

/** All risks in a project that are legal but unwise, the gravest first, then in the order of files and lines. */
export function audit({ plans, sources, diagnostics }: Planned): readonly Finding[] {
  const placed = (rule: AuditRule, { at, text, severity = rule.severity }: ReportedPlace, subject?: string): Finding => ({
    ...{ rule, severity, text, at },
    ...present({ subject }),
    ...sources.lines(at.file).at(at.start),
  });
  const secrets = diagnostics.filter(({ code }) => code === transforms.literalSecret.code);
  const results = [
    ...secrets.map(({ at, message }) => placed(literalSecret, { at, text: message })),
    ...plans.flatMap((config) =>
      rules.flatMap((rule) => (rule.findConfig?.(config, startOf(config)) ?? []).map((one) => placed(rule, one))),
    ),
    ...plans.flatMap((config) =>
      config.interfaces.flatMap((plan) => {
        const target = audited(plan, config);
        return rules.flatMap((rule) => (rule.find?.(target) ?? []).map((one) => placed(rule, one, plan.name)));
      }),
    ),
  ];
  return unique(results)
    .filter((one) => !isSilenced(one, sources))
    .toSorted((a, b) => rank(a) - rank(b) || compareNames(a.at.file, b.at.file) || a.line - b.line || a.column - b.column);
}

const rank = ({ severity }: Finding): number => auditSeverities.indexOf(severity);

/** The findings without repetitions: a rule reports one place only once. */
const unique = (found: readonly Finding[]): readonly Finding[] => [
  ...new Map(found.map((one) => [JSON.stringify([one.rule.name, one.text, one.at]), one])).values(),
];

/** True when a comment `# pipewright-ignore NAME reason` stands at the end of the line, or on comment lines above it. */
function isSilenced({ rule, at, line }: Finding, sources: Sources): boolean {
  const table = sources.lines(at.file);
  const names = (text: string): boolean => new RegExp(`#\\s*pipewright-ignore\\s+${rule.name}(?:\\s|$)`).test(text);
  if (names(table.line(line))) return true;
  for (let above = line - 1; above > 0 && table.line(above).trimStart().startsWith("#"); above--) if (names(table.line(above))) return true;
  return false;
}
