// `npm run build`: the command as plain JavaScript, for the published package. Node strips the types of our sources, but not of those under
// node_modules. What the command links into services (runtime/, templates/) is published as it is; npm packages stay packages.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = join(root, "dist");

const fresh = spawnSync(process.execPath, [join(root, "compiler/gen/main.ts"), "--check"], { stdio: "inherit" });
if (fresh.status !== 0) process.exit(fresh.status ?? 1);

rmSync(join(out, "cli"), { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { cli: "compiler/cli/main.ts" },
  outdir: out,
  outExtension: { ".js": ".mjs" },
  // What a command needs is loaded when it runs: `check` must not wait for the linker.
  splitting: true,
  chunkNames: "cli/[name]-[hash]",
  bundle: true,
  packages: "external",
  format: "esm",
  platform: "node",
  target: "node24",
  legalComments: "none",
  metafile: true,
});

const files = Object.entries(metafile.outputs);
const bytes = files.reduce((sum, [, { bytes }]) => sum + bytes, 0);
console.log(`${relative(process.cwd(), join(out, "cli.mjs"))} and ${files.length - 1} parts, ${(bytes / 1000).toFixed(0)} kB`);
