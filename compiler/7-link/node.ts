import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { InternalError } from "../diagnostics/diagnostic.ts";
import { cacheFolder } from "./cache-folder.ts";
import { loadedFolder, loadNode } from "./node-loaded.ts";
import { type NodePackage, nodePackages } from "./node-packages.ts";
import { ownPackage } from "./root.ts";
import { through } from "./write.ts";

const run = promisify(execFile);

export type Target = keyof typeof nodePackages;

export const targets: readonly Target[] = ["linux-x64", "linux-arm64", "win-x64"];

/** The Node for the executable of a target. */
export interface TargetNode {
  /** Platform and processor. The name of the executable ends with them. */
  readonly target: string;
  readonly version: string;
  readonly binary: string;
  /** The ending of executable files on the target. */
  readonly ending: string;
  /** Text of the licence that Node asks to be shipped with it. */
  readonly licence: string;
  /** Tools that remove native symbols. */
  readonly strip: readonly string[];
}

/** The target of this machine; undefined if it is no target. */
export function nativeTarget(): Target | undefined {
  const name = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  return targets.find((target) => target === name);
}

/**
 * Gives the Node of a target: from the package that is installed with pipewright, else from the user's cache. A Node in neither place is
 * downloaded from the registry first.
 */
export async function targetNode(target: Target, loading: (wanted: NodePackage) => void = () => undefined): Promise<TargetNode> {
  const nodePackage: NodePackage = nodePackages[target];
  const folder = await folderOf(nodePackage, loading);
  const { version }: { version: string } = json(join(folder, "package.json"));
  const licence = await nodeLicence([folder], loading);
  return { target, version, binary: join(folder, nodePackage.binary), ending: nodePackage.ending, licence, strip: nodePackage.strip };
}

async function folderOf(wanted: NodePackage, loading: (wanted: NodePackage) => void): Promise<string> {
  const manifest = installed(ownPackage().folder, `${wanted.name}/package.json`);
  if (manifest !== undefined) return dirname(manifest);
  if (!existsSync(loadedFolder(cacheFolder(), wanted))) loading(wanted);
  return loadNode(wanted, cacheFolder());
}

/** The tools for a program of this platform; empty for a platform without tools. */
export function stripToolsFor(platform: string): readonly string[] {
  const packages: Readonly<Record<string, NodePackage>> = nodePackages;
  return packages[platform.replace(/-musl$/, "")]?.strip ?? [];
}

/**
 * The licence in these folders, else in another package of Node: the package for Windows has no text, and the text is the same for all
 * platforms.
 */
export async function nodeLicence(folders: readonly string[], loading: (wanted: NodePackage) => void): Promise<string> {
  for (const place of [...folders, ...otherFolders()]) {
    if (existsSync(join(place, "LICENSE"))) return readFileSync(join(place, "LICENSE"), "utf8");
  }
  const file = join(await folderOf(nodePackages["linux-x64"], loading), "LICENSE");
  if (!existsSync(file)) throw new InternalError(`${file} is missing`);
  return readFileSync(file, "utf8");
}

/** The folders of other packages of Node on this machine. */
const otherFolders = (): readonly string[] =>
  Object.values(nodePackages).flatMap((each) => {
    const manifest = installed(ownPackage().folder, `${each.name}/package.json`);
    return [...(manifest === undefined ? [] : [dirname(manifest)]), loadedFolder(cacheFolder(), each)];
  });

/** The path of a file in a package that is installed with pipewright. */
export function installed(root: string, path: string): string | undefined {
  try {
    return createRequire(join(root, "package.json")).resolve(path);
  } catch {
    return undefined;
  }
}

const json = (file: string) => JSON.parse(readFileSync(file, "utf8"));

/**
 * The target's Node without its native symbols (a sixth of its size; JavaScript stacks do not need them), kept in the user's cache by
 * version and hash. If no tool can strip it, the Node is used unchanged.
 */
export async function strippedNode(node: TargetNode, cache: string = cacheFolder()): Promise<string> {
  const hash = await sha256(node.binary);
  const stripped = join(cache, `node-${node.version}-${node.target}-${hash.slice(0, 16)}${node.ending}`);
  if (existsSync(stripped)) return stripped;
  await mkdir(cache, { recursive: true, mode: 0o700 });
  for (const tool of node.strip) {
    if (await strips(tool, node.binary, stripped)) return stripped;
  }
  return node.binary;
}

async function strips(tool: string, binary: string, target: string): Promise<boolean> {
  try {
    await through(target, async (temporary) => {
      await run(tool, ["-o", temporary, binary]);
    });
    return true;
  } catch {
    // The tool is missing or does not support this kind of file, so the next tool is tried.
    return false;
  }
}

/** Hash of a file, in hexadecimal. */
export async function sha256(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest("hex");
}
