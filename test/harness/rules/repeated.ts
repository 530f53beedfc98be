import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import fc, { type RunDetails } from "fast-check";
import { expect } from "vitest";
import { root } from "../folders.ts";

/** The command that runs a test file again with these environment variables, so that it draws the same. */
export function repeatingCommand(file: string, seed: number, draws: string | undefined): string {
  const words = [`SEED=${seed}`, ...(draws === undefined || draws === "some" ? [] : [`DRAWS=${draws}`])];
  return `${words.join(" ")} npx vitest run --config test/vitest.config.ts ${file}`;
}

/** The command that repeats the test which runs now. */
export function repeating(seed: number): string {
  const file = relative(fileURLToPath(root), expect.getState().testPath ?? "");
  return repeatingCommand(file, seed, process.env.DRAWS);
}

/** Reports a property that failed as fast-check does, with the command that repeats the failure below. */
export function repeated<Drawn>(details: RunDetails<Drawn>): void {
  if (!details.failed) return;
  const { errorInstance, seed } = details;
  throw new Error(`${fc.defaultReportMessage(details)}\nTo repeat it: ${repeating(seed)}`, { cause: errorInstance });
}
