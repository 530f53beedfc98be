import { chmodSync, readFileSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { writeWhole } from "../../7-link/write.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Sources } from "../../diagnostics/position.ts";

/** The diagnostic whose fix is wanted. A page names it by its code and its place. */
export interface FixRequest {
  readonly code: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Writes the fix of a diagnostic; gives the reason if it cannot be written. */
export type ApplyFix = (wanted: FixRequest) => string | undefined;

/**
 * Fixes of the diagnostics that were shown last. Only a fix that the compiler has proposed is written, and only if the file still has the
 * text for which it was proposed.
 */
export function fixesOf(diagnostics: readonly Diagnostic[], sources: Sources, cwd: string): ApplyFix {
  return ({ code, file, line, column }) => {
    const diagnostic = diagnostics.find((each) => {
      if (each.fix === undefined || each.code !== code || each.at.file !== file) return false;
      const place = sources.lines(file).at(each.at.start);
      return place.line === line && place.column === column;
    });
    if (diagnostic?.fix === undefined) return "there is no such fix any more";
    const { at, text } = diagnostic.fix;
    // The file behind a link is written, so that the link and the rights of the file stay.
    const path = realpathSync(resolve(cwd, at.file));
    const { mode } = statSync(path);
    const now = readFileSync(path, "utf8");
    if (!isUnchanged(now, at.file, sources)) return `${at.file} has changed meanwhile`;
    writeWhole(path, `${now.slice(0, at.start)}${text}${now.slice(at.end)}`);
    chmodSync(path, mode);
    return undefined;
  };
}

/** True when the file has the same lines as the sources. A source with hidden secrets differs from its file. */
function isUnchanged(now: string, file: string, sources: Sources): boolean {
  const lines = sources.lines(file);
  const own = now.split(/\r\n|\r|\n/);
  return own.length === lines.count && own.every((text, i) => text === lines.line(i + 1));
}
