import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { featuresModule } from "./features.ts";

// `npm run gen`: writes generated/. With --check it writes nothing and fails when a file is stale.

const root = join(import.meta.dirname, "../..");
const checking = process.argv.includes("--check");
const stale: string[] = [];

put("generated/features.ts", featuresModule(join(root, "runtime")));
// The assembled schema needs the features, so their list is written before it is read.
const { assembleSchema } = await import("../2-check/schema.ts");
const { actions, matchers, transforms } = await import("../../generated/features.ts");
put("generated/schema.json", `${JSON.stringify(assembleSchema({ actions, matchers, transforms }), null, 2)}\n`);

if (checking && stale.length > 0) {
  console.error(`stale: ${stale.join(", ")}; run npm run gen`);
  process.exitCode = 1;
}

function put(file: string, text: string): void {
  const path = join(root, file);
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  stale.push(file);
  if (!checking) writeFileSync(path, text);
}
