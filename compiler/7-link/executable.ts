import { execFile } from "node:child_process";
import { chmod, constants, copyFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { mapName, scriptName } from "#runtime/process/stack.ts";
import { InternalError } from "../diagnostics/diagnostic.ts";
import { present } from "../present.ts";
import { LinkFailure } from "./failure.ts";
import { installed, nativeTarget, strippedNode, type TargetNode, targetNode } from "./node.ts";
import { fuse } from "./node-file.ts";
import type { Bundle } from "./portable.ts";
import { ownPackage } from "./root.ts";
import { takeSignature } from "./signature.ts";
import { through, withTemporaryFolder } from "./write.ts";

const run = promisify(execFile);

export interface ExecutableOptions {
  readonly node: TargetNode;
  /** The folder for the executable. */
  readonly out: string;
  readonly name: string;
  readonly environment: string;
  readonly progress: (step: string, detail: string) => void;
}

/** The file name of an executable, made of service, environment and platform. */
export const executableName = (name: string, environment: string, { target, ending }: TargetNode): string =>
  `${name}-${environment}-${target}${ending}`;

/**
 * Puts a CommonJS bundle into a copy of the target's Node. The file starts without an installed Node and contains no source. Returns its
 * path.
 */
export async function executable(bundle: Pick<Bundle, "code" | "map">, options: ExecutableOptions): Promise<string> {
  const { node, progress } = options;
  const { target } = node;
  const file = join(options.out, executableName(options.name, options.environment, node));
  await withTemporaryFolder(async (work) => {
    progress("node", `Node ${node.version} for ${target}`);
    const base = await strippedNode(node);
    progress("blob", target);
    const blob = await makeBlob(bundle, node, work);
    progress("inject", basename(file));
    await through(file, async (temporary) => {
      await copyFile(base, temporary, constants.COPYFILE_FICLONE);
      await chmod(temporary, 0o755);
      await inject(temporary, blob, target);
      if (target.startsWith("win-")) await takeSignature(temporary);
    });
  });
  return file;
}

/** Makes the blob that Node embeds: the script, its source map and, if possible, the compiled form of the script. */
async function makeBlob(bundle: Pick<Bundle, "code" | "map">, node: TargetNode, work: string): Promise<string> {
  const config = {
    main: scriptName,
    output: "sea.blob",
    disableExperimentalSEAWarning: true,
    // Compiled code is bound to processor and V8 version: so it can be made only for this machine's own platform.
    useCodeCache: node.target === nativeTarget(),
    assets: { [mapName]: mapName },
    // A signal or the environment cannot open a debugger in the executable, and NODE_OPTIONS cannot make it load other code.
    execArgv: ["--disable-sigusr1"],
    execArgvExtension: "none",
  };
  await writeFile(join(work, scriptName), bundle.code);
  await writeFile(join(work, mapName), bundle.map);
  await writeFile(join(work, "sea.json"), JSON.stringify(config));
  // The names are relative, because the name of the script appears in stacks and its folder must not. Without random numbers and threads of
  // V8 the compiled script always has the same bytes.
  await tool(await builderNode(node.version), ["--predictable", "--experimental-sea-config", "sea.json"], work);
  return join(work, config.output);
}

/** The Node that makes the blob. Only the Node version that made a blob can read it. */
async function builderNode(version: string): Promise<string> {
  if (process.versions.node === version) return process.execPath;
  const native = nativeTarget();
  const node = native === undefined ? undefined : await targetNode(native);
  if (node?.version === version) return node.binary;
  throw new LinkFailure(
    `an executable of Node ${version} cannot be built by Node ${process.versions.node}`,
    `run pipewright with Node ${version}`,
  );
}

/** Injects the blob in a separate process, because the work takes seconds, blocks, and prints irrelevant warnings about sections. */
async function inject(file: string, blob: string, target: string): Promise<void> {
  const postject = installed(ownPackage().folder, "postject/dist/cli.js");
  if (postject === undefined) throw new InternalError("postject is not installed");
  // The segment in which Node of macOS looks for the blob.
  const segment = target.startsWith("darwin-") ? ["--macho-segment-name", "NODE_SEA"] : [];
  await tool(process.execPath, [postject, file, "NODE_SEA_BLOB", blob, "--sentinel-fuse", fuse, ...segment]);
}

async function tool(program: string, args: readonly string[], cwd?: string): Promise<void> {
  try {
    // An inherited NODE_OPTIONS would change the blob.
    await run(program, args, { ...present({ cwd }), env: { ...process.env, NODE_OPTIONS: "" } });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string }; // execFile adds both to every error
    throw new InternalError(`${program} ${args[0]} failed: ${stdout}${stderr}`.trimEnd());
  }
}
