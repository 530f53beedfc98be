import { describe, expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { ask, compiled } from "../../harness/captured.ts";

// A loop gives others a turn, also where its items wait only for what is there already (spec/surfaces 20).

const config = `
name: turns
interfaces:
  at_once: { method: POST, actions: [{ name: L, lookup: a|body|, actions: [{ name: A, json_output: 1 }] }] }
  state: { method: POST, actions: [{ name: L, lookup: a|body|, actions: [{ name: A, state: { get: { key: a|body| } } }] }] }
  one_by_one: { method: POST, actions: [{ name: L, lookup: a|body|, lookup_concurrency: 1, actions: [{ name: A, state: { get: { key: a|body| } } }] }] }
`;

/**
 * The number of turns of others while an interface loops over so many items, with a clock that goes on by a millisecond when it is read.
 */
async function turnsOf(name: string, items: number, interpret: boolean): Promise<number> {
  const made = await compiled(config, { interpret });
  let time = 0;
  const host = { ...createHost({ env: {} }), monotonic: () => (time += 1) };
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    expect(await ask(host, made, name, { body: Array.from({ length: items }, (_, i) => `${i}`) })).toBe(200);
  } finally {
    isOver = true;
    await host.close();
  }
  return turns;
}

describe.each([false, true])("interpreted: %s", (interpret) => {
  test.each(["at_once", "state", "one_by_one"])("%s", async (name) => {
    const few = await turnsOf(name, 64, interpret);
    expect((await turnsOf(name, 6_400, interpret)) - few).toBeGreaterThanOrEqual(50);
  });
});
