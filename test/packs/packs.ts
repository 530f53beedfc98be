import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SourceText } from "../../compiler/pipeline.ts";

// The packs of examples: configs from outside this project, in a folder beside the repository, which a checkout may lack.

const folder = fileURLToPath(new URL("../../../shared/packs/", import.meta.url));

/** Names of all packs; none, with a printed line, where they are absent. */
export function packNames(): readonly string[] {
  if (!existsSync(folder)) {
    console.log("skipped: there are no packs in ../shared/packs");
    return [];
  }
  return readdirSync(folder, { withFileTypes: true })
    .filter((item) => item.isDirectory())
    .map(({ name }) => name);
}

/** The folder of a pack; undefined, with a printed line, where it is absent. */
export function packFolder(name: string): string | undefined {
  const found = join(folder, name);
  if (existsSync(found)) return found;
  console.log(`skipped: there is no ../shared/packs/${name}`);
  return undefined;
}

/** A file that comes with a pack. */
export const packFile = (name: string, file: string): string => readFileSync(join(folder, name, file), "utf8");

/** Configs and modules of a pack, which lie side by side. */
export function packTexts(name: string): readonly SourceText[] {
  return readdirSync(join(folder, name))
    .filter((file) => file.endsWith(".yml"))
    .map((file) => ({ file: `${name}/${file}`, text: packFile(name, file) }));
}
