import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { manifestFormat } from "#runtime/enforce/manifest.ts";
import { waysInto } from "#runtime/enforce/ways.ts";
import type { Effect } from "#runtime/features/feature.ts";
import type { Json } from "#runtime/value/json.ts";
import { visible } from "#runtime/value/visible.ts";
import type { AnalysedInterface, AnalysedPlan } from "../5-analyse/analysed.ts";
import { capabilitiesOf, touchesOf, touchesOfConfig } from "../5-analyse/capabilities/index.ts";
import type { PrintedModule } from "../6-print/index.ts";
import { present } from "../present.ts";
import { sha256 } from "./node.ts";
import type { Package } from "./root.ts";

export const manifestName = "manifest.json";

/** A written file, as the manifest states it. */
export interface FileFacts {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** True for the folder of an earlier build: its manifest names us. */
export function isBuild(folder: string): boolean {
  try {
    return typeof JSON.parse(readFileSync(join(folder, manifestName), "utf8")).pipewright === "string";
  } catch {
    // A folder without a manifest, or with the manifest of another program, is not an earlier build.
    return false;
  }
}

/** The configurations of a build, for the part of its manifest that does not depend on the bundle. */
export interface ConfigsInput {
  readonly modules: readonly PrintedModule[];
  readonly plans: readonly AnalysedPlan[];
  readonly effectOf: (action: string) => Effect;
  /** The facts of an interface, or of a configuration by itself, that a review compares. */
  readonly reviewed?: (config: AnalysedPlan, target?: AnalysedInterface) => Json;
}

export interface ManifestInput {
  readonly version: string;
  readonly environment: string;
  readonly plans: readonly AnalysedPlan[];
  readonly packages: readonly Package[];
  /** Version of the Node inside the executables; absent when none was built. */
  readonly node: string | undefined;
  readonly files: readonly FileFacts[];
  readonly effectOf: (action: string) => Effect;
}

export type ConfigFacts = ReturnType<typeof configFacts>;

/** The facts of the configurations, one after the other. A build finds them while esbuild works. */
export function* factsOfConfigs(input: ConfigsInput): Generator<ConfigFacts> {
  for (const plan of input.plans.toSorted(by(({ file }) => file))) yield configFacts(plan, input);
}

/**
 * Lists the parts of a build, for review and for deployment. The same input gives the same text, without times and paths of this machine.
 */
export function manifest(input: ManifestInput, configs: readonly ConfigFacts[]): string {
  const { plans } = input;
  const interfaces = plans.flatMap((plan) => plan.interfaces);
  const content = {
    format: manifestFormat,
    pipewright: input.version,
    ...present({ node: input.node }),
    environment: input.environment,
    configs,
    needs: {
      env: union(plans.map(({ needs }) => needs.env)),
      vars: union(plans.map(({ needs }) => needs.vars)),
      secrets: union(plans.map(({ needs }) => needs.secrets)),
    },
    capabilities: summaryOf(interfaces, input.effectOf),
    packages: input.packages.map(({ name, version, licence }) => ({ name, version, licence: licence ?? "unknown" })),
    files: input.files.toSorted(by(({ name }) => name)),
  };
  return visible(`${laidOut(content as unknown as Json)}\n`); // JSON by its parts, except for undefined members
}

/**
 * Writes JSON with one member or item on each line, down to `levels`. Deeper values share a line, because the facts for reviews would
 * otherwise make the file four times as large.
 */
function laidOut(value: Json, indent = "", levels = Number.POSITIVE_INFINITY): string {
  if (typeof value !== "object" || value === null || levels === 0) return JSON.stringify(value);
  const inner = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => laidOut(item, inner, levels - 1))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => `${JSON.stringify(name)}: ${laidOut(member, inner, name === "facts" ? 1 : levels - 1)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return items.length === 0 ? `${open}${close}` : `${open}\n${items.map((item) => `${inner}${item}`).join(",\n")}\n${indent}${close}`;
}

function configFacts(plan: AnalysedPlan, input: ConfigsInput) {
  const module = input.modules.find(({ file }) => file === plan.file);
  return {
    name: plan.name,
    file: plan.file,
    ...(module === undefined ? {} : { module_sha256: createHash("sha256").update(module.code).digest("hex") }),
    needs: plan.needs,
    databases: plan.databases.map(({ name, driver }) => ({ name, driver })),
    ...(plan.secrets.length === 0 ? {} : { secrets: plan.secrets.map(({ name, kind }) => ({ name, kind })) }),
    capabilities: capabilitiesOf(touchesOfConfig(plan)),
    ...(input.reviewed === undefined ? {} : { facts: input.reviewed(plan) }),
    interfaces: plan.interfaces.map((each) => interfaceFacts(each, plan, input)),
  };
}

function interfaceFacts(plan: AnalysedInterface, config: AnalysedPlan, { effectOf, reviewed }: ConfigsInput) {
  return {
    ...namedAs(plan),
    output: plan.output,
    path: plan.disable_fastpath ? "walked" : "printed",
    ...present({ capture: plan.capture }),
    ...summaryOf([plan], effectOf),
    capabilities: capabilitiesOf(touchesOf(plan, config)),
    ...(reviewed === undefined ? {} : { facts: reviewed(config, plan) }),
  };
}

/** The enforced part of a manifest, for configurations that are not built. */
export function manifestToEnforce(plans: readonly AnalysedPlan[]): string {
  const configs = plans.map((plan) => ({
    name: plan.name,
    capabilities: capabilitiesOf(touchesOfConfig(plan)),
    interfaces: plan.interfaces.map((each) => ({ ...namedAs(each), capabilities: capabilitiesOf(touchesOf(each, plan)) })),
  }));
  return JSON.stringify({ format: manifestFormat, configs });
}

function namedAs(target: AnalysedInterface) {
  const { name, method, route } = target;
  const ways = waysInto(target);
  return { name, ...(route === undefined ? {} : { method, route }), ...(ways.length === 0 ? {} : { reached_by: ways }) };
}

/** A summary of interfaces: the kinds of their actions, their databases, and the things outside that they touch. */
function summaryOf(interfaces: readonly AnalysedInterface[], effectOf: ManifestInput["effectOf"]) {
  const uses = interfaces.map((each) => each.uses);
  const actions = union(uses.flatMap((each) => [each.actions, each.databases.map(({ use }) => use)]));
  const records = uses.flatMap((each) => each.records);
  return {
    actions,
    databases: union([records, ...uses.map(({ databases }) => databases.map(({ name }) => name))]),
    effects: union([...actions.map((action) => [effectOf(action)]), records.map(() => "state" as const)]),
  };
}

const union = <V extends string>(lists: readonly (readonly V[])[]): readonly V[] => [...new Set(lists.flat())].sort();

function by<V>(key: (value: V) => string): (a: V, b: V) => number {
  return (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
}

/** Size and hash of a written file. */
export async function fileFacts(file: string): Promise<FileFacts> {
  return { name: basename(file), bytes: (await stat(file)).size, sha256: await sha256(file) };
}
