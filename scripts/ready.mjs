// `npm run ready`: all checks that must pass before a change is offered; those that fail fastest come first. Stops at the first failure.
import { spawnSync } from "node:child_process";

// The short benchmark comes last, when nothing else runs: it fails when a request costs more in proportion to Fastify than before.
const steps = [["lint"], ["typecheck"], ["gen", "--", "--check"], ["test:all"], ["bench", "--", "--short"]];

for (const step of steps) {
  const began = performance.now();
  console.log(`\n== ${name(step)}`);
  const { status } = spawnSync("npm", ["run", "--silent", ...step], { stdio: "inherit", shell: process.platform === "win32" });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`== ${name(step)}: ${status === 0 ? "passed" : "failed"} in ${seconds} s`);
  if (status !== 0) process.exit(status ?? 1);
}
console.log("\nready");

function name(step) {
  return step.filter((word) => word !== "--").join(" ");
}
