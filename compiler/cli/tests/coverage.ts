import { join, resolve } from "node:path";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { ownPackage } from "../../7-link/root.ts";
import { template } from "../../7-link/virtual.ts";
import { writeWhole } from "../../7-link/write.ts";
import type { Sources } from "../../diagnostics/position.ts";
import { type CoveredPoint, percent, shareOf } from "../../testing/coverage/coverage.ts";
import { lcov } from "../../testing/coverage/lcov.ts";
import { coveragePage } from "../../testing/coverage/page.ts";
import { coverageText } from "../../testing/coverage/text.ts";
import { paint } from "../../testing/report-text.ts";
import type { Terminal } from "../project.ts";

export interface CoverageFlags {
  readonly coverage?: "text" | "lcov" | "html";
  readonly min?: string;
}

export const wantsCoverage = ({ coverage, min }: CoverageFlags): boolean => coverage !== undefined || min !== undefined;

/** The required coverage in percent. */
export function leastOf({ min }: CoverageFlags): number {
  const least = Number(min ?? "0");
  if (min !== undefined && !/^\d{1,3}(?:\.\d+)?$/.test(min))
    throw new UsageError(`--min takes a number of percent from 0 to 100, not '${min}'`);
  if (least > 100) throw new UsageError(`--min takes a number of percent from 0 to 100, not '${min}'`);
  return least;
}

/** Prints the coverage, if the report is text, and writes it in other forms; true when it is high enough. */
export function sayCoverage(
  points: readonly CoveredPoint[],
  sources: Sources,
  flags: CoverageFlags & { readonly isForPeople: boolean },
  terminal: Terminal,
): boolean {
  const { coverage, isForPeople } = flags;
  const write = isForPeople ? terminal.out : terminal.err;
  const isColored = isForPeople ? terminal.colors.out : terminal.colors.err;
  write(`\n${coverageText(points, sources, paint(isColored))}`);
  const file = { text: undefined, lcov: "lcov.info", html: "index.html" }[coverage ?? "text"];
  if (file !== undefined) {
    const style = (): string => template(ownPackage().folder, "coverage/page.css");
    const text = coverage === "html" ? coveragePage(points, sources, style()) : lcov(points, sources);
    writeWhole(resolve(terminal.cwd, "coverage", file), text);
    write(`wrote ${join("coverage", file)}\n`);
  }
  const [share, least] = [percent(shareOf(points)), leastOf(flags)];
  if (share < least) terminal.err(`coverage is ${share.toFixed(1)} %, less than the ${least} % of --min\n`);
  return share >= least;
}
