// `npm run package`: builds the command, packs it, and looks whether the archive holds what a user needs. npm runs no script before `npm
// pack` here, because `.npmrc` forbids scripts around commands; a package that is packed by hand from a clean clone has no command in it.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "dist", "package");
const needed = [
  ...["bin/pipewright.mjs", "dist/cli.mjs", "dist/runtime.mjs", "dist/types/runtime/printed/index.d.ts"],
  ...["dist/fastify.mjs", "dist/types/runtime/fastify/index.d.ts"],
  ...["generated/schema.json", "runtime/process/server.ts", "templates/starter/notes.yaml"],
];

run(process.execPath, [join(root, "scripts/build.mjs")], "inherit");
mkdirSync(folder, { recursive: true });
const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], "pipe"));
const missing = needed.filter((file) => !packed.files.some(({ path }) => path === file));
if (missing.length > 0) {
  console.error(`the archive lacks ${missing.join(", ")}`);
  process.exit(1);
}
console.log(`${join("dist", "package", packed.filename)}, ${(packed.size / 1000).toFixed(0)} kB, ${packed.entryCount} files`);
console.log(`To try it: npm install -g ${join(folder, packed.filename)}`);

function run(command, args, stdout) {
  const shell = process.platform === "win32" && command === "npm";
  const { status, stdout: text } = spawnSync(command, args, { cwd: root, stdio: ["ignore", stdout, "inherit"], encoding: "utf8", shell });
  if (status !== 0) process.exit(status ?? 1);
  return text;
}
