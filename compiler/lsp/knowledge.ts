import { dirname } from "node:path";
import type { Document } from "../1-read/document.ts";
import { readIncluded } from "../1-read/files.ts";
import type { AnalysedPlan, WatchedReading } from "../5-analyse/index.ts";
import { planQuietly } from "../pipeline.ts";
import type { Session } from "./session.ts";
import type { SourceFile } from "./source-file.ts";

/** The facts of the compiler about a tree that is being edited. */
export interface Knowledge {
  readonly plan: AnalysedPlan | undefined;
  /** All readings in the tree, in the order of the analysis. */
  readonly readings: readonly WatchedReading[];
}

/** Runs the phases of the compiler on a tree of this file. An internal error there only loses these facts. */
export function knowledgeOf(document: Document, { path, project }: SourceFile, session: Session): Knowledge {
  const readings: WatchedReading[] = [];
  const modules = session
    .filesOf(project)
    .flatMap((file) => (file.role === "module" && file.document !== undefined ? [file.document] : []));
  const include = (name: string) => readIncluded({ path, root: project.paths[0] === "." ? project.folder : dirname(path) }, name);
  try {
    const plan = planQuietly(document, modules, include, (reading) => void readings.push(reading));
    return { plan, readings };
  } catch (error) {
    session.connection.console.warn(`nothing is known of ${path}: ${error instanceof Error ? error.stack : error}`);
    return { plan: undefined, readings };
  }
}
