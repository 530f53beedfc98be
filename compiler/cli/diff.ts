import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { renderFrames } from "../diagnostics/frame.ts";
import { compare } from "../review/compare.ts";
import { type Severity, severities } from "../review/fact.ts";
import { type DiffFormat, placed, reportOf } from "../review/report.ts";
import { asManifest, type Side, sideOf } from "../review/side.ts";
import { planPaths, type Terminal } from "./project.ts";
import { status } from "./status.ts";

export interface DiffOptions {
  readonly format: DiffFormat;
  readonly failOn?: string;
}

/** Tells a reviewer how two versions differ. */
export function diff(before: string, after: string, { format, failOn }: DiffOptions, terminal: Terminal): number {
  const failing = failOn === undefined ? severities : severitiesOf(failOn);
  const sides = [before, after].map((given) => sideOf(given, terminal.cwd, (path) => planPaths([path], terminal.cwd)));
  const [old, next] = sides;
  if (old === undefined || next === undefined || sides.some((side) => isBroken(side, terminal))) return status.failed;
  const isHashed = old.isManifest || next.isManifest;
  const facts = ({ reviewed, isManifest }: Side): Side["reviewed"] => (isHashed && !isManifest ? asManifest(reviewed) : reviewed);
  const differences = placed(compare(facts(old), facts(next)), old, next);
  terminal.out(reportOf(format, differences, old, next));
  return differences.some(({ severity }) => failing.includes(severity)) ? status.difference : status.done;
}

function isBroken({ planned, name }: Side, terminal: Terminal): boolean {
  if (planned === undefined || !planned.failed) return false;
  const errors = planned.diagnostics.filter(({ severity }) => severity === "error");
  terminal.err(`${name} does not compile:\n${renderFrames(errors, planned.sources, { color: terminal.colors.err })}`);
  return true;
}

function severitiesOf(list: string): readonly Severity[] {
  return list.split(",").map((word) => {
    const match = severities.find((severity) => severity === word.trim());
    if (match === undefined) throw new UsageError(`--fail-on: unknown severity '${word}'; known are ${severities.join(", ")}`);
    return match;
  });
}
