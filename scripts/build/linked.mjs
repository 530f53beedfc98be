import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { build, transformSync } from "esbuild";
import { minify } from "terser";
import { builtConsole } from "./console.mjs";
import { terse } from "./terse.mjs";

/**
 * Writes the runtime as JavaScript, file by file. A link reads these files (compiler/7-link/linked.ts), and an application gets them as
 * `pipewright/runtime` and `pipewright/fastify`. Node strips the types of our sources, but not of those under node_modules.
 */
export async function writeLinked(root, out) {
  for (const { parentPath, name } of readdirSync(join(root, "runtime"), { recursive: true, withFileTypes: true })) {
    if (!name.endsWith(".ts")) continue;
    const file = join(parentPath, name);
    const source = readFileSync(file, "utf8");
    const code =
      hasRecord.test(source) && !isFilter.test(file) ? await withoutRecord(file) : transformSync(source, { ...form, loader: "ts" }).code;
    const target = join(out, file.slice(root.length).replace(/\.ts$/, ".js"));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, (await terse(code)).replace(relativeImport, "$1.js$2"));
  }
  dropUnreached(out);
  for (const part of ["templates/entry.ts", "templates/dev", "templates/documentation"]) {
    cpSync(join(root, part), join(out, part), { recursive: true });
  }
  for (const name of ["documentation/page.css", "documentation/page.js", "dev/page.css", "dev/page.js"]) {
    const file = join(out, "templates", name);
    const { code } = transformSync(readFileSync(file, "utf8"), { minify: true, loader: extname(file).slice(1), target: "es2022" });
    writeFileSync(file, name.endsWith(".js") ? (await minify(code, { ecma: 2020, compress: { passes: 3 } })).code : code);
  }
  const console = await builtConsole(root);
  for (const [part, text] of Object.entries({ "page.html": console.page, "page.css": console.style, "page.js": console.script })) {
    mkdirSync(join(out, "templates", "console"), { recursive: true });
    writeFileSync(join(out, "templates", "console", part), text);
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

/** Entry files of links, applications and threads, and files that replace others (runtime/absent). */
export const beginnings =
  /^runtime[\\/](?:absent[\\/].*|(?:printed|fastify)[\\/]index\.js|console[\\/]console\.js|enforce[\\/]enforcement\.js|process[\\/](?:program|stack)\.js|testing[\\/]trial\.js|triggers[\\/](?:documentation|pages)\.js|threads[\\/]kinds[\\/].*)$/;

/** Removes files without an importer: files of types, and the shapes and schemas that only the removed records used. */
function dropUnreached(out) {
  const files = readdirSync(out, { recursive: true }).filter((file) => file.endsWith(".js"));
  const open = files.filter((file) => beginnings.test(file)).map((file) => join(out, file));
  const reached = new Set();
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    for (const [, path] of readFileSync(file, "utf8").matchAll(anyImport)) {
      open.push(
        path.startsWith("#runtime/")
          ? join(out, "runtime", path.slice("#runtime/".length).replace(/\.ts$/, ".js"))
          : join(dirname(file), path),
      );
    }
  }
  for (const file of files.map((each) => join(out, each))) if (!reached.has(file)) rmSync(file);
}

/** The path of our own file in an import, an export or the address of a thread. */
const anyImport = /(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*"(\.{1,2}\/[^"\n]*\.js|#runtime\/[^"\n]*)"/g;

const form = {
  format: "esm",
  target: "node24",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
};

/** A file that is a feature or a kind of one; its record is the compiler's. */
export const hasRecord = /^export const spec\b/m;

/** The interpreter needs the records of filters. All other records are used by the compiler alone, whose bundle contains them. */
const isFilter = /[\\/]features[\\/]filters[\\/]/;

/** A feature as a bundle needs it: without its record, and without code that only the record uses. */
async function withoutRecord(file) {
  const options = { ...form, write: false, outdir: dirname(file) };
  const whole = await build({ ...options, entryPoints: [file], metafile: true });
  const names = Object.values(whole.metafile.outputs)[0].exports.filter((name) => name !== "spec");
  const result = await build({
    ...options,
    stdin: { contents: `export { ${names.join(", ")} } from ${JSON.stringify(file)};`, resolveDir: dirname(file) },
    bundle: true,
    plugins: [
      {
        name: "all-else-outside",
        setup: ({ onResolve }) =>
          onResolve({ filter: /^/ }, ({ path }) => (path === file ? undefined : { path, external: true, sideEffects: false })),
      },
    ],
  });
  return result.outputFiles[0].text;
}
