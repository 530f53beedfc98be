import type { Span } from "#runtime/plan/index.ts";
import { entry, get, items, type Node, numberOf, scalarText } from "../1-read/document.ts";
import { statusOf } from "../2-check/status.ts";
import { config, shape } from "../diagnostics/codes/file.ts";
import { flow } from "../diagnostics/codes/flow.ts";
import { names } from "../diagnostics/codes/names.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { present } from "../present.ts";
import { rootNames } from "./reserved.ts";
import type { GateName, ResolvedAction, ResolvedCondition } from "./resolved.ts";

/** The names that the gates of an action may hold: those of its list, and `previous`, which the first action has not. */
interface Candidates {
  readonly unique: readonly string[];
  readonly previous: string | undefined;
  /** Names of the lists around it, which no gate may name. */
  readonly outside: readonly string[];
}

type Named = { readonly name: string; readonly span: Span; readonly node: Node };

/** Names the actions of one list and binds their gates (spec/language 1.6, 3.4). `outside` are names of the lists around it. */
export function resolveActions(
  all: readonly Node[],
  lineOf: (span: Span) => number,
  report: Report,
  outside: readonly string[] = [],
): ResolvedAction[] {
  // A module that could not be put in its place has been reported.
  const list = all.filter(({ kind }) => kind === "map");
  const actions = list.map((node, i) => nameOf(node, i, report));
  const first = new Map<string, Named>();
  for (const action of actions) {
    const other = first.get(action.name);
    if (other === undefined) first.set(action.name, action);
    else report(names.usedTwice(action.name, lineOf(other.span)), action.span, [{ at: other.span, message: "first used here" }]);
  }
  const unique = [...first.keys()];
  return actions.map((action, i) => {
    const previous = actions[i - 1]?.name;
    const nested = get(action.node, "actions");
    return {
      ...action,
      previous,
      gates: gatesOf(action.node, { unique, previous, outside }, report),
      ...(nested === undefined ? {} : { actions: resolveActions(items(nested), lineOf, report, [...unique, ...outside]) }),
    };
  });
}

function nameOf(node: Node, index: number, report: Report): Named {
  const nameNode = get(node, "name");
  const name = scalarText(nameNode);
  if (name === undefined || nameNode === undefined) {
    const name = `action_${index + 1}`;
    // A name with a wrong value was reported.
    if (entry(node, "name") === undefined) report(config.unnamed(name), node.span);
    return { name: name, span: node.span, node };
  }
  if (!/^[A-Za-z_][A-Za-z0-9_-]{0,99}$/.test(name)) report(config.actionName(name), nameNode.span);
  else if (rootNames.has(name) || name === "previous") report(names.reserved(name), nameNode.span);
  return { name, span: nameNode.span, node };
}

function gatesOf(node: Node, candidates: Candidates, report: Report): ResolvedAction["gates"] {
  const alias = entry(node, "run_when_finished");
  const depends = entry(node, "depends_on");
  if (alias !== undefined && depends !== undefined) {
    report(flow.sameGate(), alias.keySpan.start > depends.keySpan.start ? alias.keySpan : depends.keySpan);
  }
  const conditions: [GateName, string][] = [
    ["run_when_succeeded", "run_when_succeeded"],
    ["run_when_failed", "run_when_failed"],
    ["depends_on", depends === undefined ? "run_when_finished" : "depends_on"],
  ];
  const gates: Partial<Record<GateName, ResolvedCondition>> = {};
  for (const [gate, key] of conditions) {
    const value = get(node, key);
    const condition = value === undefined ? undefined : conditionOf(value, key, candidates, report);
    if (condition !== undefined) gates[gate] = condition;
  }
  return gates;
}

/** A list of names, or `{actions, at_least?, http_code_on_error?}`. On the first action, `previous` is no gate. */
function conditionOf(value: Node, key: string, candidates: Candidates, report: Report): ResolvedCondition | undefined {
  const list = value.kind === "list" ? value.items : items(get(value, "actions"));
  const awaited = list.flatMap((item) => awaitedAction(item, key, candidates, report) ?? []);
  const atLeastNode = get(value, "at_least");
  const at_least = numberOf(atLeastNode);
  if (at_least !== undefined && atLeastNode !== undefined && (at_least < 1 || at_least > list.length)) {
    report(flow.atLeast(at_least, list.length), atLeastNode.span);
  }
  const ignoresPrevious = candidates.previous === undefined && list.some((item) => scalarText(item) === "previous");
  if (ignoresPrevious && awaited.length === 0) return undefined;
  const first = awaited.findIndex(({ isPrevious }) => isPrevious);
  const code = entry(value, "http_code_on_error");
  // Only a list of actions that must succeed fails its action.
  const isIdle = key !== "run_when_succeeded" && code !== undefined;
  if (isIdle) report(shape.noEffect(code.key), code.keySpan);
  const http_code_on_error = isIdle ? undefined : statusOf(value, "http_code_on_error", report);
  return {
    actions: awaited.map(({ name }) => name),
    spans: awaited.map(({ span }) => span),
    ...(first < 0 ? {} : { previous: awaited.every(({ isPrevious }) => isPrevious) ? (true as const) : first }),
    ...present({ at_least, http_code_on_error }),
  };
}

/** An action for which a gate waits. */
interface AwaitedAction {
  readonly name: string;
  readonly span: Span;
  /** True where `previous` is written for it. */
  readonly isPrevious: boolean;
}

/** The action that an item of a gate names; undefined for one that is not there, which is reported. */
function awaitedAction(item: Node, key: string, candidates: Candidates, report: Report): AwaitedAction | undefined {
  const { unique, previous, outside } = candidates;
  const word = scalarText(item);
  const isPrevious = word === "previous";
  const name = isPrevious ? previous : word;
  if (isPrevious && name === undefined) report(flow.previousOnFirst(), item.span);
  if (name === undefined) return undefined;
  if (unique.includes(name)) return { name, span: item.span, isPrevious };
  const isOutside = outside.includes(name);
  report(names.unknownActionIn(name, key, isOutside ? undefined : nearest(name, unique), isOutside), item.span);
  return undefined;
}
