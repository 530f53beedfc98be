// `npm run build`: all that the published package has beside what it takes from the checkout as it is.
//
// - the command as JavaScript in a few modules, since a hundred files take their time to load; npm packages stay packages
// - dist/linked: the runtime as JavaScript, and its templates
// - the types of what applications import
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { minify } from "terser";
import { writeLinked } from "./build/linked.mjs";
import { run } from "./build/run.mjs";
import { writeTypes } from "./build/types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = join(root, "dist");

run(process.execPath, [join(root, "compiler/gen/main.ts"), "--check"]);
for (const folder of ["parts", "linked", "types"]) rmSync(join(out, folder), { recursive: true, force: true });

/** npm packages stay outside: they are dependencies of the published package. */
const packages = {
  name: "packages",
  setup({ onResolve }) {
    onResolve({ filter: /^[^./#]/ }, ({ path }) => ({ path, external: true }));
  },
};

// A command loads its modules when it runs: `check` must not wait for the linker.
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { cli: "compiler/cli/main.ts" },
  outdir: out,
  outExtension: { ".js": ".mjs" },
  splitting: true,
  chunkNames: "parts/[name]-[hash]",
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node24",
  // Equal sources give equal bytes: a stack in a report of a bug is read by a build with a source map.
  minify: true,
  // Line breaks cost a hundredth of the package; Node shows the whole line of an error that nobody has caught.
  lineLimit: 1000,
  legalComments: "none",
  metafile: true,
  plugins: [packages],
});

// Terser writes what esbuild has bundled in fewer characters: 18 kB of the package. The linker's modules keep their form, since terser
// would take away the marks by which esbuild leaves out what a bundle does not use.
let characters = 0;
for (const output of Object.keys(metafile.outputs)) {
  const file = join(root, output);
  const { code } = await minify(readFileSync(file, "utf8"), {
    ecma: 2020,
    module: true,
    compress: { passes: 2 },
    format: { max_line_len: 1000 },
  });
  writeFileSync(file, code);
  characters += code.length;
}
console.log(`${relative(process.cwd(), out)}: ${Object.keys(metafile.outputs).length} modules, ${(characters / 1000).toFixed(0)} kB`);

await writeLinked(root, join(out, "linked"));
await writeTypes(root, join(out, "types"));
