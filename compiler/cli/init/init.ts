import { copyFileSync, existsSync, lstatSync, mkdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { refusal } from "../../1-read/refusal.ts";
import { ownPackage } from "../../7-link/root.ts";
import { writeWhole } from "../../7-link/write.ts";
import { progressOn } from "../progress.ts";
import type { Terminal } from "../project.ts";
import { status } from "../status.ts";
import { plain, type Source, sourceFor } from "./source.ts";
import { defaultTemplate, type ProjectFile, templateFiles, templateList, templateNamed } from "./templates.ts";

export interface InitFlags {
  readonly template?: string;
  /** The dependency on pipewright for package.json, in place of the installed package. */
  readonly pipewright?: string;
}

/**
 * Writes a new project into a folder, which is made if it is missing. If a file already exists, every such file is listed, nothing is
 * written and the status is 1. An unknown template is wrong usage.
 */
export async function init(dir: string, flags: InitFlags, terminal: Terminal): Promise<number> {
  const template = flags.template ?? defaultTemplate;
  const { start } = templateNamed(template);
  const folder = resolve(terminal.cwd, dir);
  if (existsSync(folder) && !statSync(folder).isDirectory()) throw new UsageError(`${dir} is a file; name a folder`);
  const own = ownPackage();
  const filesWith = (pipewright: string): readonly ProjectFile[] =>
    templateFiles(join(own.folder, "templates"), template, { name: packageName(folder), pipewright });
  const vendored = `vendor/${own.name}-${own.version}.tgz`;
  const existing = [...filesWith("").map(({ path }) => path), vendored].flatMap((path) => inTheWay(folder, path) ?? []);
  if (existing.length > 0) return refuse(dir, [...new Set(existing)].sort(), terminal);
  using source = await sourceOf(flags, folder, terminal);
  const files = filesWith(source.dependency);
  writeAll(folder, files, source);
  const isTested = files.some(({ path }) => path.endsWith(".test.yaml"));
  const paths = [...files.map(({ path }) => path), ...(source.archive === undefined ? [] : [source.archive.path])].sort();
  terminal.out(`${paths.map((path) => `wrote ${join(dir, path)}\n`).join("")}\nNext:\n${next(dir, start, isTested)}`);
  if (source.archive !== undefined) terminal.out(vendorNote(source.archive.path));
  if (flags.template === undefined) terminal.out(`\nOther projects to begin with, by --template:\n${templateList()}`);
  return status.done;
}

function refuse(dir: string, existing: readonly string[], terminal: Terminal): number {
  const list = existing.map((path) => `  ${join(dir, path)}\n`).join("");
  terminal.err(`pipewright: nothing was written, because this would be overwritten:\n${list}Choose another folder, or move these away.\n`);
  return status.failed;
}

/** The dependency on pipewright, with a progress line: packing builds the command of a checkout first, which takes long. */
async function sourceOf({ pipewright }: InitFlags, folder: string, terminal: Terminal): Promise<Source> {
  if (pipewright !== undefined) return plain(pipewright);
  using progress = progressOn(terminal, { quiet: terminal.isLive !== true });
  progress.step("pipewright", "how the project gets it");
  const source = await sourceFor(folder, ownPackage());
  progress.done();
  return source;
}

/** The name of the folder in a form that npm allows. */
function packageName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|-+$/g, "");
  return name.slice(0, 214) || "service";
}

/** The path, relative to the project, that keeps a file from being written: the file itself, or a part of its path that is no folder. */
function inTheWay(folder: string, path: string): string | undefined {
  const parents: string[] = [];
  for (let parent = dirname(path); parent !== "."; parent = dirname(parent)) parents.unshift(parent);
  const blocked = parents.find((parent) => isThere(join(folder, parent)) && !isFolder(join(folder, parent)));
  return blocked ?? (isThere(join(folder, path)) ? path : undefined);
}

/** True for an existing path, also for a link that leads nowhere. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function writeAll(folder: string, files: readonly ProjectFile[], { archive }: Source): void {
  const done: string[] = [];
  const isNew = !existsSync(folder);
  try {
    for (const { path, text } of files) {
      const file = join(folder, path);
      writeWhole(file, text);
      done.push(file);
    }
    if (archive === undefined) return;
    mkdirSync(join(folder, dirname(archive.path)), { recursive: true });
    copyFileSync(archive.file, join(folder, archive.path));
  } catch (error) {
    const leftovers = isNew ? [folder].filter((each) => existsSync(each)) : done;
    for (const path of leftovers) rmSync(path, { force: true, recursive: isNew });
    const reason = refusal(error);
    throw reason === undefined ? error : new UsageError(`cannot write to ${folder}: ${reason}`);
  }
}

const vendorNote = (path: string): string => `\nThis pipewright is in no registry, so the project has it as ${path}: commit that, too.\n`;

function next(dir: string, start: string, isTested: boolean): string {
  const here = resolve("/", dir) === resolve("/");
  const commands = [
    ...(here ? [] : [`cd ${/^[\w./-]+$/.test(dir) ? dir : JSON.stringify(dir)}`]),
    "npm install",
    "npm run generate   # typed modules in generated/, for review: commit them",
    "npm run check      # every mistake at once",
    ...(isTested ? ["npm test           # the contract tests"] : []),
    start,
  ];
  return commands.map((command) => `  ${command}\n`).join("");
}
