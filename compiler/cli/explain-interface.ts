import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { visible } from "#runtime/value/visible.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { beside } from "../explain/side-by-side.ts";
import { explanation, mermaid } from "../explain/text.ts";
import { printAll } from "../pipeline.ts";
import { bare } from "../review/fact.ts";
import { failed, planProject, type Terminal } from "./project.ts";
import { status } from "./status.ts";

export interface ExplainOptions {
  readonly graph?: "mermaid";
  readonly phase?: "plan" | "print";
  readonly code?: boolean;
}

/** Shows the entrances of an interface, its actions in order, the things outside that it touches, and its printed code. */
export async function explainInterface(
  name: string,
  paths: readonly string[],
  options: ExplainOptions,
  terminal: Terminal,
): Promise<number> {
  const planned = planProject(paths, terminal);
  if (failed(planned, terminal)) return status.failed;
  const all = planned.plans.flatMap((config) => config.interfaces.map((plan) => ({ config, plan })));
  const target = all.find(({ plan }) => plan.name === name);
  if (target === undefined) {
    const close = nearest(
      name,
      all.map(({ plan }) => plan.name),
    );
    throw new UsageError(`no interface is called '${name}'${close === undefined ? "" : `; did you mean '${close}'?`}`);
  }
  const { config, plan } = target;
  const { graph, phase, code = true } = options;
  if (graph === "mermaid") terminal.out(mermaid(plan, config, planned.sources));
  else if (phase === "plan") terminal.out(visible(`${JSON.stringify(bare(plan), null, 2)}\n`));
  else {
    const [module] = await printAll({ plans: [config], sources: planned.sources });
    if (module === undefined) throw new Error("nothing was printed");
    if (phase === "print") terminal.out(module.code);
    else {
      terminal.out(explanation(plan, config, planned.sources));
      if (code) terminal.out(`\n${beside(module, name, planned.sources.lines(config.file), terminal.columns ?? 0)}`);
    }
  }
  return status.done;
}
