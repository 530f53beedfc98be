// Runs in the process that serves: measures how long its main thread works at one go, in processor time, so that other processes do not
// count.
let last = process.threadCpuUsage();
let longest = 0;

const tick = () => {
  const { user, system } = process.threadCpuUsage(last);
  longest = Math.max(longest, (user + system) / 1_000);
  last = process.threadCpuUsage();
};
setInterval(tick, 1).unref();

const rows = `[${Array(500_000).fill('{"a":1}').join()}]`;

/** Milliseconds of a work that is always the same: what this machine takes for it now. */
const reference = () => {
  const before = process.threadCpuUsage();
  JSON.parse(rows);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
};

process.on("message", (asked) => {
  tick();
  const answer = asked === "reference" ? reference() : longest;
  last = process.threadCpuUsage();
  longest = 0;
  process.send?.(answer);
});
// A service that does not start ends.
process.channel?.unref();
