// `npm run build`: the command, `pipewright/runtime` and `pipewright/fastify` as plain JavaScript, and the types of the latter two, for the
// published package. Node strips the types of our sources, but not of those under node_modules. What the command links into services
// (runtime/, templates/) is published as it is; npm packages stay packages.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { workerTexts } from "../compiler/7-link/workers.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = join(root, "dist");

const fresh = spawnSync(process.execPath, [join(root, "compiler/gen/main.ts"), "--check"], { stdio: "inherit" });
if (fresh.status !== 0) process.exit(fresh.status ?? 1);

// A command loads its modules when it runs: `check` must not wait for the linker.
await modulesOf("cli", { cli: "compiler/cli/main.ts" });
// Modules of a user's own application import these, which share their parts: a run of one is a run of the other. The linker of the command
// reads runtime/.
await modulesOf("runtime", { runtime: "runtime/printed/index.ts", fastify: "runtime/fastify/index.ts" }, [workerTexts(root).plugin]);

rmSync(join(out, "types"), { recursive: true, force: true });
const flags = ["--composite", "false", "--emitDeclarationOnly", "--outDir", join(out, "types"), "--tsBuildInfoFile", "null"];
const types = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "runtime", ...flags], {
  cwd: root,
  stdio: "inherit",
});
if (types.status !== 0) process.exit(types.status ?? 1);

/** Writes a `.mjs` for each entry to `dist/`, and their parts to `dist/<name>/`. */
async function modulesOf(name, entryPoints, plugins = []) {
  rmSync(join(out, name), { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: out,
    outExtension: { ".js": ".mjs" },
    splitting: true,
    chunkNames: `${name}/[name]-[hash]`,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node24",
    legalComments: "none",
    metafile: true,
    plugins,
  });
  const files = Object.values(metafile.outputs);
  const bytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  console.log(`${relative(process.cwd(), join(out, `${name}.mjs`))} and ${files.length - 1} parts, ${(bytes / 1000).toFixed(0)} kB`);
}
