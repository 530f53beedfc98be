import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { root } from "../folders.ts";

/** One import of a source file. */
export interface Import {
  /** Path from the root of the repository, such as `runtime/run/run.ts`. */
  readonly from: string;
  /** The path of a file of the repository; `node:fs` or the name of a package for anything else. */
  readonly to: string;
  /** True when the import imports only types, so that it is erased at run time. */
  readonly typeOnly: boolean;
}

const folder = fileURLToPath(root);

/** Files of the repository, by patterns. */
export const sourceFiles = (...patterns: readonly string[]): readonly string[] => globSync([...patterns], { cwd: folder }).sort();

/** All imports of these files, also dynamic ones and those of types. */
export function importsOf(files: readonly string[]): readonly Import[] {
  return files.flatMap((from) => {
    const source = ts.createSourceFile(from, readFileSync(join(folder, from), "utf8"), ts.ScriptTarget.Latest);
    const found: Import[] = [];
    const add = (specifier: ts.Node | undefined, typeOnly: boolean): void => {
      if (specifier !== undefined && ts.isStringLiteralLike(specifier)) found.push({ from, to: targetOf(from, specifier.text), typeOnly });
    };
    const visit = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeImport(node));
      else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
      else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
      else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0], false);
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}

/** True for `import type …`, and for braces in which every name is a type. */
function isTypeImport({ importClause }: ts.ImportDeclaration): boolean {
  if (importClause === undefined) return false;
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { name, namedBindings } = importClause;
  return (
    name === undefined &&
    namedBindings !== undefined &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.every((each) => each.isTypeOnly)
  );
}

function targetOf(from: string, specifier: string): string {
  if (specifier.startsWith("#")) return specifier.slice(1);
  return specifier.startsWith(".") ? join(dirname(from), specifier) : specifier;
}
