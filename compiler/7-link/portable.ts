import { relative, resolve, sep } from "node:path";
import type { Metafile } from "esbuild";
import { visible } from "#runtime/value/visible.ts";
import { keptMappings } from "./mappings.ts";
import { type FindPackage, type Package, packageFinder } from "./root.ts";

export interface Bundle {
  readonly code: string;
  /** Leads from the bundle to the YAML and to our runtime; names sources, carries none. */
  readonly map: string;
  readonly metafile: Metafile;
  /** Packages with at least one byte inside, those of its threads included, sorted. */
  readonly packages: readonly Package[];
}

type Raw = Pick<Bundle, "code" | "map" | "metafile">;

/** The name of a file in the output, and whether it belongs to somebody else. */
interface Named {
  readonly name: string;
  readonly library: boolean;
}

/** The files of a bundle besides its modules: the YAML files that its map may name, and those that stand in it as the text of a thread. */
interface Parts {
  readonly configurations: Iterable<string>;
  readonly workers: readonly Metafile[];
}

type Names = ReadonlyMap<string, Named>;

/**
 * Takes the layout of this machine's folders out of a bundle: `../../node_modules/fastify/lib/route.js` becomes
 * `fastify@5.12.8/lib/route.js` in comments, wrapper keys, source map and metafile. Lines stay lines, so the map stays true.
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
  // `(disabled):` precedes a file that esbuild replaces by an empty one.
  const [, prefix = "", file = path] = /^(\(\w+\):)?(.*)$/s.exec(path) ?? [];
  const absolute = resolve(own.folder, file);
  const from = find(absolute);
  if (from === undefined) return { name: path };
  const inside = relative(from.folder, absolute).split(sep).join("/");
  return from.folder === own.folder ? { name: `pipewright/${inside}` } : { name: `${prefix}${from.name}@${from.version}/${inside}`, from };
}

/**
 * Removes paths in the two places where an unminified bundle has them: the comment above a module, and the key of a module that runs late.
 * Each pattern starts at its rarest character and looks back from there, because a bundle has megabytes.
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

/** Keeps the lines of configs and of our runtime; a library's region is marked as unmapped, which leaves a tenth of the map. */
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

/** The place of a name, which is the next one when it is new. */
function indexIn(places: Map<string, number>, name: string): number {
  const index = places.get(name);
  if (index !== undefined) return index;
  places.set(name, places.size);
  return places.size - 1;
}

/** Libraries bring maps of their own, to files that nobody has: only our own files are known by name. */
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
