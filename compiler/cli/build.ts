import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { actions } from "#generated/features.ts";
import type { Effect } from "#runtime/features/feature.ts";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { scriptName } from "#runtime/process/stack.ts";
import type { PrintedModule } from "../6-print/index.ts";
import type { BegunBundle } from "../7-link/begun-bundle.ts";
import { type Linked, link } from "../7-link/index.ts";
import { targets as knownTargets, nativeTarget, type Target } from "../7-link/node.ts";
import { type Start, startOf } from "../7-link/start.ts";
import type { ShownConsole } from "../7-link/virtual.ts";
import { consoleFacts } from "../console/facts.ts";
import { consoleParts } from "../console/page.ts";
import { names } from "../diagnostics/codes/names.ts";
import { documentOf, type Planned, printAll } from "../pipeline.ts";
import { present } from "../present.ts";
import { inManifest, reviewedConfig, reviewedInterface } from "../review/facts.ts";
import { type Why, why } from "../why/index.ts";
import { whyText } from "../why/text.ts";
import { type DocsFlags, documentOptions } from "./docs-flags.ts";
import { type EnforceFlags, manifestOf, unreviewed } from "./enforced.ts";
import { framesFor } from "./frames.ts";
import { progressOn } from "./progress.ts";
import { type DenyFlags, denied, failed, fallbackLines, planProject, refuseEnvironment, type Terminal } from "./project.ts";
import { status } from "./status.ts";

export interface BuildOptions extends DocsFlags, DenyFlags, EnforceFlags {
  readonly env: string;
  readonly out: string;
  readonly target?: string;
  readonly node?: readonly string[];
  readonly executable: boolean;
  readonly quiet?: boolean;
  readonly why?: boolean;
  /** True to put the console into the executable. */
  readonly console?: boolean;
  readonly format?: "text" | "json";
}

/**
 * Writes modules, one bundle, one executable per target, the manifest, the SBOM and the licence texts. `begun` is the bundle, for the same
 * environment.
 */
export async function build(paths: readonly string[], options: BuildOptions, terminal: Terminal, begun: BegunBundle): Promise<number> {
  refuseEnvironment(options.env);
  const targets = targetsOf(options);
  const givenNodes = nodeFiles(options, terminal);
  const planned = complete(denied(planProject(paths, terminal, options.env, { holds: true }), options));
  if (failed(planned, terminal, { format: options.format ?? "text" })) return status.failed;
  const unsealed = planned.diagnostics.filter(({ code }) => code === names.unsealedVariable.code);
  if (unsealed.length > 0) terminal.err(framesFor(unsealed, planned.sources, terminal));
  const enforced = manifestOf(options, planned, terminal);
  const foreign = enforced === undefined ? [] : unreviewed(planned, enforced);
  for (const line of foreign) terminal.err(`${line}\n`);
  if (foreign.length > 0) return status.failed;
  using progress = progressOn(terminal, options);
  progress.step("compile", `${planned.plans.length} ${planned.plans.length === 1 ? "config" : "configs"}`);
  for (const line of fallbackLines(planned, options)) progress.note(`jq: ${line}`);
  const docs = documentOf(planned, documentOptions(options));
  const shown = async (modules: readonly PrintedModule[]): Promise<ShownConsole> => ({
    parts: await consoleParts(),
    facts: consoleFacts({ ...planned, modules }),
  });
  const files = planned.plans.map(({ file }) => file);
  const bundled = begun.expect({ files, docs, shown: options.console === true ? shown : undefined, enforced });
  const modules = await printAll(planned, {}, begun.add);
  const linked = await link(modules, {
    environment: options.env,
    out: resolve(terminal.cwd, options.out),
    targets,
    givenNodes,
    executable: options.executable,
    plans: planned.plans,
    docs,
    effectOf,
    reviewed: (config, target) => inManifest(target === undefined ? reviewedConfig(config) : reviewedInterface(target, config)),
    progress: (step, detail) => progress.step(step, detail),
    bundled,
  });
  const start = linked.runnable === undefined ? undefined : await startOf(join(linked.folder, linked.runnable));
  progress.done();
  const reasons = options.why === true ? await why(modules, linked.bundled, docs !== undefined) : undefined;
  if (options.format === "json") terminal.out(`${JSON.stringify(jsonReport(linked, start, reasons))}\n`);
  else sayBuilt(linked, start, reasons, terminal, options);
  return status.done;
}

function jsonReport({ folder, files, bundled }: Linked, start: Start | undefined, reasons: Why | undefined) {
  const packages = bundled.packages.map(({ name, version }) => `${name}@${version}`);
  return { folder, files, packages, ...present({ start, why: reasons }) };
}

/** Prints the files with their sizes on stdout. Measurements of this machine and remaining steps go to stderr. */
function sayBuilt(
  { folder, files, bundled }: Linked,
  start: Start | undefined,
  reasons: Why | undefined,
  terminal: Terminal,
  { quiet }: BuildOptions,
): void {
  const below = relative(terminal.cwd, folder);
  const shown = below.startsWith("..") ? folder : below;
  for (const { name, bytes } of files) {
    const inside = name === scriptName ? `, ${bundled.packages.length} packages inside` : "";
    terminal.out(`${join(shown, name)}  ${sizeText(bytes)}${inside}\n`);
  }
  if (reasons !== undefined) terminal.out(`\n${whyText(reasons)}`);
  if (quiet === true) return;
  if (start !== undefined)
    terminal.err("ms" in start ? `${start.file} starts in ${start.ms} ms here\n` : `${start.file} does not start here: ${start.reason}\n`);
  for (const { name } of files)
    if (/-darwin-\w+$/.test(name)) terminal.err(`${name} has lost the signature of Node; on a Mac: codesign --sign - ${name}\n`);
}

const sizeText = (bytes: number): string => (bytes < 1e5 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

/** Turns missing variables of the environment into errors, because a built service cannot be corrected where it runs. */
function complete(planned: Planned): Planned {
  const missing = names.unsetVariable.code;
  if (!planned.diagnostics.some(({ code }) => code === missing)) return planned;
  const diagnostics = planned.diagnostics.map((each) => (each.code === missing ? { ...each, severity: "error" as const } : each));
  return { ...planned, diagnostics, failed: true };
}

/** The requested targets. By default it is the target of this machine, or none when `--node` names a Node, whose file gives its target. */
function targetsOf({ target: list, node = [], executable }: BuildOptions): readonly Target[] {
  if (list === undefined) {
    if (node.length > 0 || !executable) return [];
    const native = nativeTarget();
    if (native === undefined)
      throw new UsageError(
        `npm has no Node for this machine; say --target ${knownTargets.join(",")}, or --node FILE with a Node of its own`,
      );
    return [native];
  }
  return list.split(",").map((word) => {
    const target = knownTargets.find((candidate) => candidate === word);
    if (target === undefined)
      throw new UsageError(
        `unknown target '${word}'; known are ${knownTargets.join(", ")}; --node FILE builds for the platform of any Node`,
      );
    return target;
  });
}

/** The files of `--node`. A missing file is wrong usage, which is reported before any other mistake. */
function nodeFiles({ node = [] }: BuildOptions, { cwd }: Terminal): readonly string[] {
  const missing = node.find((file) => !existsSync(resolve(cwd, file)));
  if (missing !== undefined) throw new UsageError(`--node ${missing}: there is no such file`);
  return node.map((file) => resolve(cwd, file));
}

function effectOf(action: string): Effect {
  const table: Readonly<Record<string, { readonly effect?: Effect }>> = actions;
  return table[action]?.effect ?? "pure";
}
