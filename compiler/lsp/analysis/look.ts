import { existsSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import type { Span } from "#runtime/plan/index.ts";
import { stackOf } from "#runtime/value/thrown.ts";
import type { ConfigFile } from "../../1-read/files.ts";
import { PathError } from "../../1-read/path-error.ts";
import { ignores } from "../../1-read/settings.ts";
import { askedEnvironment, environmentOf, planPaths, type Terminal, type Unsaved } from "../../cli/project.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Sources } from "../../diagnostics/position.ts";
import type { Memory } from "../../memory.ts";
import { disk, type FileTexts } from "../../pipeline.ts";
import { present } from "../../present.ts";
import { isInside, placeRole } from "../paths.ts";
import { findParts } from "./known-parts.ts";
import type { Answer, Ask, EditorRange, PlainDiagnostic } from "./message.ts";

/** Analyses a project as `check` does. Texts of the editor replace those on the disk, and results of an earlier analysis are reused. */
export function look(ask: Ask, env: Readonly<Record<string, string | undefined>>, memory?: Memory): Answer {
  const { id, folder, texts } = ask;
  const terminal = silent(folder, env);
  const flags = ask.environment === undefined ? {} : { env: ask.environment };
  try {
    const unsaved = unsavedIn(ask);
    const paths = unsaved.configs.length === 0 ? ask.paths : ask.paths.filter((path) => existsSync(resolve(folder, path)));
    const environment = environmentOf(paths, flags, terminal);
    const holds = askedEnvironment(flags, terminal) !== undefined;
    const { diagnostics, sources } = planPaths(paths, folder, environment, { holds, texts: inFront(texts), unsaved, memory, findParts });
    const path = (file: string): string => resolve(folder, file);
    return { id, found: diagnostics.map((one) => foundOf(one, sources, path)) };
  } catch (error) {
    return { id, found: [], problem: problemOf(error) };
  }
}

/** New files of the editor that are not yet saved. */
function unsavedIn({ folder, texts }: Ask): Unsaved {
  const added = [...texts.keys()].filter((path) => isInside(path, folder) && !existsSync(path));
  if (added.length === 0) return { configs: [], modules: [] };
  const isIgnored = ignores([folder], (file, reason) => {
    throw new PathError(relative(folder, file), reason);
  });
  const isOut = (path: string): boolean => path !== folder && (isIgnored(path) || isOut(dirname(path)));
  const ofRole = (role: "config" | "module"): readonly ConfigFile[] =>
    added
      .filter((path) => placeRole(path, folder) === role && !isOut(path))
      .map((path) => ({ file: relative(folder, path).split(sep).join("/"), path, root: folder, searched: true }));
  return { configs: ofRole("config"), modules: ofRole("module") };
}

/** The message for an error. Only errors about the project, such as a folder without configurations, are shown with their own message. */
function problemOf(error: unknown): string {
  const isKnown = error instanceof PathError || (error instanceof Error && (error.name === "UsageError" || "code" in error));
  if (isKnown) return (error as Error).message; // the line above has checked it
  return stackOf(error);
}

const silent = (cwd: string, env: Terminal["env"]): Terminal => ({
  cwd,
  env,
  out: () => undefined,
  err: () => undefined,
  isTerminal: false,
  colors: { out: false, err: false },
});

/** The texts of the disk, some of which the editor's texts replace. */
function inFront(texts: Ask["texts"]): FileTexts {
  return {
    text(file, report) {
      const buffered = texts.get(file.path);
      return buffered === undefined ? disk.text(file, report) : { text: buffered, valid: true };
    },
    included(config, name) {
      const onDisk = disk.included(config, name);
      const buffered = "text" in onDisk ? texts.get(resolve(dirname(config.path), name)) : undefined;
      return buffered === undefined ? onDisk : { text: buffered };
    },
  };
}

function foundOf(
  { at, code, severity, message, hint, fix, related = [] }: Diagnostic,
  sources: Sources,
  path: (file: string) => string,
): PlainDiagnostic {
  const placed = (span: Span): { readonly path: string; readonly range: EditorRange } => ({
    path: path(span.file),
    range: rangeOf(span, sources),
  });
  return {
    ...placed(at),
    code,
    severity,
    message,
    ...present({ hint }),
    ...(fix === undefined ? {} : { fix: { title: fix.title, text: fix.text, ...placed(fix.at) } }),
    related: related.map((each) => ({ ...placed(each.at), message: each.message })),
  };
}

function rangeOf({ file, start, end }: Span, sources: Sources): EditorRange {
  const lines = sources.lines(file);
  const place = (offset: number): EditorRange["start"] => {
    const { line, column } = lines.at(offset);
    return { line: line - 1, character: column - 1 };
  };
  return { start: place(start), end: place(end) };
}
