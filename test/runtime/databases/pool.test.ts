import { afterEach, describe, expect, test, vi } from "vitest";
import { Pool, type PoolOptions, Refused } from "../../../runtime/features/actions/database/pool.ts";
import { failure } from "../../harness/database-run.ts";

interface Fake {
  readonly id: number;
  alive: boolean;
}

/** A pool of numbered connections, and what has become of them. */
function pool(options: Partial<PoolOptions<Fake>> = {}) {
  const said: string[] = [];
  let made = 0;
  const opened = new Pool<Fake>({
    connect: async () => {
      made += 1;
      said.push(`connect ${made}`);
      return { id: made, alive: true };
    },
    end: ({ id }) => void said.push(`end ${id}`),
    abort: ({ id }) => void said.push(`abort ${id}`),
    isAlive: ({ alive }) => alive,
    renew: async ({ id }) => void said.push(`renew ${id}`),
    most: 2,
    idle: 1,
    lifetime: null,
    ...options,
  });
  const use = (
    work: (connection: Fake) => Promise<unknown> = async ({ id }) => id,
    reusable: boolean | "renewed" = true,
    timeout = 5000,
  ): Promise<unknown> => opened.lend({ timeout }, async (connection) => ({ value: await work(connection), reusable }));
  return { opened, said, use };
}

/** Work that ends when it is told to. */
function held(): { readonly work: (connection: Fake) => Promise<number>; readonly finish: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: ({ id }) => promise.then(() => id), finish: resolve };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

afterEach(() => void vi.useRealTimers());

describe("a pool", () => {
  test("lends one connection to one piece of work, the last one first, and never more than it may", async () => {
    const { said, use } = pool();
    const [first, second] = [held(), held()];
    const running = [use(first.work), use(second.work), use(), use()];
    await turn();
    expect(said).toEqual(["connect 1", "connect 2"]);
    second.finish();
    expect(await running[2]).toBe(2);
    expect(await running[3]).toBe(2);
    first.finish();
    expect([await running[0], await running[1], await use()]).toEqual([1, 2, 1]);
    expect(said).toEqual(["connect 1", "connect 2"]);
  });

  test("a failure drops the connection, unless the server refused and left it as it was", async () => {
    const { said, use } = pool();
    expect(await failure(use(() => Promise.reject(new Refused(new Error("no such table")))))).toBe("Error: no such table");
    expect(await use()).toBe(1);
    expect(await failure(use(() => Promise.reject(new Error("lost"))))).toBe("Error: lost");
    expect(await use(undefined, false)).toBe(2);
    expect(await use()).toBe(3);
    expect(said).toEqual(["connect 1", "end 1", "connect 2", "end 2", "connect 3"]);
  });

  test("one that broke or is old while idle is not lent again", async () => {
    const { said, use } = pool({ lifetime: 40 });
    await use(async (connection) => {
      connection.alive = false;
    });
    await use();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await use()).toBe(3);
    expect(said).toEqual(["connect 1", "end 1", "connect 2", "end 2", "connect 3"]);
  });

  test("waiting and connecting are part of the time; who gave up takes nothing", async () => {
    const { opened, said, use } = pool({ most: 1 });
    const long = held();
    const first = use(long.work);
    const late = failure(use(undefined, true, 30));
    expect(await late).toBe("timeout: timed out after 30ms");
    const next = use();
    long.finish();
    expect([await first, await next]).toEqual([1, 1]);
    expect(said).toEqual(["connect 1"]);
    const { promise, resolve } = Promise.withResolvers<Fake>();
    const slow = pool({ most: 1, connect: () => promise });
    expect(await failure(slow.use(undefined, true, 20))).toBe("timeout: timed out after 20ms");
    resolve({ id: 7, alive: true });
    await turn();
    expect(await slow.use()).toBe(7);
    await opened.close();
  });

  test("work that takes too long, or whose run is cancelled, is broken off", async () => {
    const { opened, said } = pool();
    const never = (): Promise<never> => new Promise(() => undefined);
    expect(await failure(opened.lend({ timeout: 20 }, never))).toBe("timeout: timed out after 20ms");
    const run = new AbortController();
    const cancelled = failure(opened.lend({ timeout: 5000, signal: () => run.signal }, never));
    setTimeout(() => run.abort(), 150);
    expect(await cancelled).toBe("database: database: cancelled");
    expect(said).toEqual(["connect 1", "abort 1", "end 1", "connect 2", "abort 2", "end 2"]);
  });

  test("a connection that cannot be made fails the one who asked, and the next tries again", async () => {
    let tries = 0;
    const { use } = pool({
      most: 1,
      connect: async () => {
        tries += 1;
        if (tries === 1) throw new Error("refused");
        return { id: tries, alive: true };
      },
    });
    const [first, second] = [failure(use()), use()];
    expect([await first, await second]).toEqual(["Error: refused", 2]);
  });

  test("more than are kept stay for a while, and go when nobody has come", async () => {
    vi.useFakeTimers();
    const { said, use } = pool({ most: 3 });
    const works = [held(), held(), held()];
    const running = works.map(({ work }) => use(work));
    await vi.advanceTimersByTimeAsync(0);
    for (const { finish } of works) finish();
    await Promise.all(running);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(said).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(said.slice(3)).toEqual(["end 1", "end 2"]);
  });

  test("closed, it ends what is idle and serves nobody", async () => {
    const { opened, said, use } = pool({ most: 1 });
    const long = held();
    const first = use(long.work);
    const waiting = failure(use());
    await turn();
    await opened.close();
    expect(await waiting).toBe("database: database: the service is shutting down");
    long.finish();
    expect(await first).toBe(1);
    expect(await failure(use())).toBe("database: database: the service is shutting down");
    expect(said).toEqual(["connect 1", "end 1"]);
  });

  test("a connection whose session was changed is as new before it is lent again", async () => {
    const renewing = Promise.withResolvers<void>();
    const { use, said } = pool({
      most: 1,
      renew: async ({ id }) => {
        said.push(`renew ${id}`);
        await renewing.promise;
      },
    });
    expect(await use(undefined, "renewed")).toBe(1);
    const next = use(async ({ id }) => said.push(`use ${id}`));
    expect(said).toEqual(["connect 1", "renew 1"]);
    renewing.resolve();
    await next;
    expect(said).toEqual(["connect 1", "renew 1", "use 1"]);
  });

  test("one that cannot be made as new is not used again", async () => {
    const { use, said } = pool({
      most: 1,
      renew: async () => {
        throw new Error("lost");
      },
    });
    expect([await use(undefined, "renewed"), await use()]).toEqual([1, 2]);
    expect(said).toEqual(["connect 1", "end 1", "connect 2"]);
  });
});
