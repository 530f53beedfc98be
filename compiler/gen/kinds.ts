import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A kind of feature: an interface and a folder. Each file of the folder with a record `spec` is one of them, under the name of the file. */
export interface Kind {
  /** Its table in generated/features.ts. */
  readonly table: string;
  /** Below runtime/. */
  readonly folder: string;
  /** The interface of its records. */
  readonly type: string;
  /** The function that printed modules call, and its name in the façade. */
  readonly exported: (name: string) => readonly [own: string, facade: string];
}

const word = (name: string): string => name.replaceAll("-", "_");
const asNamed = (name: string): readonly [string, string] => [name, name];

/** Every kind, in the order of the generated lists. */
export const kinds: readonly Kind[] = [
  { table: "transforms", folder: "features/transforms", type: "AnyFeature", exported: asNamed },
  { table: "matchers", folder: "features/matchers", type: "AnyFeature", exported: asNamed },
  { table: "actions", folder: "features/actions", type: "AnyFeature", exported: asNamed },
  { table: "filters", folder: "features/filters", type: "Filter", exported: (name) => [name, `${name}_filter`] },
  { table: "drivers", folder: "features/actions/database", type: "DriverFeature", exported: asNamed },
  {
    table: "secretStores",
    folder: "features/secret-stores",
    type: "SecretStoreFeature",
    exported: (name) => [`${word(name)}_secret`, `${word(name)}_secret`],
  },
];

/** Names of the features of a kind, sorted; `runtime` is the folder of the sources. */
export function featureNames(runtime: string, { folder }: Kind): string[] {
  return readdirSync(join(runtime, folder), { withFileTypes: true })
    .filter((item) => item.isFile() && item.name.endsWith(".ts"))
    .filter(({ name }) => /^export const spec\b/m.test(readFileSync(join(runtime, folder, name), "utf8")))
    .map(({ name }) => name.slice(0, -3))
    .sort();
}
