import { type Entry, entry, isNull, type MapNode, type Node } from "../1-read/document.ts";
import { shape } from "../diagnostics/codes/file.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { dereference, type Language } from "./schema.ts";

/**
 * Moves the keys of an interface into it, if they stand beside its name, or if the file holds nothing but the interface. This mistake is
 * reported once, and the keys are then checked as they were meant.
 */
export function indented(root: Node, { root: config, definitions }: Language, report: Report): Node {
  const interfaces = entry(root, "interfaces");
  const isKey = (key: string): boolean => Object.hasOwn(definitions.Interface?.properties ?? {}, key);
  if (root.kind !== "map") return root;
  if (interfaces === undefined)
    return wrapped(root, (key) => isKey(key) && !Object.hasOwn(dereference(config, definitions).properties ?? {}, key), report);
  if (interfaces.value.kind !== "map") return root;
  const value = withKeysInside(interfaces.value, isKey, report);
  return value === interfaces.value
    ? root
    : { ...root, entries: root.entries.map((one) => (one === interfaces ? { ...interfaces, value } : one)) };
}

/** The tree with an interface that takes the keys which only an interface has. */
function wrapped(root: MapNode, isKey: (key: string) => boolean, report: Report): Node {
  const keys = root.entries.filter(({ key }) => isKey(key));
  const [first] = keys;
  const isOne = keys.some(({ key }) => key === "actions") && !root.entries.some(({ key }) => nearest(key, ["interfaces"]) !== undefined);
  if (first === undefined || !isOne) return root;
  const hint = `indent '${keys.map(({ key }) => key).join("', '")}' below the name of an interface: interfaces: { NAME: { … } }`;
  report(shape.missingKey("interfaces", "Config", hint), first.keySpan);
  const { keySpan, value } = first;
  const map = (entries: readonly Entry[]): MapNode => ({ kind: "map", span: value.span, entries });
  const inside = map([{ key: "interface", keySpan, value: map(keys) }]);
  return { ...root, entries: [...root.entries.filter((one) => !keys.includes(one)), { key: "interfaces", keySpan, value: inside }] };
}

function withKeysInside(node: MapNode, isKey: (key: string) => boolean, report: Report): MapNode {
  const entries: Entry[] = [];
  for (let at = 0; at < node.entries.length; at++) {
    const name = node.entries[at];
    if (name === undefined) break;
    const run = isNull(name.value) && !isKey(name.key) ? keysFrom(node.entries.slice(at + 1), isKey) : [];
    const [first, last] = [run[0], run.at(-1)];
    if (first === undefined || last === undefined) {
      entries.push(name);
      continue;
    }
    report(
      shape.flatKeys(
        name.key,
        run.map(({ key }) => key),
      ),
      first.keySpan,
    );
    const span = { ...name.value.span, start: first.keySpan.start, end: last.value.span.end };
    entries.push({ ...name, value: { kind: "map", span, entries: run } });
    at += run.length;
  }
  return entries.length === node.entries.length ? node : { ...node, entries };
}

/** The keys of an interface at the begin of the entries; none where all of the entries could be interfaces. */
function keysFrom(entries: readonly Entry[], isKey: (key: string) => boolean): readonly Entry[] {
  const isInterface = ({ value }: Entry): boolean => value.kind === "map" && value.entries.some(({ key }) => isKey(key));
  const end = entries.findIndex((one) => !isKey(one.key) || isInterface(one));
  const run = end < 0 ? entries : entries.slice(0, end);
  return run.some(({ value }) => value.kind !== "map" && !isNull(value)) ? run : [];
}
