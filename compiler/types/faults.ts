import { join } from "node:path";
import { type Diagnostic, Project, type SourceFile } from "ts-morph";
import type { PrintedModule } from "../6-print/index.ts";
import { ownPackage } from "../7-link/root.ts";

/** A type error in a printed module, with its place in the TypeScript. */
export interface Fault {
  readonly module: PrintedModule;
  /** The message of TypeScript, in one line. */
  readonly reason: string;
  /** The line, from 1. */
  readonly line: number;
  /** The column, from 0 as in source maps. */
  readonly column: number;
}

/**
 * Type-checks printed modules with the flags of our own sources (tsconfig.base.json). They are in memory inside the package folder, so that
 * `#runtime/*` means the same files as for the linker. Only they are checked, because the runtime is checked before a release.
 */
export function typeFaults(modules: readonly PrintedModule[]): readonly Fault[] {
  const { folder } = ownPackage();
  const project = new Project({
    tsConfigFilePath: join(folder, "tsconfig.base.json"),
    skipAddingFilesFromTsConfig: true,
    compilerOptions: { noEmit: true, composite: false, declaration: false, emitDeclarationOnly: false },
  });
  // The files have numbers, because names of sources may lead out of the folder (`../api/notes`).
  const files = modules.map(({ code }, i) => project.createSourceFile(join(folder, "printed", `${i}.ts`), code));
  const program = project.getProgram();
  return modules.flatMap((module, i) => {
    const file = files[i];
    if (file === undefined) return [];
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map((found) => fault(found, file, module));
  });
}

function fault(found: Diagnostic, file: SourceFile, module: PrintedModule): Fault {
  const { line, column } = file.getLineAndColumnAtPos(found.getStart() ?? 0);
  return { module, reason: reasonOf(found), line, column: column - 1 };
}

/** The sentences of an error. TypeScript explains it by a chain of sentences, each more exact than the one before. */
function reasonOf(found: Diagnostic): string {
  const sentences: string[] = [];
  for (let text = found.getMessageText(); ; ) {
    if (typeof text === "string") return [...sentences, text].join(" ");
    sentences.push(text.getMessageText());
    const [next] = text.getNext() ?? [];
    if (next === undefined) return sentences.join(" ");
    text = next;
  }
}
