const rows = `[${Array(500_000).fill('{"a":1}').join()}]`;

/** Processor time of a fixed reference work in milliseconds, the median of five runs. Our machine takes 28 ms when it is quiet. */
export function yardstick(): number {
  const goes = Array.from({ length: 5 }, () => processorMs(() => JSON.parse(rows)));
  return goes.sort((one, two) => one - two)[2] ?? Number.NaN;
}

/** Processor time of this thread for `work` in milliseconds. Other work of the machine does not count. */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
