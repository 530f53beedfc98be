import { join } from "node:path";
import type { Effect } from "#runtime/features/feature.ts";
import { environmentProblem } from "#runtime/formats/environment-name.ts";
import { mapName, scriptName } from "#runtime/process/stack.ts";
import type { AnalysedPlan } from "../5-analyse/analysed.ts";
import type { PrintedModule } from "../6-print/index.ts";
import { bundle, droppedAddons } from "./bundle.ts";
import { executable, executableName } from "./executable.ts";
import { LinkFailure } from "./failure.ts";
import { licences } from "./licences.ts";
import {
  type ConfigFacts,
  type ConfigsInput,
  type FileFacts,
  factsOfConfigs,
  fileFacts,
  isBuild,
  manifest,
  manifestName,
} from "./manifest.ts";
import { nativeTarget, type Target, type TargetNode, targetNode } from "./node.ts";
import { nodeInFile } from "./node-file.ts";
import type { NodePackage } from "./node-packages.ts";
import type { Bundle } from "./portable.ts";
import { ownPackage } from "./root.ts";
import { sbom } from "./sbom.ts";
import { inTurns } from "./turns.ts";
import { replaceFolder, writeWhole } from "./write.ts";

/** The API document beside the bundle. */
const documentName = "openapi.json";

export interface LinkOptions {
  readonly environment: string;
  /** The output folder. It is replaced as a whole, and only when everything is ready. */
  readonly out: string;
  /**
   * The name of the service, with which the executable's file name begins. By default it is the name of a single config, else `service`.
   */
  readonly name?: string;
  readonly targets: readonly Target[];
  /** Files of Node, for targets without an npm package of Node. Such a file wins over the package of its target. */
  readonly givenNodes?: readonly string[];
  /** False to write only bundle, manifest and texts. */
  readonly executable: boolean;
  /** Plans of the modules, for the manifest. */
  readonly plans: readonly AnalysedPlan[];
  /** The API document as JSON text, where the configurations have one. */
  readonly docs?: string | undefined;
  /** Gives the effect of a kind of action, from its record. */
  readonly effectOf: (action: string) => Effect;
  /** The facts that a review compares, for the manifest. */
  readonly reviewed?: NonNullable<ConfigsInput["reviewed"]>;
  readonly progress: (step: string, detail: string) => void;
  /** The bundle of these modules, if it was begun before they were printed. */
  readonly bundled?: Promise<Bundle>;
}

export interface Linked {
  readonly folder: string;
  /** All files in the folder except the manifest itself. */
  readonly files: readonly FileFacts[];
  readonly bundled: Bundle;
  /** The executable among the files that runs on this machine. */
  readonly runnable: string | undefined;
}

/** The name of an environment becomes part of a file name. */
function refuseName(environment: string): void {
  const problem = environmentProblem(environment);
  if (problem !== undefined) throw new LinkFailure(problem, "name the environment otherwise, such as production");
}

/**
 * Phase 7: printed modules become a bundle, one executable per target, the manifest, the SBOM and the licence texts. The same modules give
 * the same bundle.
 */
export async function link(modules: readonly PrintedModule[], options: LinkOptions): Promise<Linked> {
  const { environment, progress } = options;
  refuseName(environment);
  // The Nodes are found before any other work, because one may have to be downloaded, which may fail.
  const nodes = options.executable ? await nodesOf(options) : [];
  progress("bundle", `${modules.length} ${modules.length === 1 ? "config" : "configs"}`);
  const bundling = options.bundled ?? bundle(modules, { environment, format: "cjs", docs: options.docs });
  const [bundled, configs] = await Promise.all([bundling, inTurns(factsOfConfigs({ ...options, modules }))]);
  for (const addon of droppedAddons(bundled.metafile)) progress("dropped", addon);
  let files: readonly FileFacts[] = [];
  await replaceFolder(options.out, isBuild, async (staging) => {
    files = await fill(staging, bundled, configs, { ...options, nodes });
  });
  const native = nodes.find(({ target }) => target === nativeTarget());
  const runnable = native === undefined ? undefined : executableName(serviceName(options), environment, native);
  return { folder: options.out, files, bundled, runnable };
}

/** The Node of each target. */
async function nodesOf({ targets, givenNodes = [], progress }: LinkOptions): Promise<readonly TargetNode[]> {
  const loading = ({ name, version }: NodePackage): void => progress("load", `${name}@${version}, once for this machine`);
  const nodes: TargetNode[] = [];
  const add = (node: TargetNode): void => {
    const same = nodes.find(({ target }) => target === node.target);
    if (same !== undefined) throw new LinkFailure(`'${same.binary}' and '${node.binary}' are both for ${node.target}`, "give one of them");
    nodes.push(node);
  };
  for (const file of givenNodes) add(await nodeInFile(file, loading));
  for (const target of targets) if (!nodes.some((given) => given.target === target)) add(await targetNode(target, loading));
  const [first, ...others] = nodes;
  const other = others.find(({ version }) => version !== first?.version);
  if (first !== undefined && other !== undefined)
    throw new LinkFailure(
      `${first.target} would be of Node ${first.version}, ${other.target} of Node ${other.version}: one build has one Node`,
      "build them one after the other",
    );
  return nodes;
}

async function fill(
  staging: string,
  bundled: Bundle,
  configs: readonly ConfigFacts[],
  options: LinkOptions & { readonly nodes: readonly TargetNode[] },
): Promise<readonly FileFacts[]> {
  const { environment, nodes, plans, progress, effectOf } = options;
  const own = ownPackage();
  const [node] = nodes;
  const name = serviceName(options);
  const outputs = [
    write(staging, scriptName, `${bundled.code}//# sourceMappingURL=${mapName}\n`),
    write(staging, mapName, bundled.map),
    write(staging, "sbom.json", sbom({ ...bundled, name, version: own.version, pipewright: own.version, node: node?.version })),
    ...(options.docs === undefined ? [] : [write(staging, documentName, options.docs)]),
    write(staging, "LICENSES.txt", licences(bundled.packages, own, node)),
  ];
  for (const each of nodes) outputs.push(await executable(bundled, { node: each, out: staging, name, environment, progress }));
  progress("manifest", manifestName);
  const files = await Promise.all(outputs.map(fileFacts));
  const facts = { ...bundled, version: own.version, environment, plans, node: node?.version, files, effectOf };
  write(staging, manifestName, manifest(facts, configs));
  return files;
}

function write(folder: string, name: string, content: string): string {
  const file = join(folder, name);
  writeWhole(file, content);
  return file;
}

/** The name of the service, as a safe and short file name on every target. */
function serviceName({ name, plans }: LinkOptions): string {
  const [only] = plans.length === 1 ? plans : [];
  const candidate = name ?? only?.name ?? "service";
  return (
    candidate
      .replace(/[^\w.-]+/g, "-")
      .slice(0, 100)
      .replace(/^[.-]+|[.-]+$/g, "") || "service"
  );
}
