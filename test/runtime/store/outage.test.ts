import { DatabaseSync } from "node:sqlite";
import { describe, expect, test, vi } from "vitest";
import { Broken, Engine } from "#runtime/durable/engine.ts";
import { MemoryRuns } from "#runtime/store/memory-runs.ts";
import { isOutage, Outage } from "#runtime/store/outage.ts";
import { PostgresStore } from "#runtime/store/postgres-store.ts";
import { checkPayload } from "#runtime/store/run-bounds.ts";
import { Failure } from "#runtime/value/failure.ts";
import { server } from "../../harness/peers/postgres-server.ts";
import { Process, World } from "../durable/simulated-world.ts";

// An outage is what may be over when the same thing is asked again; all else is refused for good (spec/surfaces 14).

const coded = (code: string): Error => Object.assign(new Error(code), { code });
const numbered = (errcode: number): Error => Object.assign(new Error("sqlite"), { errcode });
const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

test.each([
  ...["08006", "08001", "57P01", "57P02", "57P03", "57014", "53300", "53100", "40001", "40P01", "58030", "55P03", "25006"].map(coded),
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "EMFILE"].map(coded),
  ...[5, 6, 261, 517, 10, 13, 14].map(numbered),
  new Failure("timeout", "timed out after 5000ms"),
  new Failure("state", "state is not available", { cause: coded("ECONNRESET") }),
  new Outage("Connection terminated unexpectedly"),
])("%o is an outage", (error) => expect(isOutage(error)).toBe(true));

test.each([
  ...["22021", "22P05", "23505", "23514", "42P01", "42703", "42601", "XX000", "P0001", "0A000"].map(coded),
  ...["ERR_INVALID_STATE", "ERR_INVALID_ARG_TYPE"].map(coded),
  ...[1, 8, 11, 19, 20, 275, 1299].map(numbered),
  new TypeError("undefined is no function"),
  new Error("a bug"),
  thrownBy(() => checkPayload("\0")),
  "text",
])("%o is none", (error) => expect(isOutage(error)).toBe(false));

test("a file of SQLite that another process writes, and a rule of a table", () => {
  const [one, other] = [new DatabaseSync("file:outage?mode=memory&cache=shared"), new DatabaseSync("file:outage?mode=memory&cache=shared")];
  one.exec("CREATE TABLE t (a CHECK (a > 0)); BEGIN IMMEDIATE");
  expect(isOutage(thrownBy(() => other.exec("BEGIN IMMEDIATE")))).toBe(true);
  expect(isOutage(thrownBy(() => one.exec("INSERT INTO t VALUES (0)")))).toBe(false);
  one.close();
  other.close();
});

describe.skipIf(server === undefined)("PostgreSQL", () => {
  const asked = async (address: string, text: string): Promise<unknown> => {
    const store = new PostgresStore(address, () => undefined);
    const error = await store.ask(text, []).catch((thrown: unknown) => thrown);
    await store.close().catch(() => undefined);
    return error;
  };

  test.each([
    ["a session that the server ends", "SELECT pg_terminate_backend(pg_backend_pid())"],
    ["a statement that the server ends", "SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(60)"],
    ["what the operator has closed", "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '57P03'; END $$"],
  ])("%s is an outage", async (_, text) => expect(isOutage(await asked(server ?? "", text))).toBe(true));

  test.each([
    ["nobody", (url: URL) => (url.port = "1")],
    ["a server that lets nobody in", (url: URL) => (url.pathname = "/no_such_database")],
  ])("%s is an outage", async (_, change) => {
    const url = new URL(server ?? "");
    change(url);
    expect(isOutage(await asked(url.href, "SELECT 1"))).toBe(true);
  });

  test.each([
    ["a character", "SELECT convert_from('\\xff', 'UTF8')"],
    ["a rule", "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '23514'; END $$"],
    ["a name", "SELECT nothing"],
    ["a syntax", "SELEC"],
  ])("%s that is refused is none", async (_, text) => {
    const error = await asked(server ?? "", text);
    expect(error).toBeInstanceOf(Error);
    expect(isOutage(error)).toBe(false);
  });

  test("a closed store is away", async () => {
    const store = new PostgresStore(server ?? "", () => undefined);
    await store.ask("SELECT 1", []);
    await store.close();
    expect(isOutage(await store.ask("SELECT 1", []).catch((thrown: unknown) => thrown))).toBe(true);
  });
});

describe("an engine", () => {
  const setUp = () => {
    const world = new World(1);
    const lines: string[] = [];
    const log = (level: string, text: string): void => void lines.push(`${level} ${text}`);
    const parts = { store: new MemoryRuns(() => world.now), isLasting: true, node: "n", timers: new Process(world, 1), log };
    return { world, lines, engine: new Engine(parts) };
  };

  test("repeats what an outage has kept from it", async () => {
    const { world, lines, engine } = setUp();
    // Something has to happen until the engine has set its first timer.
    world.after(1, () => undefined);
    const errors = [coded("ECONNREFUSED"), coded("57P03"), numbered(5)];
    const answer = engine.insist(
      async () => {
        const error = errors.shift();
        if (error !== undefined) throw error;
        return "kept";
      },
      () => true,
    );
    await world.run(10_000);
    expect(await answer).toBe("kept");
    expect(lines).toEqual(["error durable runs: the store does not answer: ECONNREFUSED", "info durable runs: the store answers again"]);
  });

  test.each([
    [
      "a refusal of ours",
      new Failure("state", "path of a run is empty"),
      "path of a run is empty",
      ["error durable runs: the store refuses a call"],
    ],
    ["a rule of a table", coded("23514"), "the run store refuses it", ["error durable runs: the store refuses a call"]],
    ["a bug", new TypeError("bug"), "the run store refuses it", ["error durable runs: the store refuses a call"]],
  ])("asks once for what %s keeps from it", async (_, error, message, said) => {
    const { lines, engine } = setUp();
    let asked = 0;
    const answer = engine.insist(
      () => {
        asked += 1;
        return Promise.reject(error);
      },
      () => true,
    );
    await expect(answer).rejects.toEqual(new Broken(message));
    expect(asked).toBe(1);
    expect(lines).toEqual(said);
    // The store still answers all other requests.
    expect(engine.health.isDown).toBe(false);
  });

  test("takes a store that only answers those who read for one that is away", async () => {
    const { world, lines, engine } = setUp();
    let probes = 0;
    vi.spyOn(engine.store, "probe").mockImplementation(async () => {
      probes += 1;
      if (probes < 20) throw numbered(13);
    });
    const reads = vi.spyOn(engine.store, "nextDue");
    engine.serve(["plan"], () => undefined);
    engine.health.failed(numbered(13));
    await world.run(2_000);
    expect(probes).toBeGreaterThan(3);
    expect(lines).toEqual(["error durable runs: the store does not answer: its disk is full, give it room (sqlite)"]);
    expect([engine.health.isAnswered, engine.health.isDown]).toEqual([false, true]);
    await world.run(10_000);
    expect(probes).toBe(20);
    expect(lines.slice(1)).toEqual(["info durable runs: the store answers again"]);
    expect(reads).toHaveBeenCalled();
  });

  test("finds out that a store is back although it claims nothing", async () => {
    const { world, lines, engine } = setUp();
    engine.health.failed(new Outage("away"));
    await world.run(1_000);
    expect(lines).toEqual(["error durable runs: the store does not answer: away", "info durable runs: the store answers again"]);
  });

  test("that is about to end leaves without a store that takes nothing", async () => {
    const { world, lines, engine } = setUp();
    vi.spyOn(engine.store, "probe").mockRejectedValue(numbered(10));
    // Something has to happen until the engine has set its first timer.
    world.after(1, () => undefined);
    const given = engine.insist(
      () => Promise.reject(numbered(10)),
      () => true,
    );
    await world.run(4_000);
    engine.handOver();
    await world.run(10_000);
    expect(await given).toBeUndefined();
    expect(lines).toEqual([
      "error durable runs: the store does not answer: its disk cannot be written, see what the system logs of it (sqlite)",
      expect.stringMatching(/^warn durable runs: the process ends without its store: its runs go on at another node/),
    ]);
  });

  test("asks no more when nobody wants the answer", async () => {
    const { lines, engine } = setUp();
    let isWanted = true;
    const ask = (): Promise<never> => {
      isWanted = false;
      return Promise.reject(new TypeError("closed"));
    };
    expect(await engine.insist(ask, () => isWanted)).toBeUndefined();
    expect(lines).toEqual([]);
  });
});
