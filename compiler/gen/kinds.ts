import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A kind of feature: an interface and a folder. Each file of the folder with a record `spec` is a feature, with the name of the file. If
 * the compiler must not load the code of a feature, the record stands in `record.ts`, in the folder of its name.
 */
export interface Kind {
  /** The name of its table in generated/features.ts. */
  readonly table: string;
  /** The folder below runtime/. */
  readonly folder: string;
  readonly apart?: true;
  /** The interface of its records. */
  readonly type: string;
  /** The word for one feature of the kind. */
  readonly noun: string;
  /** The form in which a configuration names a feature. */
  readonly written: (name: string) => string;
  /** The name of the function that printed modules call, in its own file and in the façade. */
  readonly exported: (name: string) => readonly [own: string, facade: string];
}

const word = (name: string): string => name.replaceAll("-", "_");
const asNamed = (name: string): readonly [string, string] => [name, name];

/** Every kind, in the order of the generated lists. */
export const kinds: readonly Kind[] = [
  {
    table: "transforms",
    folder: "features/transforms",
    type: "AnyTransform",
    noun: "transform",
    written: (name) => `post_transforms: [{ ${name}: … }]`,
    exported: asNamed,
  },
  {
    table: "matchers",
    folder: "features/matchers",
    type: "AnyMatcher",
    noun: "matcher",
    written: (name) => `tests: [{ value: …, ${name}: … }]`,
    exported: asNamed,
  },
  {
    table: "actions",
    folder: "features/actions",
    type: "AnyAction",
    noun: "action",
    written: (name) => `actions: [{ ${name}: … }]`,
    exported: asNamed,
  },
  {
    table: "filters",
    folder: "features/filters",
    type: "Filter",
    noun: "filter",
    written: (name) => `a|…->${name}|`,
    exported: (name) => [name, `${name}_filter`],
  },
  {
    table: "drivers",
    folder: "features/actions/database",
    type: "DriverFeature",
    noun: "driver",
    written: (name) => `databases: { …: { driver: ${name} } }`,
    exported: asNamed,
  },
  {
    table: "triggers",
    folder: "triggers",
    apart: true,
    type: "TriggerFeature",
    noun: "trigger",
    written: (name) => `interfaces: { …: { ${name}: … } }`,
    exported: (name) => [`${name}_trigger`, `${name}_trigger`],
  },
  {
    table: "secretStores",
    folder: "features/secret-stores",
    type: "StoreFacts",
    noun: "secret store",
    written: (name) => `secrets: { …: { kind: ${name} } }`,
    exported: (name) => [`${word(name)}_secret`, `${word(name)}_secret`],
  },
];

/** The file of a record, below the folder of its kind. */
export const recordFile = ({ apart }: Kind, name: string): string => (apart === true ? `${name}/record.ts` : `${name}.ts`);

/** Names of the features of a kind, sorted; `runtime` is the folder of the sources. */
export function featureNames(runtime: string, kind: Kind): string[] {
  const folder = join(runtime, kind.folder);
  return readdirSync(folder, { withFileTypes: true })
    .filter((item) => item.isFile() && item.name.endsWith(".ts"))
    .map(({ name }) => name.slice(0, -3))
    .filter((name) => hasRecord(join(folder, recordFile(kind, name))))
    .sort();
}

const hasRecord = (file: string): boolean => existsSync(file) && /^export const spec\b/m.test(readFileSync(file, "utf8"));
