import type { Entry, MapNode, Node, ScalarNode } from "../1-read/document.ts";
import { shape } from "../diagnostics/codes/file.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { keys as otherKeys } from "../other-tools/keys.ts";
import { change, each } from "./rewrite.ts";
import type { Language } from "./schema.ts";

/**
 * The tree in which an action that was written as the value of its name, `- Users: { http: … }`, or beside it, gets a `name`. One mistake
 * is reported, and the keys of the action are checked where they were meant to be.
 */
export function named(root: Node, { definitions }: Language, report: Report): Node {
  const keys = Object.keys(definitions.Action?.properties ?? {});
  const isKey = (key: string): boolean => keys.includes(key);
  const isName = ({ key, value }: Entry): boolean => {
    const near = nearest(key, keys);
    const isKnown = near !== undefined && (near !== "name" || value.kind !== "map");
    return /^[A-Za-z_][\w-]*$/.test(key) && !isKnown && otherKeys.get("Action")?.has(key) !== true;
  };

  const withName = (action: Node): Node => {
    if (action.kind !== "map") return action;
    const unknown = action.entries.filter(({ key }) => !isKey(key) && !key.startsWith("x-"));
    const [only, second] = unknown;
    const inside = only === undefined || second !== undefined ? undefined : keysOf(only, action, isKey);
    if (only === undefined || inside === undefined || !isName(only)) return change(action, "actions", inList);
    report(shape.unknownKey(only.key, "Action", undefined, hint(only.key)), only.keySpan);
    const entries = action.entries.flatMap((one) => (one === only ? [nameOf(only), ...inside] : [one]));
    return change({ ...action, entries }, "actions", inList);
  };

  const inList = (list: Node): Node => (list.kind === "list" ? each(list, withName) : list);
  return change(root, "interfaces", (interfaces) => each(interfaces, (one) => change(one, "actions", inList)));
}

const hint = (name: string): string => `write 'name: ${name}', and the keys of the action beside it`;

/** The keys that stand below the name; empty where the keys stand beside it. Undefined for an entry that is no name. */
function keysOf({ value }: Entry, { entries }: MapNode, isKey: (key: string) => boolean): readonly Entry[] | undefined {
  if (entries.some(({ key }) => key === "name")) return undefined;
  if (value.kind === "scalar") return value.value === null ? [] : undefined;
  if (value.kind === "list") return undefined;
  const isAction = value.entries.some(({ key }) => isKey(key)) && !value.entries.some(({ key }) => key === "name");
  const isTwice = value.entries.some(({ key }) => entries.some((other) => other.key === key));
  return isAction && !isTwice ? value.entries : undefined;
}

function nameOf({ key, keySpan }: Entry): Entry {
  const value: ScalarNode = { kind: "scalar", span: keySpan, value: key, block: false, source: key };
  return { key: "name", keySpan, value };
}
