import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { maxRunBytes } from "#runtime/store/run-bounds.ts";
import type { ClaimedRun, Created, RunStore } from "#runtime/store/runs.ts";
import { failure } from "../../harness/database-run.ts";
import { backends, minute, newRun, of, type Place } from "./run-stores.ts";

// Each operation means the same on every backend (spec/surfaces 14).

describe.each(backends)("$name", ({ open }) => {
  let place: Place;
  let store: RunStore;
  beforeEach(async () => {
    place = await open();
    store = place.node();
  });
  afterEach(() => place.close());

  const claim = async (node = "a", plans = ["p1"], limit = 100): Promise<readonly ClaimedRun[]> => store.claim(of(node), plans, limit);
  const idsOf = (found: readonly { readonly id: string }[]): string[] => found.map(({ id }) => id);

  test("a run is created, claimed, checkpointed and finished", async () => {
    const run = newRun();
    expect(await store.create(run)).toEqual({ id: run.id, created: true, epoch: 0 });
    const [held] = await claim();
    expect(held).toMatchObject({ ...run, epoch: 1, checkpoints: [], waits: [] });
    const point = { path: "Load", output: '{"data":[1,"é","\\u0000"]}' };
    expect(await store.checkpoint({ id: run.id, epoch: 1 }, [point], { plan: "p2" })).toBe("ok");
    expect(await store.show(run.id)).toMatchObject({ status: "open", plan: "p2", node: "a", epoch: 1, settled: ["Load"], result: null });
    const finish = { status: "done", result: '{"status":200}' } as const;
    expect(await store.checkpoint({ id: run.id, epoch: 1 }, [{ path: "Send", output: "2" }], { finish })).toBe("ok");
    const shown = await store.show(run.id);
    expect(shown).toMatchObject({ status: "done", node: null, due: null, settled: ["Load", "Send"], result: '{"status":200}' });
    expect(shown?.ended).toBeGreaterThanOrEqual(shown?.created ?? Number.NaN);
    await place.pass(60 * minute);
    expect(await claim()).toEqual([]);
  });

  test("a probe is taken again and again, by several nodes, and is nothing that a run or a caller sees", async () => {
    const run = newRun({ dedupeKey: "a" });
    await store.create(run);
    for (const node of ["a", "b", "a"]) await store.probe(node);
    expect(idsOf(await store.list({}))).toEqual([run.id]);
    expect(await store.create(newRun({ dedupeKey: "a" }))).toMatchObject({ id: run.id, created: false });
    expect(await store.prune(await store.now())).toBe(0);
    expect(idsOf(await claim())).toEqual([run.id]);
  });

  test("of two outputs of one path in a call the first one counts, also where they are long", async () => {
    const run = newRun({ lease: of("a") });
    await store.create(run);
    const long = (letter: string): string => letter.repeat(100_000);
    const points = [
      { path: "A", output: long("x") },
      { path: "B", output: "1" },
      { path: "A", output: long("y") },
    ];
    expect(await store.checkpoint({ id: run.id, epoch: 1 }, points, {})).toBe("ok");
    await place.pass(minute);
    const [held] = await claim("b");
    expect(new Map(held?.checkpoints.map(({ path, output }) => [path, output]))).toEqual(
      new Map([
        ["A", long("x")],
        ["B", "1"],
      ]),
    );
  });

  test("a node that creates a run with a lease holds it; it is claimed when the lease is over, with what was stored", async () => {
    const run = newRun({ lease: of("a") });
    expect(await store.create(run)).toEqual({ id: run.id, created: true, epoch: 1 });
    await store.checkpoint({ id: run.id, epoch: 1 }, [{ path: "Load", output: "1" }], {});
    expect(await claim("b")).toEqual([]);
    await place.pass(minute);
    const [held] = await claim("b");
    expect(held).toMatchObject({ id: run.id, epoch: 2, checkpoints: [{ path: "Load", output: "1" }] });
    expect(held?.age).toBeGreaterThanOrEqual(minute);
  });

  test("an older epoch is fenced and changes nothing", async () => {
    const run = newRun({ lease: of("a") });
    await store.create(run);
    await place.pass(minute);
    expect(await claim("b")).toHaveLength(1);
    const before = await store.show(run.id);
    const late = { id: run.id, epoch: 1 };
    const wait = { path: "Ask", tokenHash: "0".repeat(64), until: (await store.now()) + minute };
    expect(await store.checkpoint(late, [{ path: "Load", output: "late" }], { plan: "p9", wait })).toBe("fenced");
    expect(await store.checkpoint(late, [], { finish: { status: "done", result: "late" } })).toBe("fenced");
    expect(await store.checkpoint(late, [], { release: {} })).toBe("fenced");
    expect(await store.checkpoint({ id: newRun().id, epoch: 1 }, [], {})).toBe("fenced");
    expect(await store.show(run.id)).toEqual(before);
    expect(await store.resume(wait.tokenHash, "{}")).toEqual({ state: "unknown" });
    expect(await store.renew(of("a"), [late])).toEqual([run.id]);
  });

  test("a checkpoint that is repeated is stored once, and so is an end", async () => {
    const run = newRun({ lease: of("a") });
    await store.create(run);
    const held = { id: run.id, epoch: 1 };
    const finish = { status: "failed", result: "first" } as const;
    expect(await store.checkpoint(held, [{ path: "A", output: "first" }], {})).toBe("ok");
    expect(await store.checkpoint(held, [{ path: "A", output: "second" }], {})).toBe("ok");
    await store.checkpoint(held, [], { release: {} });
    const [again] = await claim("a");
    expect(again?.checkpoints).toEqual([{ path: "A", output: "first" }]);
    const now = { id: run.id, epoch: 2 };
    expect(await store.checkpoint(now, [{ path: "B", output: "2" }], { finish })).toBe("ok");
    expect(await store.checkpoint(now, [{ path: "B", output: "3" }], { finish: { ...finish, result: "second" } })).toBe("ok");
    expect(await store.show(run.id)).toMatchObject({ status: "failed", result: "first", settled: ["A", "B"] });
    expect(await store.checkpoint(now, [{ path: "C", output: "3" }], {})).toBe("fenced");
  });

  test("runs are claimed in the order in which they are due, as many as are asked for", async () => {
    const now = await store.now();
    const runs = [3, 1, 2, 4].map((n) => newRun({ wakeAt: now - n * minute }));
    for (const run of runs) await store.create(run);
    const later = newRun({ wakeAt: now + 400 * 24 * 60 * minute });
    await store.create(later);
    const order = [3, 0, 2, 1].map((index) => runs[index]?.id);
    expect(idsOf(await claim("a", ["p1"], 3))).toEqual(order.slice(0, 3));
    expect(idsOf(await claim("b"))).toEqual(order.slice(3));
    expect(await claim("b")).toEqual([]);
    await place.pass(400 * 24 * 60 * minute);
    expect((await claim("c")).at(-1)?.id).toBe(later.id);
  });

  test("a node claims runs whose plan it has; the others are stuck for it", async () => {
    const runs = ["p1", "p2", "p3"].map((plan) => newRun({ plan }));
    for (const run of runs) await store.create(run);
    expect(await claim("a", [])).toEqual([]);
    expect(idsOf(await claim("a", ["p3", "p1"])).sort()).toEqual([runs[0]?.id, runs[2]?.id]);
    expect(idsOf(await store.stuck(["p3", "p1"], 10))).toEqual([runs[1]?.id]);
    expect(await store.nextDue(["p2"])).toBe(0);
    expect(await store.nextDue(["p9"])).toBeUndefined();
  });

  test("a lease is renewed by its holder alone, and ended for a node that is gone", async () => {
    const [one, two] = [newRun(), newRun()];
    await store.create(one);
    await store.create(two);
    await claim("a");
    const held = [one, two].map(({ id }) => ({ id, epoch: 1 }));
    await place.pass(minute - 1_000);
    expect(await store.renew(of("b"), held)).toEqual([one.id, two.id]);
    expect(await store.renew(of("a"), held)).toEqual([]);
    await place.pass(minute - 1_000);
    expect(await claim("b")).toEqual([]);
    expect(await store.nextDue(["p1"])).toBeLessThanOrEqual(1_000);
    await store.checkpoint({ id: two.id, epoch: 1 }, [], { finish: { status: "done", result: "" } });
    expect(await store.expireNode("c")).toBe(0);
    expect(await store.expireNode("a")).toBe(1);
    expect(idsOf(await claim("b"))).toEqual([one.id]);
    expect(await store.renew(of("a"), held)).toEqual([one.id, two.id]);
  });

  test("a run that is released sleeps until its time", async () => {
    const run = newRun({ lease: of("a") });
    await store.create(run);
    const at = (await store.now()) + 90 * minute;
    expect(await store.checkpoint({ id: run.id, epoch: 1 }, [], { release: { at } })).toBe("ok");
    expect(await store.show(run.id)).toMatchObject({ status: "open", node: null, due: at, epoch: 1 });
    expect(await store.renew(of("a"), [{ id: run.id, epoch: 1 }])).toEqual([run.id]);
    expect(await claim("b")).toEqual([]);
    expect(await store.nextDue(["p1"])).toBeGreaterThan(89 * minute);
    await place.pass(90 * minute);
    expect(await claim("b")).toMatchObject([{ id: run.id, epoch: 2 }]);
  });

  test("as many runs as the quota says are due or under way; those that sleep do not count", async () => {
    const asleep = newRun({ wakeAt: (await store.now()) + minute });
    await store.create(asleep);
    const created = await Promise.all(
      Array.from({ length: 100 }, (_, n) => store.create(newRun({ quota: 10, ...(n % 2 === 0 ? { lease: of("a") } : {}) }))),
    );
    const made = created.filter((answer): answer is Created => answer !== "quota");
    expect(made).toHaveLength(10);
    expect(await store.create(newRun({ quota: 10, interface: "Other" }))).toMatchObject({ created: true });
    const held = made.find(({ epoch }) => epoch === 1) ?? { id: "", epoch: 0 };
    expect(await store.checkpoint(held, [], { finish: { status: "done", result: "" } })).toBe("ok");
    const last = await Promise.all([1, 2].map(() => store.create(newRun({ quota: 10 }))));
    expect(last.filter((answer) => answer === "quota")).toHaveLength(1);
  });

  test("a key gives the first run for a day, to one caller of many as new, and full or not", async () => {
    const runs = Array.from({ length: 20 }, () => newRun({ dedupeKey: "k'1", quota: 5 }));
    const created = await Promise.all(runs.map((run) => store.create(run)));
    const first = created.filter((answer): answer is Created => answer !== "quota" && answer.created);
    expect(first).toHaveLength(1);
    expect(new Set(created.map((answer) => (answer === "quota" ? answer : answer.id)))).toEqual(new Set([first[0]?.id]));
    expect(await store.create(newRun({ dedupeKey: "k'1", interface: "Other" }))).toMatchObject({ created: true });
    expect(await store.create(newRun({ dedupeKey: "k'1", quota: 1 }))).toMatchObject({ created: false });
    expect(await store.create(newRun({ dedupeKey: "k2", quota: 1 }))).toBe("quota");
    expect(await store.create(newRun({ dedupeKey: "k2" }))).toMatchObject({ created: true });
    await place.pass(24 * 60 * minute);
    expect(await store.create(newRun({ dedupeKey: "k'1" }))).toMatchObject({ created: true });
  });

  test("a run is created once for its id, and the caller who did not hear the answer hears it again", async () => {
    const run = newRun({ lease: of("a"), dedupeKey: "same" });
    await store.create(run);
    expect(await store.create(run)).toEqual({ id: run.id, created: true, epoch: 1 });
    expect(await store.list({})).toHaveLength(1);
  });

  test("a run is cancelled or goes on, never both", async () => {
    const runs = Array.from({ length: 20 }, () => newRun({ lease: of("a") }));
    for (const run of runs) await store.create(run);
    for (const { id } of runs) {
      const finish = { status: "done", result: "" } as const;
      const finishing = store.checkpoint({ id, epoch: 1 }, [{ path: "A", output: "1" }], { finish });
      const [checkpoint, cancel] = await Promise.all([finishing, place.node().cancel(id)]);
      const shown = await store.show(id);
      expect([checkpoint, cancel, shown?.status, shown?.settled.length]).toEqual(
        checkpoint === "ok" ? ["ok", "over", "done", 1] : ["fenced", "cancelled", "cancelled", 0],
      );
    }
    expect(await store.cancel(newRun().id)).toBe("unknown");
  });

  test("outputs of any size come back in order, up to 64 MiB of a run", async () => {
    const run = newRun({ lease: of("a"), input: `"${"ä".repeat(70_000)}"` });
    await store.create(run);
    const held = { id: run.id, epoch: 1 };
    const points = ["B", "A[2]", "A[10]", "A[x'y]"].map((path, n) => ({ path, output: `"${path.repeat(n * 40_000)}é"` }));
    for (const point of points) await store.checkpoint(held, [point], {});
    const large = { path: "Large", output: "x".repeat(maxRunBytes - 3_000_000) };
    expect(await store.checkpoint(held, [large], { plan: "p2" })).toBe("ok");
    const over = { path: "Over", output: "y".repeat(3_000_000) };
    expect(await failure(store.checkpoint(held, [over], { plan: "p3" }))).toBe(`state: a run holds more than ${maxRunBytes} bytes`);
    // An output that is stored already does not count again.
    expect(await store.checkpoint(held, [large], {})).toBe("ok");
    await place.pass(minute);
    const [again] = await claim("b", ["p2"]);
    expect(again?.input).toBe(run.input);
    expect(again?.checkpoints).toEqual([...points, large]);
    expect(await failure(store.create(newRun({ input: "x".repeat(maxRunBytes + 1) })))).toBe(
      `state: a run holds more than ${maxRunBytes} bytes`,
    );
  });

  test.each(["\0", "\ud800", "x".repeat(2_001)])("a name that no store can keep is refused (%#)", async (name) => {
    for (const more of [{ config: name }, { interface: name }, { plan: name }, { dedupeKey: name }, { lease: of(name) }])
      expect(await failure(store.create(newRun(more)))).toMatch(/^state: \w+ of a run (holds a character|is longer)/);
    const run = newRun({ lease: of("a") });
    await store.create(run);
    expect(await failure(store.checkpoint({ id: run.id, epoch: 1 }, [{ path: name, output: "1" }], {}))).toMatch(/^state: path of a run/);
    expect(await store.show(run.id)).toMatchObject({ settled: [] });
  });

  test("lists show newest runs first, by pages; what was over long ago is removed", async () => {
    const runs = Array.from({ length: 5 }, (_, n) => newRun({ lease: of("a"), config: n === 2 ? "other" : "orders" }));
    for (const run of runs) await store.create(run);
    for (const { id } of runs.slice(0, 2)) await store.checkpoint({ id, epoch: 1 }, [], { finish: { status: "done", result: "" } });
    const newest = idsOf(runs).reverse();
    expect(idsOf(await store.list({}))).toEqual(newest);
    const page = await store.list({ limit: 2 });
    expect(idsOf(page)).toEqual(newest.slice(0, 2));
    expect(idsOf(await store.list({ limit: 2, after: page.at(-1)?.id ?? "" }))).toEqual(newest.slice(2, 4));
    expect(idsOf(await store.list({ status: "done" }))).toEqual(newest.slice(3));
    expect(idsOf(await store.list({ config: "other", interface: "Order" }))).toEqual([runs[2]?.id]);
    expect(await store.list({ interface: "Other" })).toEqual([]);
    await place.pass(minute);
    expect(await store.prune((await store.now()) - 2 * minute)).toBe(0);
    expect(await store.prune(await store.now())).toBe(2);
    expect(idsOf(await store.list({}))).toEqual(newest.slice(0, 3));
    expect(await store.show(runs[0]?.id ?? "")).toBeUndefined();
  });
});
