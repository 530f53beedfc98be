import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { server } from "../../harness/peers/postgres-server.ts";
import { type Stub, send, stub } from "../../harness/sockets.ts";
import { until, untilTrue } from "../../harness/until.ts";
import { type PostgresService, postgres } from "../bus/buses.ts";
import { type Processes, processes, type Running } from "../bus/services.ts";

// The cap of detached runs over nodes that share PostgreSQL (spec/surfaces 1).

const jobs = `name: jobs
interfaces:
  plain: { method: POST, respond: early, actions: [{ name: Ask, http: { url: a|env::UPSTREAM| } }] }
  kept: { method: POST, respond: early, durable: true, actions: [{ name: Ask, http: { url: a|env::UPSTREAM| } }] }
`;

const cap = 4;

describe.skipIf(server === undefined)("nodes on PostgreSQL", () => {
  let place: PostgresService;
  let upstream: Stub;
  let service: Processes;
  const waiting: ServerResponse[] = [];

  beforeEach(async () => {
    service = processes();
    place = await postgres();
    upstream = await stub((response) => void waiting.push(response));
  });
  afterEach(async () => {
    service.endAll();
    for (const response of waiting.splice(0)) response.destroy();
    await upstream.close();
    await place.close();
  });

  const node = (): Promise<Running> =>
    service.start(jobs, {
      PIPEWRIGHT_DATABASE_URL: place.address,
      PIPEWRIGHT_CLUSTERED: "true",
      PIPEWRIGHT_MAX_DETACHED_RUNS: String(cap),
      UPSTREAM: upstream.url,
    });

  const ask = async ({ url }: Running, path: string): Promise<number> => (await send(url, path, { method: "POST", agent: false })).status;

  /** Begins as many as the node admits; gives their number. */
  async function filled(one: Running, path: string): Promise<number> {
    for (let admitted = 0; admitted <= cap; admitted++) {
      const status = await ask(one, path);
      if (status === 429) return admitted;
      expect(status).toBe(202);
    }
    throw new Error(`more than ${cap} are admitted: ${JSON.stringify(one.lines())}`);
  }

  /** Waits until the store knows so many runs of all nodes. */
  const known = (count: number): Promise<void> =>
    untilTrue(async () => {
      const [row] = await place.query("SELECT coalesce(sum(count), 0) AS sum FROM pw_tallies");
      return Number(row?.sum) === count;
    });

  /** The second node refuses while it has fewer runs than the cap: the first one has the others. It asks with its first run. */
  async function refusedByOthers(second: Running, path: string): Promise<number> {
    expect(await ask(second, path)).toBe(202);
    await known(cap + 1);
    const own = 1 + (await filled(second, path));
    expect(own).toBeLessThan(cap);
    await known(cap + own);
    return own;
  }

  test.each(["/plain", "/kept"])("runs of %s of one node count for the other, also those of a killed one for a while", async (path) => {
    const [first, second] = [await node(), await node()];
    expect(await filled(first, path)).toBe(cap);
    await known(cap);
    await refusedByOthers(second, path);
    await first.kill();
    expect(await ask(second, path)).toBe(429);
    // Half a minute passes for the node that says nothing any more.
    await place.query("UPDATE pw_tallies SET until = until - 30000 WHERE count = (SELECT max(count) FROM pw_tallies)");
    await until(async () => expect(await ask(second, path)).toBe(202));
  });

  test("a node that ends in good order takes its runs out at once", async () => {
    const [first, second] = [await node(), await node()];
    expect(await filled(first, "/plain")).toBe(cap);
    await known(cap);
    const own = await refusedByOthers(second, "/plain");
    const ended = first.end();
    for (const response of waiting.slice(0, cap)) response.end("{}");
    expect(await ended).toBe(0);
    await known(own);
    await until(async () => expect(await ask(second, "/plain")).toBe(202));
  });

  test("without its store a node counts for itself, and together with the others again when it is back", async () => {
    const [first, second] = [await node(), await node()];
    expect(await filled(first, "/plain")).toBe(cap);
    await known(cap);
    const own = await refusedByOthers(second, "/plain");
    place.cut(true);
    await until(async () => expect(await ask(second, "/plain")).toBe(202));
    expect(await filled(second, "/plain")).toBe(cap - own - 1);
    place.back();
    await known(2 * cap);
    const told = (): readonly unknown[] => second.lines().flatMap(({ level, msg }) => (/counted/.test(String(msg)) ? [level] : []));
    await until(() => expect(told()).toEqual(["warn", "info"]));
    for (const response of waiting.slice(cap)) response.end("{}");
    await known(cap);
    expect(await ask(second, "/plain")).toBe(429);
  });
});
