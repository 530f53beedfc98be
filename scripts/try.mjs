// `npm run try -- FILE…`: the modules that would be generated, on the terminal; with --plan the plans behind them. Diagnostics go to
// stderr.
import { stringify } from "yaml";
import { findConfigs, findModules } from "../compiler/1-read/files.ts";
import { renderFrames } from "../compiler/diagnostics/frame.ts";
import { planAll, printAll } from "../compiler/pipeline.ts";

const paths = process.argv.slice(2).filter((word) => word !== "--plan");
if (paths.length === 0) {
  console.error("usage: npm run try -- FILE… [--plan]");
  process.exit(1);
}
const planned = planAll(findConfigs(paths, process.cwd()), { modules: findModules(paths, process.cwd()) });
process.stderr.write(renderFrames(planned.diagnostics, planned.sources, { color: process.stderr.isTTY }));
if (planned.failed) process.exitCode = 1;
else if (process.argv.includes("--plan")) for (const plan of planned.plans) process.stdout.write(stringify(plan));
else for (const { name, code } of await printAll(planned)) process.stdout.write(`// ${name}.ts\n${code}`);
