import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rollup } from "rollup";
import dts from "rollup-plugin-dts";
import { run } from "./run.mjs";

/**
 * Writes the declarations of what applications import: a file for `pipewright/runtime`, one for `pipewright/fastify` and one for what both
 * use. These three files have half the size of the three hundred that tsc writes.
 */
export async function writeTypes(root, out) {
  const all = join(out, "all");
  const flags = ["--composite", "false", "--emitDeclarationOnly", "--outDir", all, "--tsBuildInfoFile", "null"];
  run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "runtime", ...flags], { cwd: root });
  const runtime = join(all, "runtime");
  const comments = withoutComments(runtime);
  const bundle = await rollup({
    input: { runtime: join(runtime, "printed/index.d.ts"), fastify: join(runtime, "fastify/index.d.ts") },
    external: (id) => !/^[./#]/.test(id),
    plugins: [ownImports(runtime), dts()],
    onwarn: refuse,
  });
  await bundle.write({ dir: out, format: "es", chunkFileNames: "shared.d.ts", entryFileNames: "[name].d.ts" });
  const file = join(out, "runtime.d.ts");
  writeFileSync(file, commented(readFileSync(file, "utf8"), comments));
  rmSync(all, { recursive: true });
  for (const name of readdirSync(out)) writeFileSync(join(out, name), compact(readFileSync(join(out, name), "utf8")));
}

/** Takes out indentation and empty lines, which take a hundredth of these files in the archive: editors show declarations one by one. */
const compact = (text) => text.replace(/^[\t ]+/gm, "").replace(/\n{2,}/g, "\n");

/** `#runtime/value/json.ts` is a file of the runtime, as in the imports of package.json. */
const ownImports = (runtime) => ({
  name: "own-imports",
  resolveId: (id) => (id.startsWith("#runtime/") ? join(runtime, id.slice("#runtime/".length).replace(/\.ts$/, ".d.ts")) : null),
});

/** Fails on every warning but one: a type that an application cannot name is fine, because the application reads its members only. */
function refuse({ code, message }) {
  if (code === "PLUGIN_WARNING" && message.includes("private shared type exports")) return;
  throw new Error(message);
}

/**
 * Removes the comments of declarations, a twentieth of the package, and returns the comments of the façade by exported name. Editors show
 * those to users, but the bundler would lose them.
 */
function withoutComments(runtime) {
  const comments = new Map();
  for (const { parentPath, name } of readdirSync(runtime, { recursive: true, withFileTypes: true })) {
    if (!name.endsWith(".ts") || /[\\/]fastify$/.test(parentPath)) continue;
    const file = join(parentPath, name);
    const text = readFileSync(file, "utf8");
    for (const [, comment, inner, outer = inner] of text.matchAll(exported)) {
      if (/[\\/]printed$/.test(parentPath)) comments.set(outer, comment);
    }
    writeFileSync(file, text.replace(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, ""));
  }
  return comments;
}

/** A comment and the name after it in an `export { … }`. */
const exported = /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\s*(\w+)(?: as (\w+))?,/g;

/** Writes one export per line, each below its comment. */
function commented(text, comments) {
  return text.replace(/^export (type )?\{ (.*) \};$/gm, (_, type = "", names) => {
    const lines = names.split(", ").map((each) => {
      const comment = comments.get(each.split(" as ").at(-1));
      return comment === undefined ? `  ${each},\n` : `  ${comment}\n  ${each},\n`;
    });
    return `export ${type}{\n${lines.join("")}};`;
  });
}
