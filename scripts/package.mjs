// `npm run package`: packs, which builds the command (scripts/prepack.mjs), and looks whether the archive holds what a user needs and is
// no larger than it may be.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./build/run.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "dist", "package");
const needed = [
  ...["bin/pipewright.mjs", "dist/command/cli.mjs", "generated/schema.json", "templates/http-sqlite/notes.yaml"],
  ...["dist/linked/package.json", "dist/linked/runtime/process/server.js", "dist/linked/runtime/printed/index.js"],
  ...["dist/types/runtime.d.ts", "dist/types/fastify.d.ts"],
];
/** A megabyte of npm, which counts 1.0 MB until here. */
const mostBytes = 1_048_576;

mkdirSync(folder, { recursive: true });
const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: root, stdout: "pipe" }));
const missing = needed.filter((file) => !packed.files.some(({ path }) => path === file));
if (missing.length > 0) fail(`the archive lacks ${missing.join(", ")}`);
if (packed.size > mostBytes) fail(`the archive has ${packed.size} bytes, more than ${mostBytes}`);
console.log(`${join("dist", "package", packed.filename)}, ${(packed.size / 1000).toFixed(0)} kB, ${packed.entryCount} files`);
console.log(`To try it: npm install -g ${join(folder, packed.filename)}`);

function fail(reason) {
  console.error(reason);
  process.exit(1);
}
