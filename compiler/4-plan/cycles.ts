/**
 * For each node of a graph, the number of its group. The nodes of a group can all reach each other; a node that cannot reach itself has no
 * group. The time is linear in the edges (Tarjan's algorithm, without recursion, because a chain may be long).
 */
export function groupsOf(edges: readonly (readonly number[])[]): readonly (number | undefined)[] {
  const order: (number | undefined)[] = edges.map(() => undefined);
  const low: number[] = edges.map(() => 0);
  const isOpen: boolean[] = edges.map(() => false);
  const groups: (number | undefined)[] = edges.map(() => undefined);
  const open: number[] = [];
  let visited = 0;
  const enter = (node: number): { readonly node: number; next: number } => {
    order[node] = low[node] = visited++;
    isOpen[node] = true;
    open.push(node);
    return { node, next: 0 };
  };
  const lower = (node: number, to: number): void => {
    low[node] = Math.min(low[node] ?? 0, to);
  };
  const close = (node: number): void => {
    const members = open.splice(open.lastIndexOf(node));
    const isCycle = members.length > 1 || edges[node]?.includes(node) === true;
    for (const member of members) {
      isOpen[member] = false;
      if (isCycle) groups[member] = node;
    }
  };
  for (const root of edges.keys()) {
    if (order[root] !== undefined) continue;
    for (const way = [enter(root)]; way.length > 0; ) {
      const here = way.at(-1);
      if (here === undefined) break;
      const to = edges[here.node]?.[here.next++];
      if (to === undefined) {
        way.pop();
        if (low[here.node] === order[here.node]) close(here.node);
        const before = way.at(-1);
        if (before !== undefined) lower(before.node, low[here.node] ?? 0);
      } else if (order[to] === undefined) way.push(enter(to));
      else if (isOpen[to]) lower(here.node, order[to]);
    }
  }
  return groups;
}

/**
 * The shortest way from a node back to itself, as a list that begins with the node; undefined when there is none. `next` is called once for
 * each node.
 */
export function shortestCycle(start: number, next: (node: number) => Iterable<number>): readonly number[] | undefined {
  const came = new Map<number, number>();
  const queue = [start];
  for (const node of queue) {
    for (const to of next(node)) {
      if (to === start) return wayTo(node, start, came);
      if (came.has(to)) continue;
      came.set(to, node);
      queue.push(to);
    }
  }
  return undefined;
}

function wayTo(end: number, start: number, came: ReadonlyMap<number, number>): number[] {
  const way = [end];
  for (let at = end; at !== start; ) {
    at = came.get(at) ?? start;
    way.push(at);
  }
  return way.reverse();
}

/** The most variables in a chain in which each reads the next: following the chain needs a nested call for each. */
export const longestWay = 300;

/** A node at which a way of more than `longestWay` edges begins; cycles are left out. The time is linear in the edges. */
export function startOfLongWay(edges: readonly (readonly number[])[]): number | undefined {
  const before: number[][] = edges.map(() => []);
  for (const [from, all] of edges.entries()) for (const to of all) before[to]?.push(from);
  const open = edges.map(({ length }) => length);
  const lengths = edges.map(() => 0);
  const settled = [...edges.keys()].filter((node) => open[node] === 0);
  for (const node of settled) {
    const length = lengths[node] ?? 0;
    if (length > longestWay) return node;
    for (const from of before[node] ?? []) {
      lengths[from] = Math.max(lengths[from] ?? 0, length + 1);
      open[from] = (open[from] ?? 0) - 1;
      if (open[from] === 0) settled.push(from);
    }
  }
  return undefined;
}
