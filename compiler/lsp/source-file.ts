import { readFileSync, statSync } from "node:fs";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { Span } from "#runtime/plan/index.ts";
import { type Document, entriesOf } from "../1-read/document.ts";
import { readAnyhow, sizeLimit } from "../1-read/index.ts";
import { isForeign, looksLikeConfig } from "../2-check/foreign.ts";
import { slotNames } from "../2-check/modules.ts";
import type { EditorRange } from "./analysis/message.ts";
import { type PlaceRole, placeRole } from "./paths.ts";
import type { Project } from "./projects.ts";

/** A file with its current text, in an editor or on the disk. */
export interface SourceFile {
  readonly path: string;
  readonly project: Project;
  readonly lines: TextDocument;
  readonly text: string;
  readonly role: PlaceRole;
  /** The tree, without its mistakes; undefined beyond the limits of a file. */
  readonly document: Document | undefined;
}

/** A file of the disk that was read, with its time of change. */
interface Kept {
  readonly stamp: string;
  readonly source: SourceFile;
}

/** The most files of the disk whose trees are kept. */
const mostKept = 400;

/** The files of projects with their current texts. A tree is made only once for each text. */
export class SourceFiles {
  readonly #open = new Map<string, { readonly lines: TextDocument; readonly version: number; readonly source: SourceFile }>();
  readonly #kept = new Map<string, Kept>();
  readonly #buffer: (path: string) => TextDocument | undefined;

  /** `buffer` gives the buffer of an editor that has the file open. */
  constructor(buffer: (path: string) => TextDocument | undefined) {
    this.#buffer = buffer;
  }

  /** The file at a path; undefined for a missing file. */
  of(path: string, project: Project): SourceFile | undefined {
    const buffer = this.#buffer(path);
    if (buffer === undefined) {
      this.#open.delete(path);
      return this.#onDisk(path, project);
    }
    const before = this.#open.get(path);
    const isSame = before?.lines === buffer && before.version === buffer.version && before.source.project.folder === project.folder;
    if (isSame) return before.source;
    const source = sourceOf(path, project, buffer);
    this.#open.set(path, { lines: buffer, version: buffer.version, source });
    return source;
  }

  #onDisk(path: string, project: Project): SourceFile | undefined {
    const stamp = stampOf(path);
    if (stamp === undefined) return undefined;
    const before = this.#kept.get(path);
    if (before?.stamp === stamp && before.source.project.folder === project.folder) return before.source;
    const text = textOf(path);
    if (text === undefined) return undefined;
    const source = sourceOf(path, project, TextDocument.create("", "yaml", 0, text));
    if (this.#kept.size >= mostKept) this.#kept.clear();
    this.#kept.set(path, { stamp, source });
    return source;
  }
}

function stampOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size <= sizeLimit ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : undefined;
}

function textOf(path: string): string | undefined {
  try {
    return new TextDecoder().decode(readFileSync(path));
  } catch {
    // The file is missing or cannot be read. The analysis reports this if it matters.
    return undefined;
  }
}

function sourceOf(path: string, project: Project, buffer: TextDocument): SourceFile {
  const text = buffer.getText();
  // The buffer object changes with each edit, so places refer to a copy with this text.
  const lines = TextDocument.create(buffer.uri, "yaml", buffer.version, text);
  let tree: { readonly document: Document | undefined } | undefined;
  const document = (): Document | undefined => {
    tree ??= { document: readAnyhow(text, path) };
    return tree.document;
  };
  const placed = placeRole(path, project.folder);
  const role = placed === "config" && !interfaces.test(text) ? roleOf(document()) : placed;
  return {
    ...{ path, project, lines, text, role },
    /** The tree is made only when it is needed, because a completion needs only the interface around it. */
    get document() {
      return placed === "none" ? undefined : document();
    },
  };
}

const interfaces = /^["']?interfaces?["']?[ \t]*:/m;

/** The role of a file beside configurations, by its content, because files of other tools and modules may be there, too. */
function roleOf(document: Document | undefined): PlaceRole {
  if (document === undefined) return "none";
  const { root } = document;
  const keys = entriesOf(root);
  const type = keys.find(({ key }) => key === "type")?.value;
  if (type?.kind === "scalar" && slotNames.some((name) => name === type.value)) return "module";
  return keys.length > 0 && (isForeign(root) || !looksLikeConfig(root)) ? "none" : "config";
}

/** A span of a file as a range of lines and UTF-16 columns from 0. */
export const rangeIn = ({ lines }: Pick<SourceFile, "lines">, { start, end }: Pick<Span, "start" | "end">): EditorRange => ({
  start: lines.positionAt(start),
  end: lines.positionAt(end),
});
