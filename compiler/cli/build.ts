import { resolve } from "node:path";
import { actions } from "#generated/features.ts";
import type { Effect } from "#runtime/features/feature.ts";
import { UsageError } from "#runtime/process/settings/options.ts";
import { beginBundle, link } from "../7-link/index.ts";
import { targets as knownTargets, nativeTarget, type Target } from "../7-link/node.ts";
import { names } from "../diagnostics/codes/names.ts";
import { renderFrames } from "../diagnostics/frame.ts";
import { documentOf, type Planned, printAll } from "../pipeline.ts";
import { inManifest, reviewedConfig, reviewedInterface } from "../review/facts.ts";
import { type DocsFlags, documentOptions } from "./docs-flags.ts";
import { progressOn } from "./progress.ts";
import { type DenyFlags, denied, failed, fallbackLines, planProject, refuseEnvironment, status, type Terminal } from "./project.ts";

export interface BuildOptions extends DocsFlags, DenyFlags {
  readonly env: string;
  readonly out: string;
  readonly target?: string;
  readonly executable: boolean;
  readonly quiet?: boolean;
}

/** Modules, one bundle, one executable per target, and the papers that go with them. */
export async function build(paths: readonly string[], options: BuildOptions, terminal: Terminal): Promise<number> {
  refuseEnvironment(options.env);
  const targets = targetsOf(options.target);
  using pending = await beginBundle(options.env);
  const planned = complete(denied(planProject(paths, terminal, options.env, { holds: true }), options));
  if (failed(planned, terminal)) return status.failed;
  const unsealed = planned.diagnostics.filter(({ code }) => code === names.unsealedVariable.code);
  if (unsealed.length > 0) terminal.err(renderFrames(unsealed, planned.sources, { color: terminal.colors.err }));
  using progress = progressOn(terminal, options);
  progress.step("compile", `${planned.plans.length} ${planned.plans.length === 1 ? "config" : "configs"}`);
  for (const line of fallbackLines(planned, options)) progress.note(`jq: ${line}`);
  const modules = await printAll(planned);
  const docs = documentOf(planned, documentOptions(options));
  const { folder, files } = await link(modules, {
    environment: options.env,
    out: resolve(terminal.cwd, options.out),
    targets,
    executable: options.executable,
    plans: planned.plans,
    docs,
    effectOf,
    reviewed: (config, target) => inManifest(target === undefined ? reviewedConfig(config) : reviewedInterface(target, config)),
    progress: (step, detail) => progress.step(step, detail),
    bundled: pending.finish({ modules, docs }),
  });
  progress.done();
  for (const { name, bytes } of files) terminal.out(`${folder}/${name}  ${(bytes / 1e6).toFixed(1)} MB\n`);
  return status.done;
}

/** A build is not mended where it runs: a variable that the environment does not have is an error. */
function complete(planned: Planned): Planned {
  const missing = names.unsetVariable.code;
  if (!planned.diagnostics.some(({ code }) => code === missing)) return planned;
  const diagnostics = planned.diagnostics.map((each) => (each.code === missing ? { ...each, severity: "error" as const } : each));
  return { ...planned, diagnostics, failed: true };
}

function targetsOf(list: string | undefined): readonly Target[] {
  if (list === undefined) {
    const native = nativeTarget();
    if (native === undefined) throw new UsageError(`no target for this machine; say --target ${knownTargets.join(",")}`);
    return [native];
  }
  return list.split(",").map((word) => {
    const target = knownTargets.find((candidate) => candidate === word);
    if (target === undefined) throw new UsageError(`unknown target '${word}'; known are ${knownTargets.join(", ")}`);
    return target;
  });
}

function effectOf(action: string): Effect {
  const table: Readonly<Record<string, { readonly effect?: Effect }>> = actions;
  return table[action]?.effect ?? "pure";
}
