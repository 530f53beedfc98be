import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { retryRun } from "#runtime/durable/retry.ts";
import type { ClaimedRun, RunStore } from "#runtime/store/runs.ts";
import { failure } from "../../harness/database-run.ts";
import { backends, hashOf, minute, newRun, of, type Place } from "./run-stores.ts";

// Runs that are tried again mean the same on every backend (spec/surfaces 14).

describe.each(backends)("$name", ({ open }) => {
  let place: Place;
  let store: RunStore;
  beforeEach(async () => {
    place = await open();
    store = place.node();
  });
  afterEach(() => place.close());

  const claim = async (node: string): Promise<readonly ClaimedRun[]> => store.claim(of(node), ["p1"], 100);

  test("a run that failed or was cancelled is tried again from where it was", async () => {
    const run = newRun({ lease: of("a") });
    await store.create(run);
    expect(await store.retry(run.id, [])).toBe("refused");
    expect(await store.retry(newRun().id, [])).toBe("unknown");
    const finish = { status: "failed", result: "no" } as const;
    await store.checkpoint({ id: run.id, epoch: 1 }, [{ path: "A", output: "1" }], { finish });
    expect(await store.retry(run.id, [])).toBe("due");
    expect(await store.show(run.id)).toMatchObject({ status: "open", ended: null, result: null });
    // The node that has stored the end may not know that it has: it stores it again.
    expect(await store.checkpoint({ id: run.id, epoch: 1 }, [], { finish })).toBe("fenced");
    expect(await claim("b")).toMatchObject([{ epoch: 3, checkpoints: [{ path: "A", output: "1" }] }]);
    expect(await store.cancel(run.id)).toBe("cancelled");
    expect(await store.cancel(run.id)).toBe("cancelled");
    expect(await store.checkpoint({ id: run.id, epoch: 3 }, [], {})).toBe("fenced");
    expect(await store.retry(run.id, [])).toBe("due");
    expect(await claim("b")).toMatchObject([{ id: run.id }]);
  });

  test("steps of a failed action stay, but for those that still waited: they ask again", async () => {
    const run = newRun({ lease: of("a") });
    await store.create(run);
    const until = (await store.now()) + 60 * minute;
    const [asks, token, question] = ["A\tstep two", "A\tstep two\ttoken", "A\tstep two\tquestion"] as const;
    const done = { path: "A\tstep one", output: "1" };
    await store.checkpoint({ id: run.id, epoch: 1 }, [done, { path: question, output: "{}" }], {
      wait: { path: token, tokenHash: hashOf(7), until },
    });
    await store.checkpoint({ id: run.id, epoch: 1 }, [], { wait: { path: asks, tokenHash: hashOf(8), until } });
    const failed = { path: "A", output: '{"state":"failed"}' };
    const closed = [asks, token].map((path) => ({ path, output: "" }));
    await store.checkpoint({ id: run.id, epoch: 1 }, [failed, ...closed], { finish: { status: "failed", result: "no" } });
    expect(await retryRun(store, run.id)).toEqual({ done: "due" });
    expect(await claim("b")).toMatchObject([{ checkpoints: [done], waits: [] }]);
    const held = { id: run.id, epoch: 3 };
    expect(await store.checkpoint(held, [{ path: question, output: "{}" }], { wait: { path: token, tokenHash: hashOf(7), until } })).toBe(
      "ok",
    );
    expect(await store.resume(hashOf(7), "{}")).toEqual({ state: "resumed", id: run.id });
  });

  test("in a run that was cancelled, callbacks whose time is over are waited for anew, and nothing else is", async () => {
    const run = newRun({ lease: of("a") });
    await store.create(run);
    const now = await store.now();
    const later = now + 60 * minute;
    const rows = [
      ["Late\ttoken", later],
      ["Late", now],
      ["Come\ttoken", later],
      ["Come", now],
      ["Open\ttoken", later],
      ["Open", later],
      ["Delay", now],
      ["A\tstep two\ttoken", now],
      ["A\tstep two", now],
    ] as const;
    for (const [n, [path, until]] of rows.entries()) {
      await store.checkpoint({ id: run.id, epoch: 1 }, [], { wait: { path, tokenHash: hashOf(n), until } });
      if (path === "Come\ttoken") expect(await store.resume(hashOf(n), "{}")).toEqual({ state: "resumed", id: run.id });
    }
    await store.checkpoint({ id: run.id, epoch: 1 }, [{ path: "A\tstep two\tquestion", output: "{}" }], {});
    await store.cancel(run.id);
    expect(await retryRun(store, run.id)).toEqual({ done: "due" });
    const [claimed] = await claim("b");
    expect(claimed?.waits.map(({ path }) => path)).toEqual(["Come\ttoken", "Come", "Open\ttoken", "Open", "Delay"]);
    expect(claimed?.checkpoints).toEqual([]);
  });

  test("what is to be done again is forgotten, waits and tokens too", async () => {
    const run = newRun({ lease: of("a") });
    await store.create(run);
    const held = { id: run.id, epoch: 1 };
    const wait = { path: "Ask\ttoken", tokenHash: hashOf(7), until: (await store.now()) + 60 * minute };
    const long = `"${"no".repeat(70_000)}"`;
    const points = [
      { path: "Load", output: "1" },
      { path: "Lines[0]/Line", output: long },
      { path: "Ask", output: "2" },
      { path: "Ask\ttoken", output: "" },
    ];
    expect(await store.outputs(run.id)).toEqual([]);
    await store.checkpoint(held, points, { wait });
    expect(await store.retry(run.id, ["Load"])).toBe("refused");
    await store.checkpoint(held, [{ path: "Ship", output: "3" }], { finish: { status: "failed", result: "no" } });
    expect(await store.outputs(run.id)).toEqual([...points, { path: "Ship", output: "3" }]);
    expect(await failure(store.retry(run.id, [""]))).toBe("state: path of a run is empty");
    const [, line, ...ask] = points;
    expect(await store.retry(run.id, [line, ...ask].map((point) => point?.path ?? "").concat("Never"))).toBe("due");
    const left = [
      { path: "Load", output: "1" },
      { path: "Ship", output: "3" },
    ];
    expect(await store.outputs(run.id)).toEqual(left);
    expect(await store.resume(wait.tokenHash, "{}")).toEqual({ state: "unknown" });
    expect(await claim("b")).toMatchObject([{ id: run.id, input: run.input, checkpoints: left, waits: [] }]);
    // An output may be stored under the path again, and the token can be used.
    expect(await store.checkpoint({ id: run.id, epoch: 3 }, [{ path: "Lines[0]/Line", output: long }], { wait })).toBe("ok");
    expect(await store.outputs(run.id)).toEqual([...left, { path: "Lines[0]/Line", output: long }]);
    expect(await store.resume(wait.tokenHash, "{}")).toEqual({ state: "resumed", id: run.id });
    expect(await store.outputs(newRun().id)).toEqual([]);
  });
});
