import { expect, test } from "vitest";
import type { NodeFacts } from "#runtime/console/facts.ts";
import { type Layout, layout } from "../../../templates/console/layout.ts";

// The layout of graphs: an action stands below all that it waits for, boxes do not overlap, lines stay within the drawing.

const node = (name: string, after: readonly string[] = [], inside: readonly NodeFacts[] = []): NodeFacts => ({
  name,
  does: "http",
  after: after.map((each) => ({ name: each, why: "reads" })),
  reads: [],
  touches: [],
  line: 1,
  inside,
});

function expectSound({ boxes, edges, width, height }: Layout): void {
  const byName = new Map(boxes.map((box) => [box.node.name, box]));
  for (const { from, to, points } of edges) {
    const [above, below] = [byName.get(from), byName.get(to)];
    if (above === undefined || below === undefined) throw new Error(`${from} or ${to} is not drawn`);
    expect(above.y + above.height).toBeLessThan(below.y);
    expect(points[0]?.[1]).toBe(above.y + above.height);
    expect(points.at(-1)?.[1]).toBe(below.y);
    for (const [x, y] of points) expect(x >= 0 && x <= width && y >= 0 && y <= height).toBe(true);
  }
  for (const one of boxes)
    for (const other of boxes) {
      const isApart =
        one === other ||
        one.x + one.width <= other.x ||
        other.x + other.width <= one.x ||
        one.y + one.height <= other.y ||
        other.y + other.height <= one.y;
      expect(isApart).toBe(true);
    }
  for (const { inner, width: room, height: high } of boxes)
    if (inner !== undefined) {
      expect(inner.width < room && inner.height < high).toBe(true);
      expectSound(inner);
    }
}

test("chains, forks, joins and lines that pass layers", () => {
  const placed = layout([node("A"), node("B", ["A"]), node("C", ["A"]), node("D", ["B", "C", "A"]), node("E"), node("F", ["D", "E"])]);
  expect(placed.boxes).toHaveLength(6);
  expect(placed.edges).toHaveLength(7);
  expectSound(placed);
});

test("a loop holds its actions", () => {
  const placed = layout([node("A"), node("L", ["A"], [node("X"), node("Y", ["X"]), node("Z", ["X"])]), node("B", ["L"])]);
  expect(placed.boxes.find(({ node: { name } }) => name === "L")?.inner?.boxes).toHaveLength(3);
  expectSound(placed);
});

test("nothing, one action, a name that is missing, a circle and very long names", () => {
  expect(layout([])).toEqual({ width: 0, height: 0, boxes: [], edges: [] });
  expectSound(layout([node("A".repeat(5_000), ["missing"])]));
  expect(layout([node("A", ["B"]), node("B", ["A"])]).boxes).toHaveLength(2);
});

test("graphs at random", () => {
  let seed = 7;
  const draw = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 60; round++) {
    const count = 1 + draw(25);
    const nodes = Array.from({ length: count }, (_, i) =>
      node(
        `n${i}`,
        [...new Set(Array.from({ length: i === 0 ? 0 : draw(4) }, () => `n${draw(i)}`))],
        draw(6) === 0 ? [node("x"), node("y", ["x"])] : [],
      ),
    );
    expectSound(layout(nodes));
  }
});
