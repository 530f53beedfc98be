// Runs in the serving process. It measures the longest time for which the main thread works without a pause, in processor time, so that
// other processes do not count.
import { yardstick } from "./yardstick.ts";

let last = process.threadCpuUsage();
let longest = 0;

const tick = () => {
  const { user, system } = process.threadCpuUsage(last);
  longest = Math.max(longest, (user + system) / 1_000);
  last = process.threadCpuUsage();
};
setInterval(tick, 1).unref();

process.on("message", (asked) => {
  tick();
  const answer = asked === "reference" ? yardstick() : longest;
  last = process.threadCpuUsage();
  longest = 0;
  process.send?.(answer);
});
// The channel must not keep the process alive, so that a service that fails to start ends.
process.channel?.unref();
