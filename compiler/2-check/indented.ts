import { type Entry, entry, type MapNode, type Node } from "../1-read/document.ts";
import { shape } from "../diagnostics/codes/file.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import type { Language } from "./schema.ts";

/**
 * The tree in which keys of an interface are moved into the interface, when they were only indented as far as its name. One mistake is
 * reported, and these keys are checked where they were meant to be.
 */
export function indented(root: Node, { definitions }: Language, report: Report): Node {
  const interfaces = entry(root, "interfaces");
  if (root.kind !== "map" || interfaces?.value.kind !== "map") return root;
  const isKey = (key: string): boolean => Object.hasOwn(definitions.Interface?.properties ?? {}, key);
  const value = withKeysInside(interfaces.value, isKey, report);
  return value === interfaces.value
    ? root
    : { ...root, entries: root.entries.map((one) => (one === interfaces ? { ...interfaces, value } : one)) };
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

const isNull = (node: Node): boolean => node.kind === "scalar" && node.value === null;
