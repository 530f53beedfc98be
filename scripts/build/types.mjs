import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { run } from "./run.mjs";

/**
 * Writes the declarations of what applications import, and of all that these name; those of other files are removed again. Editors show
 * the comments of what is imported: the others are left out, a twentieth of the package.
 */
export function writeTypes(root, out) {
  const flags = ["--composite", "false", "--emitDeclarationOnly", "--outDir", out, "--tsBuildInfoFile", "null"];
  run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "runtime", ...flags], { cwd: root });
  const entries = ["printed", "fastify"].map((entry) => join(out, "runtime", entry, "index.d.ts"));
  const program = ts.createProgram(entries, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
    types: ["node"],
  });
  const sources = new Set(program.getSourceFiles().map(({ fileName }) => resolve(fileName)));
  for (const { parentPath, name } of readdirSync(out, { recursive: true, withFileTypes: true })) {
    const file = join(parentPath, name);
    if (!name.endsWith(".ts")) continue;
    if (!sources.has(file)) rmSync(file);
    else if (!shown.test(file)) writeFileSync(file, readFileSync(file, "utf8").replace(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, ""));
  }
}

/** Files whose names an application sees. */
const shown = /[\\/]runtime[\\/](?:printed|fastify)[\\/]/;
