import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { transforms } from "#generated/features.ts";
import { isObject, type Json, type JsonObject, own } from "#runtime/value/json.ts";
import { planned, printOne } from "../harness/compile.ts";
import { fixturesOf, parseYaml, readFixture } from "../harness/folders.ts";
import { type Hunk, lineDiff } from "../harness/rules/line-diff.ts";
import { sampled } from "../harness/rules/words.ts";

// Law `local`: an edit of the config changes only the matching lines of the printed module and at most one import, so that a review shows
// the change.

/** An edit of the actions of one interface; undefined when the interface has no place for it. */
type Edit = (actions: readonly JsonObject[]) => JsonObject[] | undefined;

const added = { name: "AddedHere", input: "a|body::added|" };

/** The edits, each with the largest number of added lines: an action is a block of any length, a transform or a test is one line. */
const edits: Readonly<Record<string, { readonly edit: Edit; readonly lines: number }>> = {
  "an action at the end": { edit: atTheEnd, lines: Number.POSITIVE_INFINITY },
  "an action in front": { edit: inFront, lines: Number.POSITIVE_INFINITY },
  "a transform after others": { edit: afterOthers, lines: 1 },
  "a test after others": { edit: (actions) => inLastAssert(actions, { name: "added", is_null: false }), lines: 1 },
};

/** The parsed configurations of the fixtures, shared by all edits. */
const configs = new Map<string, JsonObject>();

function configOf(fixture: string): JsonObject {
  const config = configs.get(fixture) ?? (parseYaml(readFixture("interfaces", fixture, "config.yaml")) as JsonObject); // every config is a map
  configs.set(fixture, config);
  return config;
}

describe.each(Object.entries(edits))("%s", (name, { edit, lines }) => {
  const places = fixturesOf("interfaces").flatMap((fixture) => placesOf(fixture, edit));

  test("has places in several fixtures", () => {
    expect(new Set(places.map(({ fixture }) => fixture)).size).toBeGreaterThan(4);
  });

  const some = sampled(
    places.map(({ fixture }) => fixture),
    6,
  );
  test.each(places.filter(({ fixture }) => some.includes(fixture)))(`${name}: $fixture $target`, async ({ before, after }) => {
    const hunks = lineDiff(await textOf(before), await textOf(after));
    const imports = hunks.filter(isImport);
    const [own, ...others] = hunks.filter((hunk) => !isImport(hunk) && !isPlans(hunk));
    expect(imports.length).toBeLessThanOrEqual(1);
    expect(others).toEqual([]);
    expect(own?.removed).toEqual([]);
    expect(own?.added.length).toBeLessThanOrEqual(lines);
  });
});

/** True for one added import line, or one that has a further name. */
const isImport = ({ removed, added }: Hunk): boolean =>
  removed.length <= 1 && added.length === 1 && [...removed, ...added].every((line) => line.startsWith("import "));

/** True for the line with the plan hashes of a durable interface, which every edit changes. */
const isPlans = ({ removed, added }: Hunk): boolean => [...removed, ...added].every((line) => line.startsWith("    plans: ["));

interface Place {
  readonly fixture: string;
  readonly target: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** The interfaces of a fixture that the edit can change. Walked interfaces are left out, because their module holds the plan as data. */
function placesOf(fixture: string, edit: Edit): readonly Place[] {
  const before = configOf(fixture);
  const interfaces = isObject(before.interfaces) ? before.interfaces : {};
  return Object.entries(interfaces).flatMap(([target, record]): Place[] => {
    if (!isObject(record) || record.disable_fastpath === true || !Array.isArray(record.actions) || record.actions.length === 0) return [];
    // Tests of the interface read the data of its last action, so that a new last action changes how they are printed.
    if (record.assert !== undefined && edit === atTheEnd) return [];
    const actions = edit(record.actions.filter(isObject));
    return actions === undefined
      ? []
      : [{ fixture, target, before, after: { ...before, interfaces: { ...interfaces, [target]: { ...record, actions } } } }];
  });
}

function atTheEnd(actions: readonly JsonObject[]): JsonObject[] {
  return [...actions, added];
}

/** Adds an action in front. This is impossible when the first action has a guard, because the guard would then refer to the new action. */
function inFront(actions: readonly JsonObject[]): JsonObject[] | undefined {
  return actions[0]?.run_on_assertion === undefined ? [added, ...actions] : undefined;
}

/**
 * Appends a transform that has a line of its own. Two cases are avoided because other lines would change: transforms that are printed as
 * one loop (compiler/6-print/rows.ts), and a last transform whose result is returned at once, because before a further transform it is kept
 * in a constant.
 */
function afterOthers(actions: readonly JsonObject[]): JsonObject[] | undefined {
  const isKind = (item: Json | undefined, fact: "edit" | "async"): boolean =>
    isObject(item) && Object.keys(item).some((use) => fact in (own(transforms, use) ?? {}));
  const isLoop = (list: readonly Json[]): boolean =>
    list.every((item) => isKind(item, "edit") || (isObject(item) && own(item, "filter") !== undefined));
  const isKept = (list: Json | undefined): boolean =>
    Array.isArray(list) && list.length > 1 && !isLoop(list) && !isKind(list.at(-1), "edit") && !isKind(list.at(-1), "async");
  const kept = actions.findLastIndex(({ post_transforms }) => isKept(post_transforms));
  return kept < 0
    ? undefined
    : inLast(actions.slice(0, kept + 1), "post_transforms", { remove_keys: ["added"] })?.concat(actions.slice(kept + 1));
}

/** Appends to a list of the last action that has one. */
function inLast(actions: readonly JsonObject[], key: string, item: Json): JsonObject[] | undefined {
  const index = actions.findLastIndex((action) => Array.isArray(action[key]));
  const list = actions[index]?.[key];
  return Array.isArray(list) ? replaced(actions, index, { [key]: [...list, item] }) : undefined;
}

function inLastAssert(actions: readonly JsonObject[], item: Json): JsonObject[] | undefined {
  const index = actions.findLastIndex(({ assert }) => isObject(assert) && Array.isArray(assert.tests));
  const assert = actions[index]?.assert;
  if (!isObject(assert) || !Array.isArray(assert.tests)) return undefined;
  return replaced(actions, index, { assert: { ...assert, tests: [...assert.tests, item] } });
}

const replaced = (actions: readonly JsonObject[], index: number, part: JsonObject): JsonObject[] =>
  actions.map((action, i) => (i === index ? { ...action, ...part } : action));

/**
 * The module without the parts that depend on the whole config: the lines of the YAML in which interfaces begin; the types of input and
 * output; and the line that names all actions when they start in another order. Each of these depends on all tests or actions.
 */
async function textOf(config: JsonObject): Promise<string> {
  const text = stringify(config, { aliasDuplicateObjects: false });
  const code = printed.get(text) ?? (await printOne(planned(text))).code;
  printed.set(text, code);
  return code
    .replace(/^export (?:interface|type) \w+(?:Input|Output)\b(?: = .*;|[\s\S]*?^(?:\}|.*;))\n\n/gm, "")
    .replace(/^\/\*\* .*:\d+ (?=interfaces\.)/gm, "/** ")
    .replace(/^\n {4}\/\/ .*\n {4}cx\.writtenOrder\(.*\n/gm, "");
}

/** Printed modules by the text of their configuration: the places of a fixture share the module before the edit. */
const printed = new Map<string, string>();
