import { relative, resolve, sep } from "node:path";
import type { Metafile } from "esbuild";
import { visible } from "#runtime/value/visible.ts";
import { keptMappings } from "./mappings.ts";
import { type FindPackage, type Package, packageFinder } from "./root.ts";

export interface Bundle {
  readonly code: string;
  /** The source map from the bundle to the YAML and to our runtime. It names sources, but does not contain them. */
  readonly map: string;
  readonly metafile: Metafile;
  /** Packages with at least one byte in the bundle or in its threads, sorted. */
  readonly packages: readonly Package[];
}

type Raw = Pick<Bundle, "code" | "map" | "metafile">;

/** The name of a file in the output, and whether it belongs to another package. */
interface Named {
  readonly name: string;
  readonly library: boolean;
}

/**
 * The files of a bundle besides its modules: the YAML files that its map may name, and the files of threads, whose text stands in the
 * bundle.
 */
interface Parts {
  readonly configurations: Iterable<string>;
  readonly workers: readonly Metafile[];
}

type Names = ReadonlyMap<string, Named>;

/**
 * Removes the folders of this machine from a bundle: `../../node_modules/fastify/lib/route.js` becomes `fastify@5.12.8/lib/route.js` in
 * comments, wrapper keys, source map and metafile. The number of lines does not change, so the map stays right.
 */
export function portable(raw: Raw, own: Package, { configurations, workers }: Parts): Bundle {
  const packages = new Map<string, Package>();
  const find = packageFinder();
  const names = new Map<string, Named>();
  const inputs = new Set([raw.metafile, ...workers].flatMap(usedInputs));
  for (const path of new Set([...Object.keys(raw.metafile.inputs), ...inputs])) {
    const { name, from } = portableName(path, own, find);
    names.set(path, { name, library: from !== undefined });
    if (from !== undefined && inputs.has(path)) packages.set(`${from.name}@${from.version}`, from);
  }
  return {
    code: renameInCode(raw.code, names),
    map: renameInMap(raw.map, names, configurations),
    metafile: renameInMetafile(raw.metafile, names),
    packages: [...packages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, owner]) => owner),
  };
}

/** Files with at least one byte in the output. */
function usedInputs({ outputs }: Metafile): readonly string[] {
  const entries = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return entries.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []));
}

/** Names of the modules that virtual.ts serves. */
function virtualName(path: string): string | undefined {
  const [, name] = /^virtual:pipewright[:/](.*)$/s.exec(path) ?? [];
  return name?.startsWith("config/") ? name.slice("config/".length) : name === undefined ? undefined : `pipewright/${name}.ts`;
}

function portableName(path: string, own: Package, find: FindPackage): { readonly name: string; readonly from?: Package } {
  const name = virtualName(path);
  if (name !== undefined) return { name };
  // esbuild writes `(disabled):` before a file that it replaces by an empty one.
  const [, prefix = "", file = path] = /^(\(\w+\):)?(.*)$/s.exec(path) ?? [];
  const absolute = resolve(own.folder, file);
  const from = find(absolute);
  if (from === undefined) return { name: path };
  const inside = relative(from.folder, absolute).split(sep).join("/");
  return from.folder === own.folder ? { name: `pipewright/${inside}` } : { name: `${prefix}${from.name}@${from.version}/${inside}`, from };
}

/**
 * Removes paths in the two places where an unminified bundle has them: the comment above a module, and the key of a module that runs at its
 * first use. Each pattern starts at its rarest character and looks back from there, because a bundle has several megabytes.
 */
function renameInCode(code: string, names: Names): string {
  const nameOf = (path: string): string | undefined => names.get(path)?.name;
  return code
    .replace(/\/\/ (?<=^\s*\/\/ )(.+)$/gm, (comment, path: string) => {
      const name = nameOf(path);
      return name === undefined ? comment : `// ${name}`;
    })
    .replace(/"(?<=^\s*(?:async )?")(.+)"(?=\([\w, ]*\) \{$)/gm, (key, path: string) => {
      const name = nameOf(path);
      return name === undefined ? key : JSON.stringify(name);
    });
}

/** Keeps the lines of configs and of our runtime; code of libraries is marked as unmapped, which makes the map ten times smaller. */
function renameInMap(json: string, names: Names, configurations: Iterable<string>): string {
  const map: { readonly sources: readonly string[]; readonly mappings: string } = JSON.parse(json);
  const ours = new Set([...configurations, ...[...names.values()].filter(({ library }) => !library).map(({ name }) => name)]);
  const origins = map.sources.map((source) => ownSource(source, names, ours));
  const sources = new Map<string, number>();
  const mappings = keptMappings(map.mappings, (source) => {
    const name = origins[source];
    return name === undefined ? undefined : indexIn(sources, name);
  });
  return visible(JSON.stringify({ version: 3, sources: [...sources.keys()], names: [], mappings }));
}

/** The index of a name; a new name gets the next index. */
function indexIn(places: Map<string, number>, name: string): number {
  const index = places.get(name);
  if (index !== undefined) return index;
  places.set(name, places.size);
  return places.size - 1;
}

/** The source, if it is ours. Libraries have source maps of their own, which name files that are not installed, so they are left out. */
function ownSource(source: string, names: Names, ours: ReadonlySet<string>): string | undefined {
  const name = names.get(source)?.name ?? source;
  return ours.has(name) ? name : undefined;
}

function renameInMetafile(metafile: Metafile, names: Names): Metafile {
  const rename = <V>(record: Readonly<Record<string, V>>): Record<string, V> =>
    Object.fromEntries(Object.entries(record).map(([path, value]) => [names.get(path)?.name ?? path, value]));
  const inputs = Object.entries(metafile.inputs).map(([path, input]) => {
    const imports = input.imports.map((item) => ({ ...item, path: names.get(item.path)?.name ?? item.path }));
    return [names.get(path)?.name ?? path, { ...input, imports }] as const;
  });
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => [path, { ...output, inputs: rename(output.inputs) }] as const);
  return { inputs: Object.fromEntries(inputs), outputs: Object.fromEntries(outputs) };
}
