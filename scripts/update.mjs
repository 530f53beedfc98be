// `npm run test:update`: rewrites what tests compare with files (printed modules, diagnostics), then what is generated from them. Further
// arguments go to vitest; `npm run case NAME -- --update` takes one fixture. Read the diff: every line of it is a change that users see.
import { spawnSync } from "node:child_process";

const run = (command, args) =>
  spawnSync(command, args, { stdio: "inherit", env: { ...process.env, UPDATE: "1" }, shell: process.platform === "win32" }).status;

// The law `fresh` checks generated files, which are written only after the tests.
const tested = run("npm", ["test", "--silent", "--", "--exclude", "test/laws/fresh.test.ts", ...process.argv.slice(2)]);
const generated = run("npm", ["run", "--silent", "gen"]);
process.exitCode = tested || generated || 0;
