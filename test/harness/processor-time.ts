/** Milliseconds of the processor that this thread needs for a work: what else the machine does meanwhile is no part of them. */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
