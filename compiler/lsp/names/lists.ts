import { entriesOf, entry, get, items, type Node, scalarText } from "../../1-read/document.ts";
import { handleIn, handleOf } from "../../2-check/modules.ts";
import { outward, type Place } from "../../2-check/places.ts";
import type { SourceFile } from "../source-file.ts";

/** A list of actions around a place, and the loop or the interface that holds it. */
export interface ActionList {
  readonly list: Node;
  /** Names of the interface and of the loops on the way to the list: equal for equal places in two versions of a file. */
  readonly path: readonly string[];
}

/** The lists whose actions are visible at a place, the innermost first. */
export function listsAround(place: Place): readonly ActionList[] {
  const lists: ActionList[] = [];
  for (const each of outward(place)) {
    const { title } = each.form;
    if (title !== "Interface" && !(title === "Action" && isInside(place, each))) continue;
    const list = get(each.node, "actions");
    if (list !== undefined) lists.push({ list, path: pathOf(each) });
  }
  return lists;
}

/** True for a place in the list of the loop, not in other keys of the loop. */
function isInside(place: Place, loop: Place): boolean {
  for (const each of outward(place)) if (each.around === loop) return each.entry?.key === "actions";
  return false;
}

/** The names of the records around a list, the outermost first. */
function pathOf(holder: Place): readonly string[] {
  const names: string[] = [];
  for (const each of outward(holder)) {
    if (each.form.title === "Interface") names.unshift(each.entry?.key ?? "");
    if (each.form.title === "Action") names.unshift(scalarText(get(each.node, "name")) ?? "");
  }
  return names;
}

/** The modules of a project by their handles. */
export type Modules = ReadonlyMap<string, SourceFile>;

export const modulesOf = (files: readonly SourceFile[]): Modules =>
  new Map(files.flatMap((file) => (file.role === "module" ? [[handleOf(file.path.replaceAll("\\", "/")), file]] : [])));

/** The names of the actions of a list, also of actions from modules. */
export const namesIn = (list: Node, modules: Modules): readonly string[] =>
  items(list).flatMap((item) => scalarText(get(item.kind === "scalar" ? moduleOf(item, modules) : item, "name")) ?? []);

function moduleOf(item: Node, modules: Modules): Node | undefined {
  const handle = handleIn(scalarText(item) ?? "");
  const root = handle === undefined ? undefined : modules.get(handle)?.document?.root;
  return get(root, "spec") ?? root;
}

/** The interface that a place is in. */
export function interfaceAround(place: Place): Place | undefined {
  for (const each of outward(place)) if (each.form.title === "Interface") return each;
  return undefined;
}

/** The configuration that a place is in. */
export function rootAround(place: Place): Node {
  let root = place;
  for (const each of outward(place)) root = each;
  return root.node;
}

/** Templates of the interface around a place, which hide those of the configuration. */
export const ownTemplates = (place: Place): readonly string[] =>
  entriesOf(get(interfaceAround(place)?.node, "templates")).map(({ key }) => key);

export const globalKeys = (root: Node, key: string): readonly string[] => entriesOf(get(get(root, "global"), key)).map((one) => one.key);

export const hasTemplate = (place: Place, name: string): boolean =>
  entry(get(interfaceAround(place)?.node, "templates"), name) !== undefined;
