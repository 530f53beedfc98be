import { setImmediate } from "node:timers/promises";

/** Milliseconds of work after which esbuild gets an answer: esbuild asks for one file after the other, and waits for each answer. */
const longest = 4;

/**
 * Collects the items of a long work. esbuild asks this process for files while it links, and gets no answer as long as the process is busy;
 * so its questions get a turn between two items. `take` gets each item at once.
 */
export async function inTurns<Item>(items: Iterable<Item>, take?: (item: Item) => void): Promise<readonly Item[]> {
  const all: Item[] = [];
  let began = performance.now();
  for (const item of items) {
    all.push(item);
    take?.(item);
    if (performance.now() - began < longest) continue;
    await setImmediate();
    began = performance.now();
  }
  return all;
}
