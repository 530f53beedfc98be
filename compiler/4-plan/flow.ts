import type { ActionPlan, ConditionPlan, Span } from "#runtime/plan/index.ts";
import { flow } from "../diagnostics/codes/flow.ts";
import type { Report } from "../diagnostics/diagnostic.ts";

/** An edge "this action waits for that one", with the place that says so; implicit edges have none. */
export interface Edge {
  readonly to: string;
  readonly at?: Span;
}

/** An action and everything it waits for. */
export interface Waiting {
  readonly name: string;
  readonly ungated: boolean;
  readonly edges: readonly Edge[];
}

/** All edges of a list: explicit ones, and from an ungated action to every earlier one (spec/language 3.4). */
export function withImplicitEdges(actions: readonly Waiting[]): Waiting[] {
  return actions.map((action, i) =>
    action.ungated ? { ...action, edges: [...action.edges, ...actions.slice(0, i).map(({ name }) => ({ to: name }))] } : action,
  );
}

/**
 * Reports each group of actions that wait for each other once, at its first edge in file order (PW306). True when there was such a group.
 */
export function reportCycles(actions: readonly Waiting[], report: Report, fallback: Span): boolean {
  const byName = new Map(actions.map((action) => [action.name, action]));
  const done = new Set<string>();
  for (const action of stuck(actions, byName)) {
    if (done.has(action.name)) continue;
    const cycle = shortestCycle(action.name, byName);
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
  const started = new Set<string>();
  for (let before = -1; before < started.size; ) {
    before = started.size;
    for (const { name, edges } of actions) if (edges.every(({ to }) => started.has(to) || !byName.has(to))) started.add(name);
  }
  return actions.filter(({ name }) => !started.has(name));
}

/** Breadth first, so that the path printed is the shortest one. */
function shortestCycle(start: string, actions: ReadonlyMap<string, Waiting>): string[] | undefined {
  const came = new Map<string, string>();
  const queue = [start];
  for (const name of queue) {
    for (const { to } of actions.get(name)?.edges ?? []) {
      if (to === start) return pathTo(name, start, came);
      if (!came.has(to)) {
        came.set(to, name);
        queue.push(to);
      }
    }
  }
  return undefined;
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
  const started = new Set<string>();
  while (started.size < actions.length) {
    const next = actions.find(({ name, edges }) => !started.has(name) && edges.every(({ to }) => started.has(to)));
    if (next === undefined) return actions.map(({ name }) => name);
    started.add(next.name);
  }
  return [...started];
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
