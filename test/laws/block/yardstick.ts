const rows = `[${Array(500_000).fill('{"a":1}').join()}]`;

/** Milliseconds of the processor that a work takes which is always the same: the median of five goes. A quiet machine of ours takes 28. */
export function yardstick(): number {
  const goes = Array.from({ length: 5 }, () => processorMs(() => JSON.parse(rows)));
  return goes.sort((one, two) => one - two)[2] ?? Number.NaN;
}

/** Milliseconds of the processor that this thread needs for a work: what else the machine does meanwhile is no part of them. */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
