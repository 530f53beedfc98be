// npm runs this before it packs: a package that is packed from a clean clone has its command in it. It may run on any Node: the build
// runs on that of the checkout, which `npm ci` installs.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

if (!existsSync(join(root, "node_modules", "esbuild"))) run("npm", ["ci"]);
run("node", [join("scripts", "build.mjs")]);

/**
 * The commands of the checkout, `node` among them, are on the path. Their output goes to stderr, because stdout belongs to `npm pack
 * --json`.
 */
function run(program, args) {
  const path = `${join(root, "node_modules", ".bin")}${process.platform === "win32" ? ";" : ":"}${process.env.PATH}`;
  const env = { ...process.env, PATH: path };
  const { status } = spawnSync(program, args, { cwd: root, env, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  if (status !== 0) process.exit(status ?? 1);
}
