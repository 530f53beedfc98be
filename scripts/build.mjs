// `npm run build`: the parts of the published package that are not files of the checkout.
//
// - dist/command: the command as JavaScript in a few modules, since a hundred files take their time to load; npm packages stay packages
// - dist/linked: the runtime as JavaScript, and its templates
// - the types of what applications import
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { facadeByFiles } from "./build/facade.mjs";
import { hasRecord, writeLinked } from "./build/linked.mjs";
import { mergeLinked } from "./build/merge.mjs";
import { recordsAlone } from "./build/records.mjs";
import { run } from "./build/run.mjs";
import { terse } from "./build/terse.mjs";
import { writeTypes } from "./build/types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = join(root, "dist");

run(process.execPath, [join(root, "compiler/gen/main.ts"), "--check"]);
for (const folder of ["command", "linked", "types"]) rmSync(join(out, folder), { recursive: true, force: true });

/** npm packages stay outside: they are dependencies of the published package. */
const packages = {
  name: "packages",
  setup({ onResolve }) {
    onResolve({ filter: /^[^./#]/ }, ({ path }) => ({ path, external: true }));
  },
};

/**
 * The command takes files of the runtime from dist/linked, which the package has for links anyway. It has its own copy of the records of
 * features, which links lack, and of files that no link uses. Parts of features are taken where they load no package.
 */
const ofLinked = {
  name: "of-linked",
  setup({ onResolve }) {
    onResolve({ filter: /^(?:\.|#runtime\/)/ }, ({ path, resolveDir }) => {
      const file = path.startsWith("#") ? join(root, path.slice(1)) : join(resolveDir, path);
      const name = relative(root, file).replaceAll("\\", "/");
      const linked = join("linked", name.replace(/\.ts$/, ".js")).replaceAll("\\", "/");
      const isShared =
        name.startsWith("runtime/") &&
        existsSync(join(out, linked)) &&
        !hasRecord.test(readFileSync(file, "utf8")) &&
        (!name.startsWith("runtime/features/") || isLight(join(out, linked)));
      return isShared ? { path: `../${linked}`, external: true, sideEffects: false } : undefined;
    });
  },
};

/** True for a module that loads no package, neither itself nor through its imports. */
function isLight(file, seen = new Set()) {
  if (seen.has(file)) return true;
  seen.add(file);
  const paths = [...readFileSync(file, "utf8").matchAll(/(?:^|[;\n}])(?:import|export)\b[^;"]*"([^"]+)"/g)].map(([, path]) => path);
  return paths.every((path) => path.startsWith("node:") || (path.startsWith(".") && isLight(join(dirname(file), path), seen)));
}

await writeLinked(root, join(out, "linked"));

// Each subcommand loads its modules only when it runs: `check` must not wait for the linker.
const { metafile } = await build({
  absWorkingDir: root,
  // The thread of the language server needs a file of its own (compiler/lsp/analysis/analyst.ts).
  entryPoints: { cli: "compiler/cli/start.ts", "lsp-thread": "compiler/lsp/analysis/thread.ts" },
  outdir: join(out, "command"),
  outExtension: { ".js": ".mjs" },
  splitting: true,
  chunkNames: "[name]-[hash]",
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node24",
  // Equal sources give equal bytes, so that a second build with a source map explains the stack in a bug report.
  minify: true,
  // Line breaks cost a hundredth of the package, but Node prints the whole line of an uncaught error.
  lineLimit: 1000,
  legalComments: "none",
  metafile: true,
  plugins: [ofLinked, packages, recordsAlone, facadeByFiles(root)],
});

/** The name of a module as esbuild gives it. */
const hashed = /\b([\w-]+)-[A-Z0-9]{8}\.mjs\b/g;

let command = "";
const outputs = reached("dist/command/lsp-thread.mjs", reached("dist/command/cli.mjs"));
for (const output of Object.keys(metafile.outputs)) {
  if (!outputs.has(output)) rmSync(join(root, output));
}
const names = shortNames([...outputs].map((output) => basename(output)));
for (const output of outputs) {
  const file = join(root, output);
  const source = readFileSync(file, "utf8").replace(hashed, (name) => names.get(name) ?? name);
  rmSync(file);
  const code = await terse(source, { max_line_len: 10_000 });
  writeFileSync(join(dirname(file), names.get(basename(file)) ?? basename(file)), code);
  command += code;
}
const merged = await mergeLinked(join(out, "linked"), command);
console.log(
  `${relative(process.cwd(), out)}: ${outputs.size} modules, ${(command.length / 1000).toFixed(0)} kB; ${merged} files of the runtime merged`,
);

await writeTypes(root, join(out, "types"));

/**
 * The modules that a module loads, at once or later. esbuild also writes modules that only unused code would load, and they are left out
 * here.
 */
function reached(output, found = new Set()) {
  if (found.has(output)) return found;
  found.add(output);
  for (const { path, external } of metafile.outputs[output].imports) if (external !== true) reached(path, found);
  return found;
}

/** Names with numbers in place of the hashes of esbuild: that is 2 kB of the package, since no compression shortens a hash. */
function shortNames(files) {
  const taken = new Set(files);
  return new Map(
    files
      .filter((file) => file.match(hashed))
      .sort()
      .map((file) => {
        const word = file.replace(hashed, "$1");
        let name = `${word}.mjs`;
        for (let n = 2; taken.has(name); n++) name = `${word}-${n}.mjs`;
        taken.add(name);
        return [file, name];
      }),
  );
}
