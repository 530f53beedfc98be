import { relative, resolve, sep } from "node:path";
import { addSegment, GenMapping, toEncodedMap } from "@jridgewell/gen-mapping";
import { decodedMappings, TraceMap } from "@jridgewell/trace-mapping";
import type { Metafile } from "esbuild";
import type { Bundle } from "./bundle.ts";
import { type FindPackage, type Package, packageFinder } from "./root.ts";

type Raw = Pick<Bundle, "code" | "map" | "metafile">;

/** What a file is called in the output, and whether it is somebody else's. */
interface Named {
  readonly name: string;
  readonly library: boolean;
}

type Names = ReadonlyMap<string, Named>;

/**
 * Takes the layout of this machine's folders out of a bundle: `../../node_modules/fastify/lib/route.js` becomes `fastify@5.12.8/lib/route.js`
 * in comments, wrapper keys, source map and metafile. Lines stay lines, so the map stays true. `configurations` are the YAML files it may name.
 */
export function portable(raw: Raw, own: Package, configurations: Iterable<string>): Bundle {
  const packages = new Map<string, Package>();
  const find = packageFinder();
  const names = new Map<string, Named>();
  const used = usedInputs(raw.metafile);
  for (const path of Object.keys(raw.metafile.inputs)) {
    const { name, from } = portableName(path, own, find);
    names.set(path, { name, library: from !== undefined });
    if (from !== undefined && used.has(path)) packages.set(`${from.name}@${from.version}`, from);
  }
  return {
    code: renameInCode(raw.code, names),
    map: renameInMap(raw.map, names, configurations),
    metafile: renameInMetafile(raw.metafile, names),
    packages: [...packages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, found]) => found),
  };
}

function usedInputs(metafile: Metafile): ReadonlySet<string> {
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return new Set(used.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path));
}

/** Names of the modules that virtual.ts serves. */
function virtualName(path: string): string | undefined {
  const [, name] = /^virtual:pipewright:(.*)$/s.exec(path) ?? [];
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

/** Paths stand in two places of an unminified bundle: the comment above a module, and the key of a lazily run one. */
function renameInCode(code: string, names: Names): string {
  return code
    .replace(/^(\s*\/\/ )(.+)$/gm, (line, lead: string, path: string) => {
      const name = names.get(path)?.name;
      return name === undefined ? line : `${lead}${name}`;
    })
    .replace(/^(\s*(?:async )?)"(.+)"(\([\w, ]*\) \{)$/gm, (line, lead: string, path: string, rest: string) => {
      const name = names.get(path)?.name;
      return name === undefined ? line : `${lead}${JSON.stringify(name)}${rest}`;
    });
}

/** Keeps the lines of configs and of our runtime; a library's region is marked as unmapped, which leaves a tenth of the map. */
function renameInMap(json: string, names: Names, configurations: Iterable<string>): string {
  const map = new TraceMap(json);
  const out = new GenMapping();
  const ours = new Set([...configurations, ...[...names.values()].filter(({ library }) => !library).map(({ name }) => name)]);
  const sources = map.sources.map((source) => ownSource(source ?? "", names, ours));
  let mapped = false;
  decodedMappings(map).forEach((segments, line) => {
    for (const [column, source, sourceLine, sourceColumn] of segments) {
      const name = source === undefined ? undefined : sources[source];
      if (name !== undefined && sourceLine !== undefined && sourceColumn !== undefined)
        addSegment(out, line, column, name, sourceLine, sourceColumn);
      else if (mapped) addSegment(out, line, column);
      mapped = name !== undefined;
    }
  });
  const encoded = toEncodedMap(out);
  return JSON.stringify({ version: 3, sources: encoded.sources, names: encoded.names, mappings: encoded.mappings });
}

/** Libraries bring maps of their own, to files that nobody has: only what is ours is known by name. */
function ownSource(source: string, names: Names, ours: ReadonlySet<string>): string | undefined {
  const name = names.get(source)?.name ?? source;
  return ours.has(name) ? name : undefined;
}

function renameInMetafile(metafile: Metafile, names: Names): Metafile {
  const rename = <V>(record: Readonly<Record<string, V>>): Record<string, V> =>
    Object.fromEntries(Object.entries(record).map(([path, value]) => [names.get(path)?.name ?? path, value]));
  const inputs = Object.entries(metafile.inputs).map(([path, input]) => {
    const imports = input.imports.map((found) => ({ ...found, path: names.get(found.path)?.name ?? found.path }));
    return [names.get(path)?.name ?? path, { ...input, imports }] as const;
  });
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => [path, { ...output, inputs: rename(output.inputs) }] as const);
  return { inputs: Object.fromEntries(inputs), outputs: Object.fromEntries(outputs) };
}
