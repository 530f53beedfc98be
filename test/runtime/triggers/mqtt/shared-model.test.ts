import fc from "fast-check";
import { test } from "vitest";
import { draws } from "../../../harness/rules/words.ts";
import { holds, step } from "./shared-law.ts";
import { sharedPlace } from "./shared-nodes.ts";

// Law: whatever clients do and whichever processes are killed, a durable session gets each message of QoS 2 once and each of QoS 1 at least
// once, in the order of all; what was never published it does not get, and of what goes to a group one member gets each message.

test("messages of durable sessions come as often as they should, in order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), (steps) => holds(sharedPlace(), steps)),
    { numRuns: draws(1_000) },
  );
});
