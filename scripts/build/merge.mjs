import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { beginnings } from "./linked.mjs";
import { terse } from "./terse.mjs";

/**
 * Puts each file of the linked runtime that only one other file imports into that file: the archive has 80 bytes less for each, and bundles
 * of an installed command lose their imports. Three kinds of files stay as they are: those that the command names, whose text is `names`;
 * those that are imported when they are needed; and those that do something when they are loaded, because a bundle can leave out a file,
 * but not a statement that may have an effect. Returns how many files are gone.
 */
export async function mergeLinked(out, names) {
  const files = readdirSync(out, { recursive: true }).filter((file) => file.startsWith("runtime") && file.endsWith(".js"));
  const importers = importersOf(out, files);
  const isNamed = (file) => [".ts", ".js"].some((extension) => names.includes(nameOf(file) + extension));
  const merged = new Map();
  for (const file of files) {
    const [importer, ...others] = importers.get(file) ?? [];
    if (others.length > 0 || typeof importer !== "string" || beginnings.test(file) || isNamed(file)) continue;
    if (await isStill(join(out, file))) merged.set(file, importer);
  }
  const within = (file) => merged.has(relative(out, file));
  for (const head of new Set(merged.values())) {
    if (merged.has(head)) continue;
    const file = join(out, head);
    writeFileSync(file, await terse(await textOf(file, { entryPoints: [file] }, within)));
  }
  for (const file of merged.keys()) rmSync(join(out, file));
  return merged.size;
}

/** The name of a file below `runtime`, without its extension, as the command has it. */
const nameOf = (file) => file.replaceAll("\\", "/").replace(/^runtime\/|\.js$/g, "");

/** Stands for an importer that loads a file only when it is needed. */
const later = Symbol("later");

/** The importers of each file. */
function importersOf(out, files) {
  const importers = new Map();
  for (const file of files) {
    for (const [, word, path] of readFileSync(join(out, file), "utf8").matchAll(anyImport)) {
      const target = path.startsWith("#") ? join(path.slice(1).replace(/\.ts$/, ".js")) : join(dirname(file), path);
      importers.set(target, (importers.get(target) ?? new Set()).add(word.endsWith("(") ? later : file));
    }
  }
  return importers;
}

/** The path of our own file in an import, an export or the address of a thread, and the word before it. */
const anyImport = /(\bfrom|\bimport|\bimport\(|\bnew URL\()\s*"(\.{1,2}\/[^"\n]*\.js|#runtime\/[^"\n]*)"/g;

/** True for a file that defines functions, classes and constants, and does nothing else. */
async function isStill(file) {
  const stdin = { contents: `import ${JSON.stringify(file)};`, resolveDir: dirname(file) };
  const text = await textOf(file, { stdin, ignoreAnnotations: true }, (path) => path === file);
  return text.trim() === "" && !readFileSync(file, "utf8").includes("import.meta");
}

/** The text of a file with the files that are within it. All others are imported, from the folder of the file. */
async function textOf(file, options, isWithin) {
  const folder = dirname(file);
  const root = folder.slice(0, folder.lastIndexOf(`${join("linked", "runtime")}`) + "linked".length);
  const result = await build({
    ...options,
    ...{ bundle: true, write: false, format: "esm", target: "node24", platform: "node", minifySyntax: true, legalComments: "none" },
    plugins: [
      {
        name: "within",
        setup: ({ onResolve }) =>
          onResolve({ filter: /^/ }, ({ kind, path, resolveDir }) => {
            if (kind === "entry-point") return undefined;
            const target = path.startsWith("#") ? join(root, path.slice(1).replace(/\.ts$/, ".js")) : join(resolveDir, path);
            if (path === file) return { path };
            if (!/^[.#]/.test(path)) return { path, external: true, sideEffects: false };
            if (isWithin(target)) return { path: target };
            const from = relative(folder, target).replaceAll("\\", "/");
            return { path: from.startsWith(".") ? from : `./${from}`, external: true, sideEffects: false };
          }),
      },
    ],
  });
  return result.outputFiles[0].text;
}
