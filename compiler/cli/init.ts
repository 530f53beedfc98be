import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { UsageError } from "#runtime/process/settings/options.ts";
import { ownPackage, type Package } from "../7-link/root.ts";
import { writeWhole } from "../7-link/write.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { status, type Terminal } from "./project.ts";

/** A file of a new project; the path is relative to its folder, with forward slashes. */
interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Writes a starter project into a folder, which is made when there is none. All or nothing: when a file exists already, every such file is
 * listed, nothing is written and the status is 1. An unknown template is wrong usage.
 */
export function init(dir: string, { template }: { readonly template: string }, terminal: Terminal): number {
  const folder = resolve(terminal.cwd, dir);
  if (existsSync(folder) && !statSync(folder).isDirectory()) throw new UsageError(`${dir} is a file; name a folder`);
  const own = ownPackage();
  const source = dependency(own, folder);
  const files = readTemplate(join(own.folder, "templates"), template, { name: packageName(folder), pipewright: source });
  const existing = [...new Set(files.flatMap(({ path }) => inTheWay(folder, path) ?? []))].sort();
  if (existing.length > 0) {
    const list = existing.map((path) => `  ${join(dir, path)}\n`).join("");
    terminal.err(
      `pipewright: nothing was written, because this would be overwritten:\n${list}Choose another folder, or move these away.\n`,
    );
    return status.failed;
  }
  writeAll(folder, files);
  terminal.out(`${files.map(({ path }) => `wrote ${join(dir, path)}\n`).join("")}\nNext:\n${next(dir, template)}`);
  if (source.startsWith("file:")) terminal.out(`\n${localNote(source, template)}`);
  return status.done;
}

/** The words that a template's files contain as `{{word}}`, for the project that is made of it. */
type Words = Readonly<Record<"name" | "pipewright", string>>;

/** The files of a template, in byte order. */
function readTemplate(root: string, template: string, words: Words): readonly ProjectFile[] {
  const templates = readdirSync(root).filter((name) => existsSync(join(root, name, "package.json")));
  if (!templates.includes(template)) {
    const close = nearest(template, templates);
    throw new UsageError(
      `unknown template '${template}'${close === undefined ? "" : `; did you mean '${close}'?`}; templates are: ${templates.join(", ")}`,
    );
  }
  const folder = join(root, template);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: projectPath(relative(folder, file)), text: withWords(readFileSync(file, "utf8"), words) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** npm leaves a file named `.gitignore` out of packages, and git would obey it in our own repository: the template's has no dot. */
const projectPath = (path: string): string =>
  path
    .split(sep)
    .join("/")
    .replace(/^gitignore$/, ".gitignore");

const withWords = (text: string, words: Words): string => text.replace(/\{\{(name|pipewright)\}\}/g, (_, word: keyof Words) => words[word]);

/** The folder's name as npm allows it. */
function packageName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|-+$/g, "");
  return name.slice(0, 214) || "service";
}

/**
 * How the project depends on us: by the version that was installed from a registry, by the archive or address that npm installed from
 * otherwise, and on a checkout by its path. A bare version would bring whatever a registry has under our name, which need not be what runs
 * here.
 */
export function dependency(own: Package, folder: string): string {
  if (!own.folder.split(sep).includes("node_modules")) return fileDependency(folder, own.folder);
  const origin = installedFrom(own);
  if (origin === undefined || /^https?:\/\/[^/]+\/.*\/-\/[^/]+\.tgz$/.test(origin)) return own.version;
  return origin.startsWith("file:") ? fileDependency(folder, resolve(own.folder, "../..", origin.slice("file:".length))) : origin;
}

const fileDependency = (from: string, path: string): string => `file:${relative(from, path).split(sep).join("/")}`;

/** Where npm says in the record beside `node_modules` that it has us from; undefined where it keeps no record, as for global packages. */
function installedFrom(own: Package): string | undefined {
  const record = join(own.folder, "..", ".package-lock.json");
  if (!existsSync(record)) return undefined;
  const { packages }: { packages?: Record<string, { resolved?: string }> } = JSON.parse(readFileSync(record, "utf8"));
  return packages?.[`node_modules/${own.name}`]?.resolved;
}

/** Finds what keeps a file from being written: the file itself, or something on its path that is no folder. Relative to the project. */
function inTheWay(folder: string, path: string): string | undefined {
  const parents: string[] = [];
  for (let parent = dirname(path); parent !== "."; parent = dirname(parent)) parents.unshift(parent);
  const blocked = parents.find((parent) => isThere(join(folder, parent)) && !isFolder(join(folder, parent)));
  return blocked ?? (isThere(join(folder, path)) ? path : undefined);
}

/** A link that leads nowhere is there, too. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function writeAll(folder: string, files: readonly ProjectFile[]): void {
  const done: string[] = [];
  try {
    for (const { path, text } of files) {
      const file = join(folder, path);
      writeWhole(file, text);
      done.push(file);
    }
  } catch (error) {
    for (const file of done) rmSync(file, { force: true });
    throw new UsageError(`cannot write to ${folder}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A path leads somewhere on this machine alone: in a clone, in CI and in an image `npm ci` would leave a project without its command. */
const localNote = (source: string, template: string): string =>
  `The project depends on ${source}, which other machines do not have.\nBefore you share it: put an archive of pipewright into the project (npm run package, in the checkout, makes one), then\n  npm install ${template === "fastify" ? "" : "--save-dev "}--save-exact ./vendor/pipewright-VERSION.tgz\n`;

/** How a project is started, by its template. */
const starts: Readonly<Record<string, string>> = {
  starter: "npm run serve      # then: curl localhost:4111/notes",
  fastify: "npm start          # then: curl localhost:3000",
};

function next(dir: string, template: string): string {
  const here = resolve("/", dir) === resolve("/");
  const commands = [
    ...(here ? [] : [`cd ${/^[\w./-]+$/.test(dir) ? dir : JSON.stringify(dir)}`]),
    "npm install",
    "npm run generate   # typed modules in generated/, for review: commit them",
    "npm run check      # every mistake at once",
    starts[template] ?? "",
  ];
  return commands.map((command) => `  ${command}\n`).join("");
}
