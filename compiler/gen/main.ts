import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { facadeEntries, facadeModule, featureFacade } from "./facade.ts";
import { actionParts, featuresModule, filtersModule, listOf, namesOf, partsModule } from "./features.ts";

// `npm run gen`: writes generated/ and the features of the façade, and removes other files from generated/. With --check it changes
// nothing, and fails if a change would be needed.

const root = join(import.meta.dirname, "../..");
const folder = join(root, "generated");
const checking = process.argv.includes("--check");
const stale: string[] = [];
/** Files of generated/ that are written before the rest. */
const lists: ReadonlySet<string> = new Set(["features.ts", "facade.ts", ...actionParts.map(listOf)]);

const runtime = join(root, "runtime");
put("runtime/features/filters/index.ts", filtersModule(runtime));
put("generated/features.ts", featuresModule(runtime));
for (const part of actionParts) put(`generated/${listOf(part)}`, partsModule(part, join(root, "compiler"), namesOf(runtime, "actions")));
put("runtime/printed/features.ts", featureFacade(runtime));
put("generated/facade.ts", facadeModule(facadeEntries(runtime)));
// All other files follow from the features, so the list of features is written before it is imported.
const features = await import("../../generated/features.ts");
const { outputs } = await import("./outputs.ts");
const files = await outputs(root, features);
for (const [file, text] of files) put(`generated/${file}`, text);
for (const file of existing()) if (!lists.has(file) && !files.has(file)) remove(file);

if (stale.length > 0) {
  const more = stale.length > 10 ? `, and ${stale.length - 10} more` : "";
  console.error(`${checking ? "stale" : "written"}: ${stale.slice(0, 10).join(", ")}${more}`);
}
if (checking && stale.length > 0) {
  console.error("run: npm run gen");
  process.exitCode = 1;
}

function put(file: string, text: string): void {
  const path = join(root, file);
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  stale.push(file);
  if (checking) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function remove(file: string): void {
  stale.push(`generated/${file} (superfluous)`);
  if (!checking) rmSync(join(folder, file));
}

function existing(): string[] {
  const items = readdirSync(folder, { recursive: true, withFileTypes: true });
  return items.filter((item) => item.isFile()).map((item) => join(item.parentPath, item.name).slice(folder.length + 1));
}
