import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import type { FacadeName } from "#generated/facade.ts";
import type { PrintedModule } from "../6-print/index.ts";
import type { Bundle } from "../7-link/portable.ts";
import { present } from "../present.ts";
import { bundleGraph, packagesIn, reach, runtimeGraph } from "./graph.ts";
import { calledParts, cutParts, documentation, fileOfName, type Part } from "./parts.ts";

/** A part that is in a bundle. */
export interface Inside {
  readonly part: string;
  /** The size of all its files that not every service has. Files that two parts need count for both. */
  readonly bytes: number;
  readonly packages: readonly string[];
  /** The first place in the YAML of each configuration that needs it, or the flag that needs it. */
  readonly at: readonly string[];
}

/** A part that is not in the bundle, with the key of a configuration that would add it. */
export interface LeftOut {
  readonly part: string;
  readonly kind?: string;
  readonly written: string;
  readonly packages: readonly string[];
}

/** The explanation of the size of a bundle. */
export interface Why {
  readonly bytes: number;
  /** The part that every service has. */
  readonly always: { readonly bytes: number; readonly packages: readonly string[] };
  readonly inside: readonly Inside[];
  readonly outside: readonly LeftOut[];
}

/** The entry files of every service. */
const beginnings = ["runtime/process/program.ts", "runtime/process/stack.ts"];

/** Tells which parts of the runtime are in a bundle, what needs each of them, and which parts were left out. */
export async function why(modules: readonly PrintedModule[], { code, metafile, packages }: Bundle, hasDocument: boolean): Promise<Why> {
  const { graph, bytes } = bundleGraph(metafile);
  const whole = await runtimeGraph();
  const cuts = new Set([...cutParts.values(), documentation].map(({ file }) => file));
  const weigh = (files: Iterable<string>): number => [...files].reduce((sum, file) => sum + (bytes.get(file) ?? 0), 0);
  const always = reach(graph, beginnings, cuts);
  const alwaysOfWhole = reach(whole, beginnings, cuts);
  const parts = calledParts();
  // Packages of parts with their own line are listed there.
  const apart = [...cuts, ...[...parts.values()].filter(({ kind }) => kind === undefined).map(({ file }) => file)];
  const packagesOf = (file: string): readonly string[] =>
    packagesIn(reach(whole, [file], new Set([...alwaysOfWhole, ...apart.filter((each) => each !== file)])));
  const carried = new Set(packages.map(({ name }) => name));
  const inside = (part: string, file: string, at: readonly string[]): Inside => {
    return { part, bytes: weigh(reach(graph, [file], always)), packages: packagesOf(file).filter((name) => carried.has(name)), at };
  };
  const requests = askedFiles(modules);
  const cutsOf = [
    ...[...cutParts].map(([id, part]) => ({ part, at: modules.filter(({ uses }) => uses.parts.includes(id)).map(({ file }) => file) })),
    { part: documentation, at: hasDocument ? modules.filter(({ docs }) => docs !== undefined).map(({ file }) => file) : [] },
  ];
  const outside = [
    ...[...parts.values()].filter(({ file }) => !requests.has(file)),
    ...cutsOf.filter(({ at }) => at.length === 0).map(({ part }) => part),
  ];
  return {
    bytes: Buffer.byteLength(code),
    always: { bytes: weigh(always), packages: packagesIn(reach(whole, beginnings, cuts)) },
    inside: [
      ...[...requests].map(([file, { names, at }]) =>
        inside(parts.get(file)?.name ?? names.map((name) => `pw.${name}`).join(", "), file, at),
      ),
      ...cutsOf.filter(({ at }) => at.length > 0).map(({ part, at }) => inside(part.name, part.file, at)),
    ]
      .filter((each) => each.bytes > 0)
      .sort((a, b) => b.bytes - a.bytes || (a.part < b.part ? -1 : 1)),
    outside: outside.map((part) => outsideOf(part, packagesOf)),
  };
}

const outsideOf = ({ name, kind, written, file }: Part, packagesOf: (file: string) => readonly string[]): LeftOut => {
  return { part: name, ...present({ kind }), written, packages: packagesOf(file) };
};

/** The files of the functions that the modules call, with the places in the YAML that need each. */
function askedFiles(modules: readonly PrintedModule[]): ReadonlyMap<string, { readonly names: FacadeName[]; readonly at: string[] }> {
  const files = new Map<string, { names: FacadeName[]; at: string[] }>();
  for (const module of modules) {
    const map = new TraceMap(module.map);
    for (const [file, names] of Map.groupBy(module.runtime, fileOfName)) {
      const entry = files.get(file) ?? { names: [], at: [] };
      entry.names = [...new Set([...entry.names, ...names])];
      entry.at.push(placeOf(names, module, map));
      files.set(file, entry);
    }
  }
  return files;
}

/** The first place in the YAML from which a call of one of the functions comes; the file if the call does not come from a single line. */
function placeOf(names: readonly FacadeName[], { code, file }: PrintedModule, map: TraceMap): string {
  const call = new RegExp(`\\bpw\\.(?:${names.join("|")})\\b`);
  for (const [i, text] of code.split("\n").entries()) {
    const column = text.search(call);
    if (column === -1) continue;
    const { source, line, column: at } = originalPositionFor(map, { line: i + 1, column });
    if (source !== null) return `${source}:${line}:${at + 1}`;
  }
  return file;
}
