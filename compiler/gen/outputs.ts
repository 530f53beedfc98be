import { join } from "node:path";
import type { JsonObject } from "#runtime/value/json.ts";
import { assembleSchema, moduleSchema } from "../2-check/schema.ts";
import { testSchema } from "../testing/schema.ts";
import { configModule } from "./config-types.ts";
import { type Features, referencePages } from "./reference/index.ts";

/** The files that follow from the features: every file of generated/ except the lists of features, by its path there. */
export async function outputs(root: string, features: Features): Promise<ReadonlyMap<string, string>> {
  const schema = assembleSchema(features);
  const pages = [...referencePages(root, features)].map(([page, text]) => [join("reference", page), text] as const);
  return new Map([
    ["schema.json", jsonFile(schema)],
    ["module.schema.json", jsonFile(moduleSchema("schema.json"))],
    ["test.schema.json", jsonFile(testSchema(features))],
    ["config.ts", await configModule(schema)],
    ...pages,
  ]);
}

/** JSON with a line for each part, for readable diffs, but without indentation, which would be a hundredth of the package. */
const jsonFile = (value: JsonObject): string => `${JSON.stringify(value, null, 1).replace(/^ +/gm, "")}\n`;
