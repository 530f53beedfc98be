import { expect, test } from "vitest";
import { server } from "../../harness/peers/postgres-server.ts";
import { draws, seed } from "../../harness/rules/words.ts";
import { problemsOf, runBus } from "./bus.ts";
import { lateEnds, runCluster } from "./cluster.ts";
import { postgresPrograms } from "./own-postgres.ts";

// Faults F2, F15 and F16: nodes that are killed and ended by chance while callers ask. `DRAWS=100000` accepts that many runs.

const runs = draws(1_000);

test.runIf(server !== undefined)(
  `${runs} runs on three nodes that are killed and ended by chance finish exactly once, seed ${seed}`,
  async () => {
    const options = {
      server: server ?? "",
      nodes: 3,
      runs,
      callers: 8,
      seed,
      faults: ["kill", "term"] as const,
      faultEveryMs: 1_500,
      downMs: 0,
      leastFaults: 1,
    };
    const account = await runCluster(options, () => undefined);
    expect(account.problems).toEqual([]);
    expect(account.finishedOnce).toBe(account.accepted);
    expect(account.accepted).toBeGreaterThanOrEqual(runs);
    expect(account.faults.kill + account.faults.term).toBeGreaterThan(0);
    // A key that stays lets the upstream tell a repeat from another order.
    expect(account.repeats).toBeLessThan(account.effects / 4);
  },
  300_000 + runs * 50,
);

test("ends in good order that take too long are problems of the account", () => {
  const takeovers = { kill: [9_000], term: [100, 501, 900], stop: [9_000], deploy: [100, 200, 900], cut: [] };
  expect(lateEnds([400, 30_001], takeovers)).toEqual([
    "a node took 30001 ms to end after SIGTERM: at most 30000",
    "half of the runs were taken over 501 ms after term: at most 500",
  ]);
  expect(lateEnds([30_000], { ...takeovers, term: [] })).toEqual([]);
});

const programs = postgresPrograms();
if (programs === undefined) console.log("skipped: no initdb of PostgreSQL, so that no database can crash");

// Fault F3: the database ends at once and comes back, again and again.
test.runIf(programs !== undefined)(
  `${runs} runs finish exactly once while their database crashes, and nobody waits for it, seed ${seed}`,
  async () => {
    const options = {
      server: "",
      nodes: 2,
      runs,
      leastFaults: 2,
      callers: 8,
      seed,
      faults: ["crash"] as const,
      faultEveryMs: 1_000,
      downMs: 1_500,
    };
    const account = await runCluster(options, () => undefined);
    expect(account.problems).toEqual([]);
    expect(account.finishedOnce).toBe(account.accepted);
    expect(account.refused).toBeGreaterThan(0);
    // A refusal waits 0.8 s for the store at most; the rest is for a busy machine.
    expect(account.slowestRefusal).toBeLessThan(4_000);
  },
  300_000 + runs * 50,
);

// Fault F18: the connections by which nodes listen are ended one after the other while all of them publish.
test.runIf(server !== undefined)(
  "connections of the bus end under load, and all nodes hear one sequence without a gap",
  async () => {
    const options = { server: server ?? "", nodes: 3, perSecond: 500, seconds: 4, killEveryMs: 500, seed };
    const { published, kills, nodes, problems } = await runBus(options, () => undefined);
    expect(problems).toEqual([]);
    expect(published).toBeGreaterThan(0);
    expect(kills).toBeGreaterThan(0);
    // The account itself can fail: a message that is missing, one that comes twice, and another order.
    const [first, second = first] = nodes;
    if (first === undefined || second === undefined) throw new Error("no node has told what it has heard");
    const wrong = { ...second, heard: published + 1, gaps: 1, repeats: 2, hash: "another", blocks: ["another"] };
    expect(problemsOf([first, wrong], published)).toEqual([
      `node-2 has heard ${published + 1} of ${published} messages`,
      "node-2 has missed 1 messages between others",
      "node-2 has heard 2 messages again",
      "node-2 has heard them in another order than node-1, from block 0 on",
    ]);
  },
  120_000,
);
