import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import type { Package } from "../../7-link/root.ts";

const run = promisify(execFile);

/** The source of pipewright for a new project: the dependency in its package.json, and an archive that must be in the project for it. */
export interface Source extends Disposable {
  readonly dependency: string;
  /** The path of the archive, and its path in the project. */
  readonly archive?: { readonly file: string; readonly path: string };
}

/** The functions of npm that are used here; tests pass their own. */
export interface Npm {
  /** Packs a folder into another; gives the name and the integrity of the archive. */
  readonly pack: (folder: string, into: string) => Promise<{ readonly filename: string; readonly integrity: string }>;
  /** The integrity of a version in the registry; undefined when the version is missing, or the registry does not answer. */
  readonly published: (name: string, version: string) => Promise<string | undefined>;
}

/**
 * Decides how a project in `folder` depends on pipewright, so that `npm ci` of a clone works on any machine. A package that npm has
 * installed from a registry or from git is named. Any other package is packed into the project, unless the registry has the same bytes: a
 * bare version would install any package that was published under our name.
 */
export async function sourceFor(folder: string, own: Package, npm: Npm = commands): Promise<Source> {
  if (isInside(own.folder, folder)) return plain(`file:${relative(folder, own.folder).split(sep).join("/")}`);
  const origin = installedFrom(own);
  if (origin !== undefined && isRegistry(origin)) return plain(own.version);
  if (origin !== undefined && !origin.startsWith("file:")) return plain(origin);
  const into = mkdtempSync(join(tmpdir(), "pipewright-pack-"));
  const dispose = (): void => rmSync(into, { recursive: true, force: true });
  try {
    const { filename, integrity } = await npm.pack(own.folder, into);
    const isOurs = own.folder.split(sep).includes("node_modules") && (await npm.published(own.name, own.version)) === integrity;
    if (isOurs) return { ...plain(own.version), [Symbol.dispose]: dispose };
    const path = `vendor/${filename}`;
    return { dependency: `file:${path}`, archive: { file: join(into, filename), path }, [Symbol.dispose]: dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

export const plain = (dependency: string): Source => ({ dependency, [Symbol.dispose]: () => undefined });

/** True for a project inside a checkout, as `npm start` makes it. It is never used without the checkout. */
function isInside(checkout: string, folder: string): boolean {
  const path = relative(checkout, folder);
  return !checkout.split(sep).includes("node_modules") && !path.startsWith("..") && !isAbsolute(path);
}

const isRegistry = (origin: string): boolean => /^https?:\/\/[^/]+\/.*\/-\/[^/]+\.tgz$/.test(origin);

/**
 * The source from which npm has installed pipewright, by npm's own record in `node_modules`; undefined without a record, as for global
 * packages.
 */
function installedFrom(own: Package): string | undefined {
  const record = join(own.folder, "..", ".package-lock.json");
  if (!own.folder.split(sep).includes("node_modules") || !existsSync(record)) return undefined;
  const { packages }: { packages?: Record<string, { resolved?: string }> } = JSON.parse(readFileSync(record, "utf8"));
  return packages?.[`node_modules/${own.name}`]?.resolved;
}

const shell = process.platform === "win32";

const commands: Npm = {
  async pack(folder, into) {
    // An installed package is packed unchanged; a checkout builds its command first.
    const flags = existsSync(join(folder, "compiler")) ? [] : ["--ignore-scripts"];
    const { stdout } = await run("npm", ["pack", folder, "--json", "--pack-destination", into, ...flags], {
      cwd: into,
      shell,
      maxBuffer: 1 << 26,
    }).catch((error: Error) => {
      throw new UsageError(`npm could not pack pipewright for the project: ${error.message}\nSay what it depends on: --pipewright <spec>`);
    });
    const [packed]: readonly { filename: string; integrity: string }[] = JSON.parse(stdout);
    if (packed === undefined) throw new UsageError("npm packed nothing; say what the project depends on: --pipewright <spec>");
    return packed;
  },
  async published(name, version) {
    const query = run("npm", ["view", `${name}@${version}`, "dist.integrity", "--fetch-retries=0"], { shell, timeout: 5000 });
    return (await query.catch(() => undefined))?.stdout.trim();
  },
};
