// `npm run build`: all that the published package has beside what it takes from the checkout as it is.
//
// - the command as JavaScript in a few modules, since a hundred files take their time to load; npm packages stay packages
// - dist/linked: the runtime as JavaScript, and its templates
// - the types of what applications import
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { licences } from "../compiler/7-link/licences.ts";
import { ownPackage, packageFinder } from "../compiler/7-link/root.ts";
import { writeLinked } from "./build/linked.mjs";
import { run } from "./build/run.mjs";
import { writeTypes } from "./build/types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = join(root, "dist");

run(process.execPath, [join(root, "compiler/gen/main.ts"), "--check"]);
for (const folder of ["parts", "linked", "types"]) rmSync(join(out, folder), { recursive: true, force: true });

/** A package that is inside, since its formatter, which nobody asks it for, weighs ten times as much as all the rest. */
const inside = "json-schema-to-typescript";
const without = /^(?:prettier|js-yaml)$/;

/** The functions of lodash that the package inside calls, which weigh a tenth of the whole. */
function calledOfLodash() {
  const folder = join(root, "node_modules", inside, "dist", "src");
  const sources = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".js"));
  const calls = sources.flatMap((file) => [...readFileSync(join(folder, file), "utf8").matchAll(/\blodash_1\.(\w+)/g)]);
  return [...new Set(calls.map(([, name]) => name))].sort();
}

const packages = {
  name: "packages",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^./#]/ }, ({ path, importer, namespace }) => {
      if (isBuiltin(path)) return { path, external: true };
      if (without.test(path)) return { path, namespace: "without" };
      if (path === "lodash") return { path, namespace: "lodash" };
      if (namespace === "inside" || namespace === "lodash" || /[\\/]node_modules[\\/]/.test(importer)) return undefined;
      return path === inside ? { path, namespace: "inside" } : { path, external: true };
    });
    onLoad({ filter: /^/, namespace: "without" }, () => ({ contents: "exports.CORE_SCHEMA = { withTags: () => undefined };" }));
    onLoad({ filter: /^/, namespace: "lodash" }, () => ({
      contents: calledOfLodash()
        .map((name) => `exports.${name} = require("lodash/${name}.js");`)
        .join("\n"),
      resolveDir: root,
    }));
    // The package is CommonJS, so an import would not give its names one by one.
    onLoad({ filter: /^/, namespace: "inside" }, ({ path }) => ({
      contents: `export { compile } from ${JSON.stringify(path)};`,
      resolveDir: root,
    }));
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
  // CommonJS that is inside asks for parts of Node by it.
  banner: { js: 'import { createRequire as requireOf } from "node:module";const require = requireOf(import.meta.url);' },
  metafile: true,
  plugins: [packages],
});
const find = packageFinder();
const bundled = Object.keys(metafile.inputs).flatMap((file) => find(join(root, file)) ?? []);
const foreign = [...new Map(bundled.filter(({ name }) => name !== "pipewright").map((each) => [each.name, each])).values()];
writeFileSync(
  join(out, "LICENSES.txt"),
  licences(
    foreign.sort((a, b) => (a.name < b.name ? -1 : 1)),
    ownPackage(),
    undefined,
  ),
);
const bytes = Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0);
console.log(`${relative(process.cwd(), out)}: ${Object.keys(metafile.outputs).length} modules, ${(bytes / 1000).toFixed(0)} kB`);

await writeLinked(root, join(out, "linked"));
writeTypes(root, join(out, "types"));
