import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { transformSync } from "esbuild";

/**
 * Writes the runtime as JavaScript, file by file: what a link reads (compiler/7-link/linked.ts), and what `pipewright/runtime` and
 * `pipewright/fastify` are for an application. Node strips the types of our sources, but not of those under node_modules.
 */
export function writeLinked(root, out) {
  for (const { parentPath, name } of readdirSync(join(root, "runtime"), { recursive: true, withFileTypes: true })) {
    if (!name.endsWith(".ts")) continue;
    const file = join(parentPath, name);
    const { code } = transformSync(readFileSync(file, "utf8"), {
      loader: "ts",
      format: "esm",
      target: "node24",
      minify: true,
      lineLimit: 120,
      legalComments: "none",
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    });
    const target = join(out, file.slice(root.length).replace(/\.ts$/, ".js"));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code.replace(relativeImport, "$1.js$2"));
  }
  for (const part of ["templates/entry.ts", "templates/dev", "templates/documentation", "LICENSE"]) {
    cpSync(join(root, part), join(out, part), { recursive: true });
  }
  const { name, version, license, type, sideEffects } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const imports = { "#runtime/*.ts": "./runtime/*.js" };
  writeFileSync(
    join(out, "package.json"),
    `${JSON.stringify({ name, version, private: true, license, type, sideEffects, imports }, null, 2)}\n`,
  );
}

/** The file that an import, an export or the address of a thread names: after `from`, `import`, `import(` or `new URL(`. */
const relativeImport = /((?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*"\.{1,2}\/[^"\n]*)\.ts(")/g;
