import type { Import } from "./import-list.ts";

/**
 * Groups of files that import each other, directly or through other files of the group. A group is one circle, or several that share files.
 */
export function circles(imports: readonly Import[]): readonly (readonly string[])[] {
  const needs = Map.groupBy(imports, ({ from }) => from);
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  // Tarjan's algorithm: a file that reaches no earlier file forms a group with the files that were visited after it and are in no group
  // yet.
  const visit = (file: string): number => {
    const number = order.size;
    let low = number;
    order.set(file, number);
    open.push(file);
    for (const { to } of needs.get(file) ?? []) {
      if (!order.has(to)) low = Math.min(low, visit(to));
      else if (open.includes(to)) low = Math.min(low, lowest.get(to) ?? order.get(to) ?? low);
    }
    lowest.set(file, low);
    if (low === number) {
      const group = open.splice(open.indexOf(file));
      if (group.length > 1) found.push(group.sort());
    }
    return low;
  };
  for (const file of needs.keys()) if (!order.has(file)) visit(file);
  return found;
}
