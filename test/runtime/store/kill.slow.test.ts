import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHost, type Host } from "#runtime/process/host.ts";
import { stateOf } from "#runtime/state/open.ts";
import { runsOf } from "#runtime/store/open-runs.ts";
import { type DurablePlace, durable } from "./run-stores.ts";

// Acknowledged writes are there after the process was killed, and nothing is there by halves.

const script = fileURLToPath(new URL("acknowledging.ts", import.meta.url));

/** The number of lines that a process writes before it is killed: another number each time, so that it dies in other places. */
const lines = [1, 50, 333];

describe.each(durable)("$name", ({ open }) => {
  let place: DurablePlace;
  let host: Host;
  beforeEach(async () => {
    place = await open();
    host = createHost({ env: { PIPEWRIGHT_DATABASE_URL: place.address } });
  });
  afterEach(async () => {
    await host.close();
    await place.close();
  });

  /** Starts a process, and kills it in the middle; gives what it has said. */
  async function killed(name: string, after: number): Promise<string[]> {
    const child = spawn(process.execPath, [script, place.address, name], { stdio: ["ignore", "pipe", "inherit"] });
    const exit = once(child, "exit");
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line);
      if (said.length === after) child.kill("SIGKILL");
    }
    await exit;
    return said;
  }

  test("after kill -9 everything that was acknowledged is there", { timeout: 60_000 }, async () => {
    for (const [n, after] of lines.entries()) {
      const node = `n${n}`;
      const said = await killed(node, after);
      expect(said.length).toBeGreaterThanOrEqual(after);
      const [runs, state] = [runsOf(host), stateOf(host)];
      await runs.attend("other");
      const named = (word: string): string[] =>
        said.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
      // The process is known to be gone, so that its leases of a minute end at once.
      let expired = 0;
      await expect.poll(async () => (expired += await runs.expireGone())).toBeGreaterThanOrEqual(named("created").length);
      expect(await runs.expireGone()).toBe(0);
      const claims = new Map((await runs.claim({ node: "other", ms: 60_000 }, ["p"], 100_000)).map((run) => [run.id, run]));
      for (const id of named("created")) expect(claims.get(id)).toMatchObject({ input: id, epoch: 2 });
      for (const id of named("settled")) expect(claims.get(id)?.checkpoints).toEqual([{ path: "A", output: `"${id}"` }]);
      for (const id of named("stored")) expect(await state.get({ namespace: "n", key: id })).toMatchObject({ version: 1 });
      // Nothing by halves: a run has all of its row, and at most the output that its node has sent.
      for (const { id, input, seed, checkpoints } of claims.values()) {
        expect([input, seed]).toEqual([id, "s"]);
        expect([[], [{ path: "A", output: `"${id}"` }]]).toContainEqual(checkpoints);
      }
    }
  });
});
