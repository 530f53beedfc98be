const rows = `[${Array(500_000).fill('{"a":1}').join()}]`;

/** Milliseconds of the processor that a work takes which is always the same: the median of five goes. A quiet machine of ours takes 28. */
export function yardstick(): number {
  const goes = Array.from({ length: 5 }, () => {
    const before = process.threadCpuUsage();
    JSON.parse(rows);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  });
  return goes.sort((one, two) => one - two)[2] ?? Number.NaN;
}
