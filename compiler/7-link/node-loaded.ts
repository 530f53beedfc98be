import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { LinkFailure } from "./failure.ts";
import type { NodePackage } from "./node-packages.ts";
import { withTemporaryFolder } from "./write.ts";

const run = promisify(execFile);

/** The folder of a downloaded package below the cache. */
export const loadedFolder = (cache: string, { name, version }: NodePackage): string => join(cache, `${name}-${version}`);

/**
 * Downloads a Node from the registry of npm's settings, and keeps the files that a build needs. npm gets a lock file with the known
 * integrity, and installs nothing else. A folder that exists is complete.
 */
export async function loadNode(wanted: NodePackage, cache: string): Promise<string> {
  const folder = loadedFolder(cache, wanted);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true, mode: 0o700 });
  await withTemporaryFolder(async (work) => {
    await install(wanted, work);
    const source = join(work, "node_modules", wanted.name);
    const newFolder = join(cache, `.${wanted.name}.new-${process.pid}`);
    try {
      for (const file of ["package.json", "LICENSE", wanted.binary]) {
        if (!existsSync(join(source, file))) continue;
        await mkdir(dirname(join(newFolder, file)), { recursive: true });
        await copyFile(join(source, file), join(newFolder, file));
      }
      await chmod(join(newFolder, wanted.binary), 0o755);
      await rename(newFolder, folder);
    } catch (error) {
      // Another build has made the folder meanwhile.
      if (!existsSync(folder)) throw error;
    } finally {
      await rm(newFolder, { recursive: true, force: true });
    }
  });
  return folder;
}

async function install({ name, version, integrity }: NodePackage, work: string): Promise<void> {
  const dependencies = { [name]: version };
  const address = `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`;
  const packages = { "": { dependencies }, [`node_modules/${name}`]: { version, resolved: address, integrity } };
  await writeFile(join(work, "package.json"), JSON.stringify({ private: true, dependencies }));
  await writeFile(join(work, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, requires: true, packages }));
  try {
    // The package is for another platform and needs no install script.
    await run("npm", ["ci", "--force", "--ignore-scripts", "--no-audit", "--no-fund", "--no-bin-links", "--loglevel=error"], {
      cwd: work,
      shell: process.platform === "win32",
    });
  } catch (error) {
    throw new LinkFailure(`npm could not load ${name}@${version}: ${reasonOf(error)}`, `npm install --no-save --force ${name}@${version}`);
  }
}

/** The line of npm's output that gives the reason, for example a package with another integrity. */
function reasonOf(error: unknown): string {
  const { stderr = "", code, message } = error as { stderr?: string; code?: unknown; message: string }; // execFile adds them
  if (code === "ENOENT") return "there is no npm on the path";
  if (stderr.includes("EINTEGRITY")) return "the registry has another file under this name and version than the one that is known";
  const line = stderr.split("\n").find((each) => /^npm error (?!code |A complete log|\s*$)/.test(each));
  return line?.replace(/^npm error /, "").trim() ?? message;
}
