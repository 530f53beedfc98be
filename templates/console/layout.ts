import type { NodeFacts } from "../../runtime/console/facts.ts";

// A layered layout of the graph of actions: an action stands below all that it waits for. Libraries for this weigh more than the whole
// console, and these graphs are easy: small, without circles, and with all edges in one direction.

export interface Box {
  readonly node: NodeFacts;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The actions of its loop, placed within the box. */
  readonly inner: Layout | undefined;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly why: string;
  /** Points from the bottom of one box to the top of another. */
  readonly points: readonly Point[];
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly edges: readonly Edge[];
}

type Point = readonly [x: number, y: number];

/** An entry of a layer: a box, or a bend of a line that passes the layer. */
interface Cell {
  readonly node?: NodeFacts;
  readonly width: number;
  readonly height: number;
  readonly inner?: Layout;
  readonly above: Cell[];
  readonly below: Cell[];
  x: number;
}

const gap = { x: 28, y: 40 } as const;
export const head = 52;
const room = 14;
const widest = 230;

export function layout(nodes: readonly NodeFacts[]): Layout {
  const cells = new Map(nodes.map((node) => [node.name, boxOf(node)]));
  const ranks = ranksOf(nodes);
  const layers: Cell[][] = [];
  const at = (rank: number): Cell[] => {
    layers[rank] ??= [];
    return layers[rank];
  };
  for (const { name } of nodes) {
    const cell = cells.get(name);
    if (cell !== undefined) at(ranks.get(name) ?? 0).push(cell);
  }
  const chains = nodes.flatMap((node) =>
    node.after.flatMap(({ name, why }) => {
      const [from, to] = [cells.get(name), cells.get(node.name)];
      const [top, bottom] = [ranks.get(name), ranks.get(node.name)];
      if (from === undefined || to === undefined || top === undefined || bottom === undefined || top >= bottom) return [];
      const bends = Array.from({ length: bottom - top - 1 }, (_, i) => {
        const bend: Cell = { width: 12, height: 0, above: [], below: [], x: 0 };
        at(top + 1 + i).push(bend);
        return bend;
      });
      const chain = [from, ...bends, to];
      chain.slice(1).forEach((cell, i) => {
        cell.above.push(chain[i] as Cell); // a chain has no holes
        (chain[i] as Cell).below.push(cell);
      });
      return [{ from: name, to: node.name, why, chain }];
    }),
  );
  order(layers);
  settle(layers);
  return drawn(layers, chains);
}

/** Approximate width of a bold name in pixels, by the widest of the usual fonts. */
export const textWidth = (text: string): number => [...text].reduce((sum, character) => sum + widthOf(character), 0);

/** Characters of Chinese, Japanese and Korean are as wide as they are high, and so are most code points above them. */
const widthOf = (character: string): number =>
  character >= "\u1100" ? 15.5 : /[mwMW]/.test(character) ? 13.5 : /[A-Z]/.test(character) ? 10.5 : 8.5;

function boxOf(node: NodeFacts): Cell {
  const inner = node.inside.length === 0 ? undefined : layout(node.inside);
  const text = Math.max(textWidth(node.name), (node.does.length + 5) * 7) + 34;
  return {
    node,
    width: Math.max(Math.min(widest, Math.max(116, text)), inner === undefined ? 0 : inner.width + 2 * room),
    height: head + (inner === undefined ? 0 : inner.height + room),
    ...(inner && { inner }),
    above: [],
    below: [],
    x: 0,
  };
}

/** The length of the longest path from the start to each action. Circles are cut; no valid configuration has one. */
function ranksOf(nodes: readonly NodeFacts[]): ReadonlyMap<string, number> {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const ranks = new Map<string, number>();
  const waiting = new Set<string>();
  const rank = (name: string): number => {
    const known = ranks.get(name);
    if (known !== undefined) return known;
    if (waiting.has(name)) return 0;
    waiting.add(name);
    const before = (byName.get(name)?.after ?? []).filter((each) => byName.has(each.name) && !waiting.has(each.name));
    const found = before.reduce((most, each) => Math.max(most, rank(each.name) + 1), 0);
    waiting.delete(name);
    ranks.set(name, found);
    return found;
  };
  for (const { name } of nodes) rank(name);
  return ranks;
}

/** Orders the cells of each layer by the positions of their neighbours, so that few lines cross. */
function order(layers: readonly Cell[][]): void {
  for (let round = 0; round < 6; round++) {
    const isDown = round % 2 === 0;
    for (const layer of isDown ? layers : layers.toReversed()) {
      const places = new Map<Cell, number>();
      for (const other of layers) for (const [i, cell] of other.entries()) places.set(cell, i);
      const weight = (cell: Cell): number => {
        const near = isDown ? cell.above : cell.below;
        if (near.length === 0) return places.get(cell) ?? 0;
        return near.reduce((sum, each) => sum + (places.get(each) ?? 0), 0) / near.length;
      };
      const weights = new Map(layer.map((cell) => [cell, weight(cell)]));
      layer.sort((a, b) => (weights.get(a) ?? 0) - (weights.get(b) ?? 0));
    }
  }
}

/** Moves every cell towards the middle of its neighbours, as far as the other cells of its layer permit. */
function settle(layers: readonly Cell[][]): void {
  for (const layer of layers) place(layer, () => 0);
  for (let round = 0; round < 8; round++) {
    const isDown = round % 2 === 0;
    for (const layer of isDown ? layers : layers.toReversed()) {
      place(layer, (cell) => {
        const near = isDown ? cell.above : cell.below;
        return near.length === 0 ? cell.x : near.reduce((sum, each) => sum + each.x, 0) / near.length;
      });
    }
  }
}

/**
 * Positions that keep the order and the gaps and are nearest to the wanted ones (least squares, by the pool-adjacent-violators algorithm).
 */
function place(layer: readonly Cell[], wanted: (cell: Cell) => number): void {
  const offsets: number[] = [];
  layer.forEach((cell, i) => {
    const before = layer[i - 1];
    offsets.push(before === undefined ? 0 : (offsets[i - 1] ?? 0) + before.width / 2 + gap.x + cell.width / 2);
  });
  const pools: { sum: number; count: number }[] = [];
  layer.forEach((cell, i) => {
    pools.push({ sum: wanted(cell) - (offsets[i] ?? 0), count: 1 });
    for (let last = pools.at(-1), before = pools.at(-2); last && before && before.sum / before.count > last.sum / last.count; ) {
      pools.splice(-2, 2, { sum: before.sum + last.sum, count: before.count + last.count });
      last = pools.at(-1);
      before = pools.at(-2);
    }
  });
  let i = 0;
  for (const { sum, count } of pools) {
    for (const end = i + count; i < end; i++) {
      const cell = layer[i];
      if (cell !== undefined) cell.x = sum / count + (offsets[i] ?? 0);
    }
  }
}

function drawn(layers: readonly Cell[][], chains: readonly { from: string; to: string; why: string; chain: readonly Cell[] }[]): Layout {
  const left = Math.min(0, ...layers.flat().map(({ x, width }) => x - width / 2));
  const right = Math.max(0, ...layers.flat().map(({ x, width }) => x + width / 2));
  const tops = new Map<Cell, number>();
  const bottoms = new Map<Cell, number>();
  let y = 0;
  for (const layer of layers) {
    const height = Math.max(...layer.map((cell) => cell.height));
    for (const cell of layer) {
      tops.set(cell, y);
      bottoms.set(cell, cell.node === undefined ? y + height : y + cell.height);
    }
    y += height + gap.y;
  }
  const boxes = layers.flat().flatMap((cell): readonly Box[] => {
    const { node, x, width, height, inner } = cell;
    return node === undefined ? [] : [{ node, x: x - width / 2 - left, y: tops.get(cell) ?? 0, width, height, inner }];
  });
  const edges = chains.map(({ from, to, why, chain }) => ({
    from,
    to,
    why,
    points: chain.flatMap((cell, i): Point[] => {
      const [x, top, bottom] = [cell.x - left, tops.get(cell) ?? 0, bottoms.get(cell) ?? 0];
      if (i === 0) return [[x, bottom]];
      return i === chain.length - 1
        ? [[x, top]]
        : [
            [x, top],
            [x, bottom],
          ];
    }),
  }));
  return { width: right - left, height: Math.max(0, y - gap.y), boxes, edges };
}
