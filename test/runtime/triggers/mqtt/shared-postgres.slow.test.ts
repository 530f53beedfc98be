import fc from "fast-check";
import { test } from "vitest";
import { server } from "../../../harness/peers/postgres-server.ts";
import { draws } from "../../../harness/rules/words.ts";
import { holds, step } from "./shared-law.ts";
import { postgresPlace } from "./shared-nodes.ts";

// The law of shared-model.test.ts over nodes that share PostgreSQL: their rows, their log, and the locks by which they see who is gone.

test.skipIf(server === undefined)(
  "messages of durable sessions come as often as they should, in order",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => holds(await postgresPlace(), steps)),
      { numRuns: draws(40), endOnFailure: true },
    );
  },
  600_000,
);
