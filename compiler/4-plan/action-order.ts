import type { ActionPlan, ConditionPlan, Span } from "#runtime/plan/index.ts";
import { flow } from "../diagnostics/codes/flow.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { groupsOf, shortestCycle } from "./cycles.ts";

/** An edge "this action waits for that one", with the place that says so; implicit edges have none. */
export interface Edge {
  readonly to: string;
  readonly at?: Span;
}

/**
 * An action, and the actions that it names or reads. An ungated action also waits for every earlier action of the list (spec/language 3.4).
 */
export interface Waiting {
  readonly name: string;
  readonly ungated: boolean;
  readonly edges: readonly Edge[];
}

/** The most cycles of one list that are reported: a report with more would not help, and each cycle is searched for separately. */
const mostCycles = 100;

/**
 * Reports each cycle of actions that wait for each other once, at its first edge in file order (PW306). True when there was one.
 */
export function reportCycles(actions: readonly Waiting[], report: Report, fallback: Span): boolean {
  const places = new Map(actions.map(({ name }, i) => [name, i]));
  const edges = actions.map((action) => action.edges.flatMap(({ to }) => places.get(to) ?? []));
  const groups = groupsOf(withOrder(actions, edges));
  const done = new Set<number>();
  let count = 0;
  for (const start of actions.keys()) {
    if (groups[start] === undefined || done.has(start) || count === mostCycles) continue;
    const cycle = shortestCycle(
      start,
      before(actions, edges, (place) => groups[place] === groups[start]),
    );
    if (cycle === undefined) continue;
    count += 1;
    for (const place of cycle) done.add(place);
    reportCycle(
      cycle.flatMap((place) => actions[place] ?? []),
      report,
      fallback,
    );
  }
  return count > 0;
}

function reportCycle(cycle: readonly Waiting[], report: Report, fallback: Span): void {
  const names = cycle.map(({ name }) => name);
  const members = new Set(names);
  const first = cycle
    .flatMap(({ edges }) => edges.flatMap(({ to, at }) => (at !== undefined && members.has(to) ? [at] : [])))
    .sort((a, b) => a.start - b.start)[0];
  // The remedy is a gate for the action that waits for the next action of the cycle only because of the order of the list.
  const pairs = cycle.map((action, i) => ({ ...action, before: names[(i + 1) % names.length] ?? "" }));
  const ungated = pairs.find(({ edges, before }) => edges.every(({ to, at }) => to !== before || at === undefined));
  report(flow.cycle([...names, ...names.slice(0, 1)], ungated), first ?? fallback);
}

/**
 * The edges, with edges for the order of the list. For each action there is one more node, "this action and all before it", placed behind
 * the nodes of the actions. It leads to the action and to the corresponding node of the action before.
 */
function withOrder(actions: readonly Waiting[], edges: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const upTo = (place: number): readonly number[] => (place < 0 ? [] : [actions.length + place]);
  return [
    ...actions.map(({ ungated }, i) => [...(edges[i] ?? []), ...(ungated ? upTo(i - 1) : [])]),
    ...actions.map((_, i) => [i, ...upTo(i - 1)]),
  ];
}

/**
 * The indexes of the actions of a group that an action waits for. An action for which an earlier ungated action has already waited is left
 * out.
 */
function before(
  actions: readonly Waiting[],
  edges: readonly (readonly number[])[],
  isMember: (place: number) => boolean,
): (place: number) => readonly number[] {
  let next = 0;
  return (place) => {
    const waited = (edges[place] ?? []).filter(isMember);
    if (actions[place]?.ungated === true) for (; next < place; next++) if (isMember(next)) waited.push(next);
    return waited;
  };
}

/** Tells which actions of a list have started. */
class Start {
  readonly names = new Set<string>();
  readonly #actions: readonly Waiting[];
  /** The number of actions at the begin of the list that have all started. */
  #first = 0;

  constructor(actions: readonly Waiting[]) {
    this.#actions = actions;
  }

  /** True when an action, given with its index in the list, may start. */
  may({ ungated, edges }: Waiting, place: number): boolean {
    if (ungated && this.#first < place) return false;
    return edges.every(({ to }) => this.names.has(to));
  }

  add({ name }: Waiting): void {
    this.names.add(name);
    while (this.#first < this.#actions.length && this.names.has(this.#actions[this.#first]?.name ?? "")) this.#first += 1;
  }
}

/** The names of the actions in YAML order, except that an action never comes before an action it waits for. The actions have no cycle. */
export function startOrder(actions: readonly Waiting[]): string[] {
  const start = new Start(actions);
  while (start.names.size < actions.length) {
    const next = actions.find((action, i) => !start.names.has(action.name) && start.may(action, i));
    if (next === undefined) return actions.map(({ name }) => name);
    start.add(next);
  }
  return [...start.names];
}

/** For each action, the actions that surely start after it, by gates and order. */
export function startingAfter(actions: readonly Waiting[]): (name: string) => ReadonlySet<string> {
  const places = new Map(actions.map(({ name }, i) => [name, i]));
  const namedBy = Map.groupBy(
    actions.flatMap(({ name, edges }) => edges.map(({ to }) => ({ to, name }))),
    ({ to }) => to,
  );
  return (name) => {
    const later = new Set<string>();
    // The ungated actions from this index on surely start later.
    let ungated = actions.length;
    for (const queue = [name]; queue.length > 0; ) {
      const earlier = queue.pop() ?? "";
      const next = (namedBy.get(earlier) ?? []).map((each) => each.name);
      const place = places.get(earlier) ?? actions.length;
      for (const action of actions.slice(place + 1, Math.max(place + 1, ungated))) if (action.ungated) next.push(action.name);
      ungated = Math.min(ungated, place + 1);
      for (const each of next) {
        if (later.has(each)) continue;
        later.add(each);
        queue.push(each);
      }
    }
    return later;
  };
}

/**
 * Tells which reads of an action no gate implies; these are printed as `reads`. The actions are in start order. An ungated action waits for
 * all actions before it; a gated action waits for the actions of the gate and for the actions for which these have waited.
 */
export function neededReads(actions: readonly ActionPlan[]): (action: ActionPlan) => readonly string[] {
  const places = new Map(actions.map(({ name }, i) => [name, i]));
  return ({ reads, gates }) => {
    if (reads.length === 0 || isUngated(gates)) return [];
    const open = new Set(reads);
    const settled = new Set<string>();
    // All actions before this place are in the queue already.
    let queued = 0;
    const queue = [gates.run_when_succeeded, gates.run_when_failed, gates.depends_on].flatMap(certain);
    for (let name = queue.pop(); name !== undefined && open.size > 0; name = queue.pop()) {
      if (settled.has(name)) continue;
      settled.add(name);
      open.delete(name);
      const place = places.get(name) ?? -1;
      const waited = actions[place]?.gates;
      if (waited === undefined) continue;
      // A gate that does not pass settles the action without waiting for its other gates, so that only the first gate is certain.
      const first = waited.run_when_succeeded ?? waited.run_when_failed ?? waited.depends_on;
      for (const earlier of certain(first)) queue.push(earlier);
      if (first === undefined) for (; queued < place; queued++) queue.push(actions[queued]?.name ?? "");
    }
    return reads.filter((name) => open.has(name));
  };
}

const isUngated = ({ run_when_succeeded, run_when_failed, depends_on }: ActionPlan["gates"]): boolean =>
  run_when_succeeded === undefined && run_when_failed === undefined && depends_on === undefined;

/** Actions that have surely settled once the condition has passed; with `at_least`, no single action is sure. */
const certain = (gate: ConditionPlan | undefined): readonly string[] =>
  gate === undefined || gate.at_least !== undefined ? [] : gate.actions;
