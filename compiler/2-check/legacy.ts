import type { Span } from "#runtime/plan/index.ts";
import { type Entry, entry, isNull, type MapNode, type Node } from "../1-read/document.ts";
import { shape } from "../diagnostics/codes/file.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { change, each, replace } from "./rewrite.ts";

/** Keys that `modernize` knows, by record, with their modern spelling. The published schema lists them. */
export const legacyKeys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Config: { metrics_enabled: "Write expose_metrics.", interface: "Write interfaces." },
  Interface: {
    request_example: "Write accepts.example.",
    response_example: "Write produces.example.",
    tests: "Write assert.tests.",
    input: "No effect.",
    url: "No effect.",
    conn_string: "No effect.",
    query: "No effect.",
    data_metrics: "No effect.",
  },
  Action: {
    action: "Write name.",
    url: "Write http.url.",
    data_hide: "Write hide_data_on_success, hide_data_on_error, hide_data_on_empty.",
    data_metrics: "No effect.",
    output: "No effect.",
    log: "No effect: write pre_log, post_log, success_log, error_log or retry_log.",
  },
  Http: { multipart_form: "Write multipart.", multipart_files: "Write multipart." },
  Test: { bcrypt_verify: "Write verify_bcrypt." },
};

/**
 * Rewrites a configuration in older spellings to the modern ones, with a warning for each (spec/language 1.3). Other spellings are left to
 * the schema.
 */
export function modernize(root: Node, report: Report): Node {
  let config = rename(root, "metrics_enabled", "expose_metrics", report);
  config = rename(config, "interface", "interfaces", report);
  return change(config, "interfaces", (interfaces) => each(interfaces, (one) => modernInterface(one, report)));
}

function modernInterface(node: Node, report: Report): Node {
  let modern = drop(node, ["input"], (key) => shape.noEffect(key), report);
  modern = drop(modern, ["url", "conn_string", "query", "data_metrics"], (key) => shape.ignored(key), report);
  modern = nest(modern, "request_example", ["accepts", "example"], report);
  modern = nest(modern, "response_example", ["produces", "example"], report);
  modern = appendTests(modern);
  modern = change(modern, "assert", (assert) => modernAssert(assert, report));
  modern = change(modern, "params", (params) => each(params, (param) => modernParam(param, report)));
  return change(modern, "actions", (actions) => each(actions, (action) => modernAction(action, report)));
}

/** A parameter with the value null, as in `params: {page: }`, has no rules. */
function modernParam(node: Node, report: Report): Node {
  return isNull(node) ? mapOf([], node.span) : change(node, "validate", (test) => modernTest(test, report));
}

function modernAction(node: Node, report: Report): Node {
  let action = withoutUnset(node, ["action", "url"]);
  if (entry(action, "name") === undefined) action = rename(action, "action", "name", report);
  action = drop(action, ["output", "log", "data_metrics"], (key) => shape.ignored(key), report);
  action = spread(action, "data_hide", report);
  const url = entry(action, "url");
  const own = entry(entry(action, "http")?.value, "url");
  if (url !== undefined && own !== undefined) {
    report(shape.exclude("url", "http.url"), later(url, own).keySpan);
    action = without(action, ["url"]);
  }
  action = nest(action, "url", ["http", "url"], report);
  action = change(action, "http", (http) => multipart(http, report));
  for (const key of ["assert", "run_on_assertion"]) action = change(action, key, (assert) => modernAssert(assert, report));
  action = change(action, "post_transforms", (list) => each(list, (one) => modernTransform(one, report)));
  action = change(action, "conditional_input", (list) => each(list, (one) => modernAssert(one, report)));
  return change(action, "actions", (actions) => each(actions, (one) => modernAction(one, report)));
}

function modernAssert(node: Node, report: Report): Node {
  return change(node, "tests", (tests) => each(tests, (test) => modernTest(test, report)));
}

function modernTest(node: Node, report: Report): Node {
  return rename(node, "bcrypt_verify", "verify_bcrypt", report);
}

function modernTransform(node: Node, report: Report): Node {
  const nested = change(node, "nested_transforms", (lists) => each(lists, (list) => each(list, (one) => modernTransform(one, report))));
  return change(nested, "filter", (filter) =>
    change(filter, "conditions", (conditions) => each(conditions, (condition) => modernTest(condition, report))),
  );
}

/** Appends `tests` that stand beside an assert to its own tests (spec/language 1.3: no warning). */
function appendTests(node: Node): Node {
  const own = entry(node, "tests");
  if (isUnset(own)) return without(node, ["tests"]);
  if (node.kind !== "map" || own?.value.kind !== "list") return node;
  const assert = entry(node, "assert");
  const tests = entry(assert?.value, "tests");
  if (assert === undefined || isNull(assert.value))
    return replace(without(node, ["assert"]), own, [{ ...own, key: "assert", value: mapOf([own], own.value.span) }]);
  if (assert.value.kind !== "map" || (tests !== undefined && tests.value.kind !== "list" && !isNull(tests.value))) return node;
  const before = tests?.value.kind === "list" ? tests.value.items : [];
  const all: Entry = { ...(tests ?? own), value: { ...own.value, items: [...before, ...own.value.items] } };
  const value: MapNode = { ...assert.value, entries: [...assert.value.entries.filter((one) => one !== tests), all] };
  return replace(without(node, ["tests"]), assert, [{ ...assert, value }]);
}

/** Rewrites `data_hide: {on_success: true}` to `hide_data_on_success: true`. */
function spread(node: Node, key: string, report: Report): Node {
  const old = entry(node, key);
  if (isUnset(old)) return without(node, [key]);
  if (old?.value.kind !== "map") return node;
  report(shape.legacy(key, "hide_data_on_*", false), old.keySpan);
  return replace(
    node,
    old,
    old.value.entries.map((one) => ({ ...one, key: `hide_data_${one.key}` })),
  );
}

/** Rewrites the older forms of `multipart`: a map of fields, and a map of files. */
function multipart(http: Node, report: Report): Node {
  const node = withoutUnset(http, ["multipart_form", "multipart_files"]);
  const entries = [entry(node, "multipart_form"), entry(node, "multipart_files")].filter((one) => one !== undefined);
  const [first] = entries;
  if (first === undefined || entry(node, "multipart") !== undefined) return node;
  const items = entries.flatMap((item) => {
    report(shape.legacy(item.key, "multipart", false), item.keySpan);
    if (item.value.kind !== "map") return item.value.kind === "list" ? item.value.items : [item.value];
    const content = item.key === "multipart_form" ? "value" : "file_path";
    return item.value.entries.map(({ key, keySpan, value }) => {
      const name: Node = { kind: "scalar", span: keySpan, value: key, block: false, source: key };
      return mapOf(
        [
          { key: "name", keySpan, value: name },
          { key: content, keySpan, value },
        ],
        keySpan,
      );
    });
  });
  const parts: Entry = { key: "multipart", keySpan: first.keySpan, value: { kind: "list", span: first.value.span, items } };
  return replace(without(node, ["multipart_files"]), first, [parts]);
}

/** Moves an entry into a record beside it; an entry that is there already wins. */
function nest(node: Node, old: string, [outer, inner]: readonly [string, string], report: Report): Node {
  const member = entry(node, old);
  if (member === undefined || isUnset(member)) return without(node, [old]);
  report(shape.legacy(old, `${outer}.${inner}`, false), member.keySpan);
  const moved: Entry = { ...member, key: inner };
  const target = entry(node, outer);
  if (target === undefined)
    return replace(node, member, [{ key: outer, keySpan: member.keySpan, value: mapOf([moved], member.value.span) }]);
  const rest = without(node, [old]);
  const there = entry(target.value, inner);
  if (isNull(target.value)) return replace(rest, target, [{ ...target, value: mapOf([moved], member.value.span) }]);
  if (target.value.kind !== "map" || (there !== undefined && !isNull(there.value))) return rest;
  const others = target.value.entries.filter((one) => one !== there);
  return replace(rest, target, [{ ...target, value: { ...target.value, entries: [...others, moved] } }]);
}

function rename(node: Node, old: string, modern: string, report: Report): Node {
  const member = entry(node, old);
  if (member === undefined) return node;
  const other = entry(node, modern);
  if (isUnset(member)) return other === undefined ? replace(node, member, [{ ...member, key: modern }]) : without(node, [old]);
  if (other !== undefined) {
    report(shape.exclude(modern, old), later(member, other).keySpan);
    return without(node, [old]);
  }
  report(shape.legacy(old, modern), member.keySpan);
  return replace(node, member, [{ ...member, key: modern }]);
}

function drop(node: Node, keys: readonly string[], why: (key: string) => ReturnType<typeof shape.ignored>, report: Report): Node {
  for (const key of keys) {
    const member = entry(node, key);
    if (member !== undefined && !isUnset(member)) report(why(key), member.keySpan);
  }
  return without(node, keys);
}

const later = (a: Entry, b: Entry): Entry => (a.keySpan.start > b.keySpan.start ? a : b);

/** Null for an optional key means that the key is absent (spec/language 1.3): there is nothing to warn of. */
const isUnset = (member: Entry | undefined): boolean => member !== undefined && isNull(member.value);

const mapOf = (entries: readonly Entry[], span: Span): MapNode => ({ kind: "map", span, entries });

function without(node: Node, keys: readonly string[]): Node {
  if (node.kind !== "map" || !node.entries.some(({ key }) => keys.includes(key))) return node;
  return { ...node, entries: node.entries.filter(({ key }) => !keys.includes(key)) };
}

const withoutUnset = (node: Node, keys: readonly string[]): Node =>
  without(
    node,
    keys.filter((key) => isUnset(entry(node, key))),
  );
