// `npm run playground`: writes the playground to dist/playground, to be served by any server of files.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { builtPlayground } from "./build/playground.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = join(root, "dist", "playground");
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
let bytes = 0;
for (const [name, text] of Object.entries(await builtPlayground(root))) {
  writeFileSync(join(out, name), text);
  bytes += gzipSync(text).length;
}
console.log(`dist/playground: ${Math.round(bytes / 1_000)} kB compressed`);
