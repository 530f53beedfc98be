import fc from "fast-check";
import { test } from "vitest";
import { server } from "../../../harness/peers/postgres-server.ts";
import { draws } from "../../../harness/rules/words.ts";
import { holds, step } from "./shared-law.ts";
import { postgresPlace } from "./shared-nodes.ts";

// The law of shared-model.test.ts over nodes that share PostgreSQL: their rows, their log, and the locks by which they see who is gone.

/** A node comes while a session of a group is on its way: it has to choose the members that all others choose. */
const joining: Parameters<typeof holds>[1] = [
  { do: "connect", at: 1, who: 0 },
  { do: "publish", at: 0, qos: 1, topic: "s" },
  { do: "publish", at: 0, qos: 2, topic: "s" },
  { do: "answer", who: 1, count: 1 },
  { do: "kill", at: 2 },
  { do: "connect", at: 2, who: 0 },
  { do: "answer", who: 1, count: 3 },
];

test.skipIf(server === undefined)(
  "messages of durable sessions come as often as they should, in order",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => holds(await postgresPlace(), steps)),
      { numRuns: draws(40), endOnFailure: true, examples: [[joining], [joining], [joining]] },
    );
  },
  600_000,
);
