import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { compare, type Difference, gravestFirst } from "../review/compare.ts";
import { type Severity, severities } from "../review/fact.ts";
import { type DiffFormat, placed, reportOf } from "../review/report.ts";
import { inWords, ofStore, strandings } from "../review/runs.ts";
import { asManifest, type Side, sideOf } from "../review/side.ts";
import { failed, planPaths, type Terminal } from "./project.ts";
import { withRuns } from "./runs/durable.ts";
import { durableEnvironment, type RunsFlags } from "./runs/store.ts";
import { status } from "./status.ts";

export interface DiffOptions {
  readonly format: DiffFormat;
  readonly failOn?: string;
  /** True to compare durable runs, too. Below are the places for the address of their database. */
  readonly runs?: boolean;
  readonly dotenv?: string;
  /** The environment of these runs. */
  readonly env?: string;
}

/** Prints the differences of two versions for a reviewer. */
export async function diff(before: string, after: string, options: DiffOptions, terminal: Terminal): Promise<number> {
  const { format, failOn, runs = false, dotenv, env } = options;
  const failing = failOn === undefined ? severities : severitiesOf(failOn);
  const sides = [before, after].map((given) => sideOf(given, terminal.cwd, (path) => planPaths([path], terminal.cwd)));
  const [old, next] = sides;
  if (old === undefined || next === undefined || sides.some((side) => isBroken(side, terminal, format))) return status.failed;
  const isHashed = old.isManifest || next.isManifest;
  const facts = ({ reviewed, isManifest }: Side): Side["reviewed"] => (isHashed && !isManifest ? asManifest(reviewed) : reviewed);
  const stranded = runs ? await strandedRuns(old, next, { dir: ".", ...(dotenv && { dotenv }), ...(env && { env }) }, terminal) : [];
  const differences = placed(gravestFirst([...stranded, ...compare(facts(old), facts(next))]), old, next);
  terminal.out(reportOf(format, differences, old, next));
  return differences.some(({ severity }) => failing.includes(severity)) ? status.difference : status.done;
}

/** Durable runs that no process with the new version would continue: the runs in the database, or a general warning without a database. */
async function strandedRuns(old: Side, next: Side, flags: RunsFlags, terminal: Terminal): Promise<readonly Difference[]> {
  if (old.planned === undefined || next.planned === undefined)
    throw new UsageError("--runs compares configurations: a manifest does not say how a run goes on");
  const gaps = strandings(old.planned.plans, next.planned.plans);
  if (durableEnvironment(flags, terminal) === undefined) return inWords(gaps);
  return withRuns(flags, terminal, (store) => ofStore(gaps, store));
}

/** True for a version with errors, which are shown as by every command. */
function isBroken({ planned, name }: Side, terminal: Terminal, format: DiffFormat): boolean {
  if (planned === undefined || !planned.failed) return false;
  terminal.err(`${name} does not compile:\n`);
  return failed(planned, terminal, { format });
}

function severitiesOf(list: string): readonly Severity[] {
  return list.split(",").map((word) => {
    const match = severities.find((severity) => severity === word.trim());
    if (match === undefined) throw new UsageError(`--fail-on: unknown severity '${word}'; known are ${severities.join(", ")}`);
    return match;
  });
}
