import { afterEach, describe, expect, test, vi } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { LiveAct } from "#runtime/run/live-act.ts";
import { ask, compiled } from "../../harness/captured.ts";

// Actions without gates wait for all actions before them (spec/language 3.4). When an action settles, each action that waits asks about one
// other action, not about all before it: an interface of 2,000 actions took 4.6 s of processor time a request.

const config = (actions: number): string =>
  `name: many\ninterfaces:\n  many:\n    method: GET\n    actions:\n${Array.from({ length: actions }, (_, i) => `      - { name: A${i}, state: { get: { key: k } } }\n`).join("")}`;

afterEach(() => {
  vi.restoreAllMocks();
});

/** How often a run of so many actions, each of which waits, asks whether one of them has settled. */
async function questionsOf(actions: number, interpret: boolean): Promise<number> {
  const made = await compiled(config(actions), { interpret });
  const host = createHost({ env: {} });
  const questions = vi.spyOn(LiveAct.prototype, "settled", "get");
  expect(await ask(host, made, "many", {})).toBe(200);
  await host.close();
  const asked = questions.mock.calls.length;
  questions.mockRestore();
  return asked;
}

describe.each([false, true])("interpreted: %s", (interpret) => {
  test.each([20, 200])("of %i actions, each that waits asks once when another settles", async (actions) => {
    const asked = await questionsOf(actions, interpret);
    expect(asked).toBeGreaterThanOrEqual(actions);
    expect(asked).toBeLessThanOrEqual((actions * (actions + 1)) / 2 + actions);
  });
});
