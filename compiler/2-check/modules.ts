import type { Span } from "#runtime/plan/index.ts";
import { type Document, type Entry, entriesOf, entry, get, type Node, scalarText } from "../1-read/document.ts";
import { config as codes, shape } from "../diagnostics/codes/file.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";

/** Kinds of places in which a module may stand. */
export const slotNames = ["Database", "Assert", "Action", "NetworkPolicy"] as const;
export type Slot = (typeof slotNames)[number];

/** A value that configs share. Without a type it takes the type of the slot where it is used. */
export interface Module {
  readonly file: string;
  readonly type: string | undefined;
  /** Undefined where the file has mistakes that were reported. */
  readonly spec: Node | undefined;
}

/**
 * The module of a handle, which is the stem of its file. For an unknown handle it gives the handle that was probably meant, if there is
 * one.
 */
export type FindModule = (handle: string) => Module | string | undefined;

/** The name of a file without its folders and its extension. */
export const handleOf = (file: string): string => file.slice(file.lastIndexOf("/") + 1).replace(/(?<=.)\.[^.]*$/s, "");

/**
 * Reads `{type, spec}`, or the bare spec, of each file; a handle that two files have is PW143, a module inside a module PW144. `unread` are
 * modules that are no YAML, which was already reported.
 */
export function gatherModules(documents: readonly Document[], report: Report, unread: readonly string[] = []): FindModule {
  const modules = new Map<string, Module>(unread.map((file) => [handleOf(file), { file, type: undefined, spec: undefined }]));
  for (const document of documents) {
    const { file, root } = document;
    const handle = handleOf(file);
    const nested = find(root, (text) => mention.test(text));
    if (nested !== undefined) report(codes.nestedModule(), nested.span);
    if (modules.has(handle)) report(codes.moduleTwice(handle), { file, start: 0, end: 0 });
    else modules.set(handle, moduleIn(document, report));
  }
  return (handle) => modules.get(handle) ?? nearest(handle, [...modules.keys()]);
}

/** No slot has the key `spec`: a file with it, or with the name of a slot as its `type`, is meant to be `{type, spec}`. */
function moduleIn({ file, root }: Document, report: Report): Module {
  const type = scalarText(get(root, "type"));
  const [typeEntry, specEntry] = [entry(root, "type"), entry(root, "spec")];
  if (specEntry === undefined && !slotNames.some((slot) => slot === type)) return { file, type: undefined, spec: root };
  const missing = ["type", "spec"].filter((key) => entry(root, key) === undefined);
  for (const { key, keySpan } of entriesOf(root))
    if (key !== "type" && key !== "spec" && !key.startsWith("x-")) report(shape.unknownKey(key, "Module", nearest(key, missing)), keySpan);
  const spec = get(root, "spec");
  const place = (specEntry ?? typeEntry)?.keySpan ?? root.span;
  if (type === undefined) report(shape.missingKey("type", "Module"), place);
  if (spec === undefined) report(shape.missingKey("spec", "Module"), place);
  return { file, type, spec };
}

/** Handles that a config names: a file beside it that is not a configuration is then taken for the module. */
export const namedModules = (root: Node): ReadonlySet<string> => new Set(moduleMarkers(root).map(({ handle }) => handle));

/** The values of a tree that are module markers. */
export function moduleMarkers(root: Node): readonly { readonly handle: string; readonly at: Span }[] {
  const markers: { readonly handle: string; readonly at: Span }[] = [];
  find(root, (text, at) => {
    const handle = handleIn(text);
    if (handle !== undefined) markers.push({ handle, at });
    return false;
  });
  return markers;
}

const wholeMarker = /^\s*a\|\s*module\s*::\s*([^|\s]+)\s*\|\s*$/;

/** The handle of a text that is a module marker as a whole. */
export const handleIn = (text: string): string | undefined => wholeMarker.exec(text)?.[1];

const mention = /(?<![A-Za-z0-9_\\])a\|\s*module\s*::/;

/** True when a value has a module marker. `splice` has reported each module marker that is left in the tree. */
export const mentionsModule = (node: Node): boolean => mention.test(scalarText(node) ?? "");

/**
 * Replaces each module marker by the module's spec, before anything else is interpreted. A marker without a module stays and is reported.
 */
export function splice(root: Node, moduleOf: FindModule, report: Report): Node {
  return find(root, (text) => mention.test(text)) === undefined ? root : spliced(root, "config", { moduleOf, report });
}

interface Around {
  readonly moduleOf: FindModule;
  readonly report: Report;
}

/** The role of a node: a slot for a module, a record on the way to one, or anything else. */
type ModulePlace = Slot | "config" | "global" | "databases" | "interfaces" | "interface" | "actions" | "other";

/** The roles of the members of a place, by key; `*` is any other key or item. */
const members: Readonly<Record<ModulePlace, Readonly<Record<string, ModulePlace>>>> = {
  config: { global: "global", interfaces: "interfaces", interface: "interfaces", network: "NetworkPolicy" },
  global: { databases: "databases" },
  databases: { "*": "Database" },
  interfaces: { "*": "interface" },
  interface: { actions: "actions", assert: "Assert", network: "NetworkPolicy" },
  actions: { "*": "Action" },
  Action: { actions: "actions", assert: "Assert", run_on_assertion: "Assert" },
  Database: {},
  Assert: {},
  NetworkPolicy: {},
  other: {},
};

const slots: ReadonlySet<ModulePlace> = new Set<ModulePlace>(slotNames);
const isSlot = (place: ModulePlace): place is Slot => slots.has(place);

function spliced(node: Node, place: ModulePlace, around: Around): Node {
  const inside = (key: string): ModulePlace => (Object.hasOwn(members[place], key) ? members[place][key] : members[place]["*"]) ?? "other";
  switch (node.kind) {
    case "scalar":
      return typeof node.value === "string" && mention.test(node.value) ? replaced(node, node.value, place, around) : node;
    case "list":
      return { ...node, items: node.items.map((item) => spliced(item, inside("*"), around)) };
    case "map":
      return { ...node, entries: node.entries.map((one): Entry => ({ ...one, value: spliced(one.value, inside(one.key), around) })) };
  }
}

function replaced(node: Node, text: string, place: ModulePlace, { moduleOf, report }: Around): Node {
  const handle = handleIn(text);
  if (handle === undefined || !isSlot(place)) {
    report(codes.modulePlace(), node.span);
    return node;
  }
  const module = moduleOf(handle);
  if (module === undefined || typeof module === "string") {
    report(codes.unknownModule(handle, module), node.span);
    return node;
  }
  if (module.spec === undefined) return node;
  if (module.type !== undefined && module.type !== place) {
    report(codes.moduleType(handle, module.type, place), node.span);
    return node;
  }
  return module.spec;
}

/** The first scalar text that fits. */
function find(node: Node, fits: (text: string, at: Span) => boolean): Node | undefined {
  if (node.kind === "scalar") return typeof node.value === "string" && fits(node.value, node.span) ? node : undefined;
  const values = node.kind === "list" ? node.items : node.entries.map(({ value }) => value);
  for (const value of values) {
    const match = find(value, fits);
    if (match !== undefined) return match;
  }
  return undefined;
}

/** A file with `interfaces` is a configuration. */
export const hasInterfaces = (root: Node): boolean => entry(root, "interfaces") !== undefined || entry(root, "interface") !== undefined;
