import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { audit as findings } from "../audit/index.ts";
import { type AuditFormat, auditReport } from "../audit/report.ts";
import { auditSeverities } from "../audit/rule.ts";
import { failed, planProject, type Terminal } from "./project.ts";
import { status } from "./status.ts";

export interface AuditOptions {
  readonly format: AuditFormat;
  readonly failOn: string;
}

/** Lists all findings that are legal but unwise. */
export function audit(paths: readonly string[], { format, failOn }: AuditOptions, terminal: Terminal): number {
  const least = auditSeverities.findIndex((severity) => severity === failOn);
  if (least < 0) throw new UsageError(`--fail-on: unknown severity '${failOn}'; known are ${auditSeverities.join(", ")}`);
  const planned = planProject(paths, terminal);
  if (failed(planned, terminal, { format })) return status.failed;
  const results = findings(planned);
  terminal.out(auditReport(format, results, planned.sources));
  return results.some(({ severity }) => auditSeverities.indexOf(severity) <= least) ? status.failed : status.done;
}
