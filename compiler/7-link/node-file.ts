import { dirname, join } from "node:path";
import { FileRefused, readRegular, readRegularSync } from "#runtime/files/regular-file.ts";
import { LinkFailure } from "./failure.ts";
import { nodeLicence, stripToolsFor, type TargetNode } from "./node.ts";
import { type NodePackage, nodePackages } from "./node-packages.ts";
import { isUniversal, type ProgramHeader, programHeader } from "./program-file.ts";

/** The text in Node's own file by which Node learns that it carries a script. */
export const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** The largest file that is read; Node itself has about 120 MB. */
const mostBytes = 512 * 1024 * 1024;

/**
 * The Node in a file that the user has named, for a target without an npm package. The header of the file names its platform. Its version
 * must be able to make the blob, since other versions cannot read that blob.
 */
export async function nodeInFile(file: string, loading: (wanted: NodePackage) => void): Promise<TargetNode> {
  const content = await contentOf(file);
  const { platform } = headerOf(content, file);
  const version = versionOf(content);
  const usable = [...new Set([nodePackages["linux-x64"].version, process.versions.node])];
  const official = (wanted: string): string => `the official build is https://nodejs.org/dist/v${wanted}/${archiveOf(platform, wanted)}`;
  if (version === undefined)
    throw new LinkFailure(`'${file}' is no official build of Node: it does not say its version`, official(usable[0] ?? ""));
  if (!usable.includes(version)) {
    const reason = `'${file}' is Node ${version}; an executable can be made of ${usable.join(" or ")} here`;
    throw new LinkFailure(reason, official(usable[0] ?? ""));
  }
  refuseFuse(content, file);
  const ending = platform.startsWith("win-") ? ".exe" : "";
  return {
    target: platform,
    version,
    binary: file,
    ending,
    licence: licenceBeside(file) ?? (await nodeLicence([], loading)),
    strip: stripToolsFor(platform),
  };
}

/** The version in the address of the headers, which official builds of Node contain. The file itself is not run. */
function versionOf(content: Buffer): string | undefined {
  const end = "-headers.tar.gz";
  for (let at = content.indexOf(end); at !== -1; at = content.indexOf(end, at + 1)) {
    const [, version] = /node-v(\d{1,4}\.\d{1,4}\.\d{1,4})$/.exec(content.toString("latin1", Math.max(0, at - 32), at)) ?? [];
    if (version !== undefined) return version;
  }
  return undefined;
}

async function contentOf(file: string): Promise<Buffer> {
  try {
    return await readRegular(file, mostBytes);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException; // readRegular throws nothing else
    const reason = error instanceof FileRefused ? message : code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`;
    throw new LinkFailure(`--node '${file}': ${reason}`, "name the program of Node itself, such as bin/node or node.exe");
  }
}

function headerOf(content: Buffer, file: string): ProgramHeader {
  if (isUniversal(content))
    throw new LinkFailure(`'${file}' holds programs for several processors`, "take one of them: lipo -thin arm64 node -output node-arm64");
  const header = readHeader(content, file);
  if (header === undefined)
    throw new LinkFailure(
      `'${file}' is no program for Linux, macOS or Windows on x64 or arm64`,
      "name the program of Node itself, such as bin/node or node.exe",
    );
  if (content.length < header.length) throw cutOff(file);
  return header;
}

function readHeader(content: Buffer, file: string): ProgramHeader | undefined {
  try {
    return programHeader(content);
  } catch (error) {
    if (error instanceof RangeError) throw cutOff(file);
    throw error;
  }
}

const cutOff = (file: string): LinkFailure =>
  new LinkFailure(`'${file}' is cut off: its header names parts that are not there`, "load it again");

/** Fails unless the fuse stands exactly once in the file, with 0 for "no script yet". */
function refuseFuse(content: Buffer, file: string): void {
  const at = content.indexOf(fuse);
  if (at === -1 || content.indexOf(fuse, at + 1) !== -1)
    throw new LinkFailure(`'${file}' is a Node that cannot carry a script`, "take an official build: others may leave this out");
  if (content.toString("latin1", at + fuse.length, at + fuse.length + 2) === ":1")
    throw new LinkFailure(`'${file}' carries a script already`, "name the program of Node itself, not an executable that was made of it");
}

/** The licence of Node in its archive: beside the program (Windows) or beside its folder. Other texts there belong to other programs. */
function licenceBeside(file: string): string | undefined {
  const folder = dirname(file);
  return [folder, dirname(folder)]
    .map((place) => licenceIn(place))
    .find((text) => text?.startsWith("Node.js is licensed for use as follows"));
}

function licenceIn(folder: string): string | undefined {
  try {
    return readRegularSync(join(folder, "LICENSE"), 4 * 1024 * 1024).toString("utf8");
  } catch {
    // Without a readable licence text, the known licence of Node is used.
    return undefined;
  }
}

const archiveOf = (platform: string, version: string): string =>
  `node-v${version}-${platform}.${platform.startsWith("win-") ? "zip" : "tar.xz"}`;
