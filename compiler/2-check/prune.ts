import type { JsonSchema } from "#runtime/features/feature.ts";
import { type Entry, entriesOf, entry, isNull, type ListNode, type MapNode, type Node } from "../1-read/document.ts";
import type { Corrections } from "./explain.ts";
import { meant, member } from "./forms.ts";
import { escaped } from "./place.ts";
import { dereference, type Language } from "./schema.ts";

/** Records that keep their place when a part of them is dropped, because other parts of the file name them. */
const lasting: ReadonlySet<string> = new Set(["Config", "Interface", "Action", "Database"]);

/** Gates: without its gate an action would wait for all actions before it, which could look like another mistake. */
const gates: ReadonlySet<string> = new Set(["run_when_succeeded", "run_when_failed", "depends_on", "run_when_finished"]);

/**
 * Keys for the name of an action, its database and its query, and the list of a loop. Without one of them a second mistake would be
 * reported for the action.
 */
const essential: ReadonlySet<string> = new Set([
  "query",
  "params",
  "document_operation",
  "driver",
  "database",
  "lookup",
  "actions",
  "name",
]);

/** Keys that say how an interface is reached: without them it would have another route or topic, which may belong to another interface. */
const reached: ReadonlySet<string> = new Set(["output", "method", "route", "schedule", "mcp", "mqtt", "ws"]);

/** Records that do nothing until they are switched on: a mistake in the switch says nothing about what was meant. */
const isSwitched = ({ title }: JsonSchema): boolean => title === "Schedule" || title === "McpTool";

const isAsked = (key: string, { title, keepsKeys }: JsonSchema): boolean =>
  keepsKeys === true || (essential.has(key) && title === "Action");

/**
 * The tree without its mistakes, without keys that start with `x-`, and without optional keys that are null. A record that lacks a required
 * part is removed, too, unless other records name it: then only the part is missing. Names of a free map keep their entry with a null
 * value, and so do keys that say how an interface is reached.
 */
export function prune(root: Node, { root: config, definitions }: Language, corrections: Corrections): Node {
  const clean = corrections.dropped.size === 0;

  /** The part of a node that is kept. `strict` is true inside a record that is either kept as a whole or removed. */
  function pruned(node: Node, schema: JsonSchema, pointer: string, strict: boolean): Node | undefined {
    if (corrections.dropped.has(pointer)) return undefined;
    if (node.kind === "scalar") return node;
    const form = meant(schema, node, definitions);
    if (node.kind === "list") return list(node, form, pointer, strict);
    if (form.properties !== undefined) return record(node, form, pointer, strict || form.whole === true);
    return typeof form.additionalProperties === "object" ? names(node, form, pointer, strict) : node;
  }

  function list(node: ListNode, { items }: JsonSchema, pointer: string, strict: boolean): Node | undefined {
    if (items === undefined) return node;
    // The transforms of a nested list are kept or dropped one by one, like the transforms of an action.
    const isWhole = strict && dereference(items, definitions).title !== "Transform";
    const left = node.items.flatMap((item, i) => pruned(item, items, below(pointer, String(i)), isWhole) ?? []);
    return isWhole && left.length < node.items.length ? undefined : { ...node, items: left };
  }

  function names(node: MapNode, form: JsonSchema, pointer: string, strict: boolean): Node | undefined {
    const entries: Entry[] = [];
    for (const item of node.entries) {
      const value = pruned(item.value, member(form, item.key), below(pointer, item.key), strict);
      // A mistake in a field behind one path does not affect the field behind another path.
      if (value === undefined && form.keys === "path") continue;
      if (value === undefined && strict) return undefined;
      entries.push({ ...item, value: value ?? nothing(item) });
    }
    return { ...node, entries };
  }

  function record(node: MapNode, form: JsonSchema, pointer: string, strict: boolean): Node | undefined {
    const stays = lasting.has(form.title ?? "");
    const entries: Entry[] = [];
    for (const item of node.entries) {
      const path = below(pointer, item.key);
      const isAbsent = isNull(item.value) && !isValue(item.key, form) && !corrections.dropped.has(path);
      if (isNote(item.key, form) || isAbsent) continue;
      const value = pruned(item.value, member(form, item.key), path, strict);
      if (value !== undefined) entries.push({ ...item, value });
      else if (strict || (form.required?.includes(item.key) && !stays)) return undefined;
      else entries.push(...standIn(item, corrections.meant.get(path) ?? item.key, form, node));
    }
    return { ...node, entries };
  }

  /** A tree without mistakes needs no pointers, so none are built for it. */
  const below = (pointer: string, key: string): string => (clean ? "" : `${pointer}/${escaped(key)}`);

  const tree = pruned(root, config, "", false) ?? { kind: "map", span: root.span, entries: [] };
  return clean ? tree : withNames(tree, root, corrections.dropped, definitions.Global);
}

/**
 * Names that were declared beside `global` in place of in it, or in a list in place of a map, are known to the rest of the file, without
 * their values.
 */
function withNames(tree: Node, root: Node, dropped: ReadonlySet<string>, { properties = {} }: JsonSchema = {}): Node {
  const lostIn = (node: Node | undefined, pointer: string): readonly Entry[] =>
    entriesOf(node).filter(
      ({ key }) => dropped.has(`${pointer}/${key}`) && Object.hasOwn(properties, key) && isNamed(properties[key] ?? {}),
    );
  const lost = [...lostIn(root, ""), ...lostIn(entry(root, "global")?.value, "/global")];
  const [first] = lost;
  if (tree.kind !== "map" || first === undefined) return tree;
  const global = entry(tree, "global");
  const all = new Map(entriesOf(global?.value).map((one) => [one.key, one]));
  for (const one of lost) {
    const there = entriesOf(all.get(one.key)?.value);
    const names = namesIn(one.value).filter(({ key }) => !there.some((name) => name.key === key));
    const entries = [...there, ...names.map((name) => ({ ...name, value: nothing(name) }))];
    all.set(one.key, { ...one, value: mapOf(entries, one) });
  }
  const rest = tree.entries.filter((one) => one !== global);
  return { ...tree, entries: [...rest, { ...first, key: "global", value: mapOf([...all.values()], first) }] };
}

const isNamed = ({ additionalProperties }: JsonSchema): boolean => typeof additionalProperties === "object";

/** The names that a map has as keys; in a list, the value of `name` of each item, or its only key. */
function namesIn(node: Node): readonly Entry[] {
  if (node.kind !== "list") return entriesOf(node);
  return node.items.flatMap((item) => {
    const name = entry(item, "name");
    if (name?.value.kind === "scalar" && typeof name.value.value === "string") return [{ ...name, key: name.value.value }];
    const [only, ...others] = entriesOf(item);
    return only === undefined || others.length > 0 ? [] : [only];
  });
}

const mapOf = (entries: readonly Entry[], { value }: Entry): MapNode => ({ kind: "map", span: value.span, entries });

/**
 * The entry that replaces an entry whose value was dropped, where a missing key would look like another mistake. `key` is the key that was
 * meant.
 */
function standIn(item: Entry, key: string, form: JsonSchema, node: MapNode): readonly Entry[] {
  if (gates.has(item.key) && form.title === "Action") return [{ ...item, value: { kind: "list", span: item.value.span, items: [] } }];
  // Other parts name the action by it.
  if (key === "name" && item.key !== key && form.title === "Action") return [{ ...item, key }];
  const other = loopHalves[key];
  const isHalf = key !== item.key && other !== undefined && entry(node, other) === undefined;
  if (isAsked(key, form) && !isHalf) return [{ ...item, key, value: nothing(item) }];
  const isReached = form.title === "Interface" && reached.has(key);
  return isReached || (isSwitched(form) && key === "enabled") ? [{ ...item, key, value: nothing(item) }] : [];
}

/** The two keys of a loop: one that was meant by another word is only missed beside the other one. */
const loopHalves: Readonly<Record<string, string>> = { lookup: "actions", actions: "lookup" };

const isNote = (key: string, { properties }: JsonSchema): boolean => key.startsWith("x-") && !Object.hasOwn(properties ?? {}, key);

/** True where null is a value: an operand to compare with (spec/language 6.4), or a value that the field is made for. */
const isValue = (key: string, { title, properties }: JsonSchema): boolean =>
  (title === "Test" && (key === "is_equal_to" || key === "is_not_equal_to")) || properties?.[key]?.keepsNull === true;

const nothing = ({ value }: Entry): Node => ({ kind: "scalar", span: value.span, value: null, block: false, source: "" });
