import { processorMs } from "../../harness/processor-time.ts";

const rows = `[${Array(500_000).fill('{"a":1}').join()}]`;

/** Milliseconds of the processor that a work takes which is always the same: the median of five goes. A quiet machine of ours takes 28. */
export function yardstick(): number {
  const goes = Array.from({ length: 5 }, () => processorMs(() => JSON.parse(rows)));
  return goes.sort((one, two) => one - two)[2] ?? Number.NaN;
}
