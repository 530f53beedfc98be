import type { ActionPlan, ConditionPlan, Span } from "#runtime/plan/index.ts";
import { flow } from "../diagnostics/codes/flow.ts";
import type { Report } from "../diagnostics/diagnostic.ts";

/** An edge "this action waits for that one", with the place that says so; implicit edges have none. */
export interface Edge {
  readonly to: string;
  readonly at?: Span;
}

/** An action and the actions that it names or reads. An ungated one also waits for every earlier one of the list (spec/language 3.4). */
export interface Waiting {
  readonly name: string;
  readonly ungated: boolean;
  readonly edges: readonly Edge[];
}

/**
 * Reports each group of actions that wait for each other once, at its first edge in file order (PW306). True when there was such a group.
 */
export function reportCycles(actions: readonly Waiting[], report: Report, fallback: Span): boolean {
  const byName = new Map(actions.map((action) => [action.name, action]));
  const done = new Set<string>();
  for (const action of stuck(actions, byName)) {
    if (done.has(action.name)) continue;
    const cycle = shortestCycle(action.name, actions);
    if (cycle === undefined) continue;
    for (const name of cycle) done.add(name);
    const members = new Set(cycle);
    const spans = cycle.flatMap((name) => (byName.get(name)?.edges ?? []).filter(({ to, at }) => members.has(to) && at !== undefined));
    const first = spans
      .map(({ at }) => at)
      .filter((at) => at !== undefined)
      .sort((a, b) => a.start - b.start)[0];
    // The missing gate belongs to the action that waits for the next one of the circle only by the order of the list.
    const next = (i: number): string => cycle[i + 1] ?? action.name;
    const ungated = cycle.find((name, i) => byName.get(name)?.edges.every(({ to, at }) => to !== next(i) || at === undefined));
    report(flow.cycle([...cycle, action.name], ungated), first ?? fallback);
  }
  return done.size > 0;
}

/** The actions that can never start: those in a circle, and those that wait for one of them. Almost always there are none. */
function stuck(actions: readonly Waiting[], byName: ReadonlyMap<string, Waiting>): readonly Waiting[] {
  const start = new Start(actions, byName);
  for (let before = -1; before < start.names.size; ) {
    before = start.names.size;
    for (const [i, action] of actions.entries()) if (start.may(action, i)) start.add(action);
  }
  return actions.filter(({ name }) => !start.names.has(name));
}

/** The actions of a list that have started. */
class Start {
  readonly names = new Set<string>();
  readonly #actions: readonly Waiting[];
  readonly #known: ReadonlyMap<string, Waiting> | undefined;
  /** So many actions at the begin of the list have started. */
  #first = 0;

  /** `known`: an edge to any other name means nothing. */
  constructor(actions: readonly Waiting[], known?: ReadonlyMap<string, Waiting>) {
    this.#actions = actions;
    this.#known = known;
  }

  /** Whether an action, by its place in the list, may start. */
  may({ ungated, edges }: Waiting, place: number): boolean {
    if (ungated && this.#first < place) return false;
    return edges.every(({ to }) => this.names.has(to) || this.#known?.has(to) === false);
  }

  add({ name }: Waiting): void {
    this.names.add(name);
    while (this.names.has(this.#actions[this.#first]?.name ?? "")) this.#first += 1;
  }
}

/** Breadth first, so that the path printed is the shortest one. */
function shortestCycle(start: string, actions: readonly Waiting[]): string[] | undefined {
  const places = new Map(actions.map(({ name }, i) => [name, i]));
  const came = new Map<string, string>();
  const queue = [start];
  for (const name of queue) {
    for (const to of namesBefore(actions, places.get(name))) {
      if (to === start) return pathTo(name, start, came);
      if (!came.has(to)) {
        came.set(to, name);
        queue.push(to);
      }
    }
  }
  return undefined;
}

/** The names of the actions that one at a place waits for. */
function namesBefore(actions: readonly Waiting[], place = -1): readonly string[] {
  const { edges = [], ungated = false } = actions[place] ?? {};
  return [...edges.map(({ to }) => to), ...(ungated ? actions.slice(0, place).map(({ name }) => name) : [])];
}

function pathTo(end: string, start: string, came: ReadonlyMap<string, string>): string[] {
  const path = [end];
  for (let at = end; at !== start; ) {
    at = came.get(at) ?? start;
    path.unshift(at);
  }
  return path;
}

/** YAML order, except that an action never comes before one it waits for. The actions hold no cycle. */
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
    // Ungated actions from this place on are among the later ones.
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

/** The reads that no gate implies: they are printed as `reads`. */
export function neededReads(reads: readonly string[], gates: ActionPlan["gates"], before: (name: string) => ReadonlySet<string>): string[] {
  const settled = new Set<string>();
  for (const gate of [gates.run_when_succeeded, gates.run_when_failed, gates.depends_on]) {
    for (const name of certain(gate)) {
      settled.add(name);
      for (const earlier of before(name)) settled.add(earlier);
    }
  }
  return reads.filter((name) => !settled.has(name));
}

/** Actions that have surely settled once the condition has passed; with a quorum none is sure. */
export const certain = (gate: ConditionPlan | undefined): readonly string[] =>
  gate === undefined || gate.at_least !== undefined ? [] : gate.actions;
