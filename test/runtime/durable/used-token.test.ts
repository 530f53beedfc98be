import { expect, test } from "vitest";
import { RunWaits } from "#runtime/durable/waits.ts";

// A token is used once: the store has it for as long as it keeps the run that has waited with it (docs/durable-runs.md).

test("a token that another run has in the store is refused", async () => {
  const waits = new RunWaits({
    seed: Buffer.alloc(32),
    // The store keeps the row of the other run, so that this one gets none.
    store: async () => true,
    registered: async () => [],
    now: async () => 0,
    after: () => () => undefined,
    rest: () => undefined,
  });
  await expect(waits.callback({}, "Approval", "a token of another run", 1000)).rejects.toThrow(
    "the token of wait_for_callback is in use or was used before",
  );
});
