// `npm run ready`: what must hold before a change is offered, in the order of what fails fastest. Stops at the first failure.
import { spawnSync } from "node:child_process";

const steps = [["lint"], ["typecheck"], ["gen", "--", "--check"], ["test:all"]];

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
