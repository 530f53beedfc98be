import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { nearest } from "../../diagnostics/nearest.ts";

/** A project that `init` writes. */
interface Template {
  readonly summary: string;
  /** True for a template that is a whole application, which gets no files of `templates/project`. */
  readonly isWhole?: boolean;
  /** The command that starts the project, and a first request. */
  readonly start: string;
}

const dev = (request: string): string => `npm run dev        # then: ${request}`;

export const templates: Readonly<Record<string, Template>> = {
  "http-sqlite": { summary: "an HTTP service that keeps notes in an SQLite file", start: dev("curl localhost:4111/notes") },
  "postgres-crud": {
    summary: "orders in PostgreSQL: tokens, pages, enforced contracts",
    start: dev("see README.md for a database and a token"),
  },
  webhook: { summary: "signed events, answered at once and passed on to several services", start: dev("see README.md for a signed event") },
  poller: { summary: "a schedule that asks a service and reports what is new", start: dev("see README.md for a feed") },
  realtime: { summary: "a chat over WebSocket, with a page", start: dev("open http://localhost:4111 in two windows") },
  "mcp-tools": { summary: "tools for agents (MCP) on an SQLite file", start: dev("point an agent at http://localhost:4111/mcp") },
  agent: {
    summary: "an agent that answers questions, with interfaces as its tools",
    start: dev("see README.md for a model and a question"),
  },
  plain: { summary: "one configuration with one interface, and nothing else", isWhole: true, start: dev("curl localhost:4111/hello/you") },
  fastify: {
    summary: "an application of yours that answers with configurations",
    isWhole: true,
    start: "npm start          # then: curl localhost:3000",
  },
};

export const defaultTemplate = "http-sqlite";

/** A file of a new project; the path is relative to its folder, with forward slashes. */
export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

/** The words that a template's files contain as `{{word}}`, for the project that is made of it. */
export type Words = Readonly<Record<"name" | "pipewright", string>>;

/** The template of this name. An unknown name is refused with the nearest known name and the list of all. */
export function templateNamed(name: string): Template {
  const template = Object.hasOwn(templates, name) ? templates[name] : undefined;
  if (template !== undefined) return template;
  const close = nearest(name, Object.keys(templates));
  const hint = close === undefined ? "" : `; did you mean '${close}'?`;
  throw new UsageError(`unknown template '${name}'${hint}\nTemplates:\n${templateList()}`.trimEnd());
}

/** The templates as a table of names and summaries. */
export const templateList = (): string =>
  Object.entries(templates)
    .map(([name, { summary }]) => `  ${name.padEnd(14)} ${summary}\n`)
    .join("");

/** The files of a template, in byte order; its own files replace common files. */
export function templateFiles(root: string, name: string, words: Words): readonly ProjectFile[] {
  const folders = [...(templateNamed(name).isWhole === true ? [] : ["project"]), name].map((each) => join(root, each));
  const files = new Map(folders.flatMap((folder) => textsIn(folder, words)).map((file) => [file.path, file]));
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

const textsIn = (folder: string, words: Words): readonly ProjectFile[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: projectPath(relative(folder, file)), text: withWords(readFileSync(file, "utf8"), words) }));

/**
 * The path in the project. The file `.gitignore` has no dot in a template, because npm leaves it out of packages, and git would apply it in
 * our own repository.
 */
const projectPath = (path: string): string =>
  path
    .split(sep)
    .join("/")
    .replace(/^gitignore$/, ".gitignore");

const withWords = (text: string, words: Words): string => text.replace(/\{\{(name|pipewright)\}\}/g, (_, word: keyof Words) => words[word]);
