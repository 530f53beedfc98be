import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ClaimedRun, NewRun, RunStore } from "#runtime/store/runs.ts";
import { failure } from "../../harness/database-run.ts";
import { backends, hashOf, minute, newRun, of, type Place } from "./run-stores.ts";

// Runs that wait for a token mean the same on every backend (spec/surfaces 14).

describe.each(backends)("$name", ({ open }) => {
  let place: Place;
  let store: RunStore;
  let run: NewRun;
  const token = hashOf(1);
  beforeEach(async () => {
    place = await open();
    store = place.node();
    run = newRun({ lease: of("a") });
    await store.create(run);
  });
  afterEach(() => place.close());

  const claim = async (): Promise<readonly ClaimedRun[]> => store.claim(of("b"), ["p1"], 10);
  /** The run has a token for ten minutes from now. */
  const wait = async (path = "Ask", tokenHash = token): Promise<{ path: string; tokenHash: string; until: number }> => ({
    path,
    tokenHash,
    until: (await store.now()) + 10 * minute,
  });

  test("a run that waits is due when it is resumed, once, and has the payload until its action is settled", async () => {
    await store.checkpoint({ id: run.id, epoch: 1 }, [], { wait: await wait(), release: {} });
    expect(await store.show(run.id)).toMatchObject({ status: "waiting", node: null, waits: [{ path: "Ask", state: "open" }] });
    expect(await claim()).toEqual([]);
    expect(await store.resume(token, '{"ok":true}')).toEqual({ state: "resumed", id: run.id });
    expect(await store.resume(token, '{"ok":false}')).toEqual({ state: "already", id: run.id });
    expect(await store.show(run.id)).toMatchObject({ status: "open", waits: [{ path: "Ask", state: "resumed" }] });
    const resumed = [{ path: "Ask", state: "resumed", payload: '{"ok":true}' }];
    expect(await claim()).toMatchObject([{ id: run.id, epoch: 2, waits: resumed }]);
    // The node that has it dies before it settles the action.
    await place.pass(minute);
    expect(await claim()).toMatchObject([{ epoch: 3, waits: resumed }]);
    await store.checkpoint({ id: run.id, epoch: 3 }, [{ path: "Ask", output: "1" }], { release: {} });
    expect(await claim()).toMatchObject([{ epoch: 4, waits: [] }]);
    expect(await store.resume(token, "{}")).toEqual({ state: "already", id: run.id });
  });

  test("what is sent before the run has come to its wait is kept", async () => {
    await store.checkpoint({ id: run.id, epoch: 1 }, [{ path: "Mail", output: "1" }], { wait: await wait() });
    expect(await store.resume(token, "1")).toEqual({ state: "resumed", id: run.id });
    expect(await claim()).toEqual([]);
    await store.checkpoint({ id: run.id, epoch: 1 }, [], { release: {} });
    const paid = [{ path: "Ask", state: "resumed", payload: "1" }];
    expect(await claim()).toMatchObject([{ epoch: 2, waits: paid }]);
    // A node that cannot read it puts it off, whatever has come.
    const at = (await store.now()) + 5 * minute;
    await store.checkpoint({ id: run.id, epoch: 2 }, [], { release: { at } });
    expect(await claim()).toEqual([]);
    await place.pass(5 * minute);
    expect(await claim()).toMatchObject([{ epoch: 3, waits: paid }]);
  });

  test("of many callers one resumes", async () => {
    await store.checkpoint({ id: run.id, epoch: 1 }, [], { wait: await wait(), release: {} });
    const nodes = Array.from({ length: 4 }, () => place.node());
    const answers = await Promise.all(Array.from({ length: 32 }, (_, n) => nodes[n % 4]?.resume(token, String(n))));
    expect(answers.filter((answer) => answer?.state === "resumed")).toHaveLength(1);
    expect(answers.filter((answer) => answer?.state === "already")).toHaveLength(31);
    const winner = answers.findIndex((answer) => answer?.state === "resumed");
    expect(await claim()).toMatchObject([{ waits: [{ payload: String(winner) }] }]);
  });

  test("a token that is over is unknown, and its run due once", async () => {
    await store.checkpoint({ id: run.id, epoch: 1 }, [], { wait: await wait(), release: {} });
    await place.pass(10 * minute);
    expect(await store.resume(token, "1")).toEqual({ state: "unknown" });
    const [one, two] = await Promise.all([claim(), place.node().claim(of("c"), ["p1"], 10)]);
    expect([...(one ?? []), ...(two ?? [])]).toMatchObject([{ epoch: 2, waits: [{ path: "Ask", state: "expired" }] }]);
    expect(await store.resume(token, "1")).toEqual({ state: "unknown" });
  });

  test("a token is over with the wait for it, whoever claims the run", async () => {
    const until = (await store.now()) + minute;
    await store.checkpoint({ id: run.id, epoch: 1 }, [], { wait: await wait("Ask\ttoken") });
    await store.checkpoint({ id: run.id, epoch: 1 }, [], { wait: { path: "Ask", tokenHash: hashOf(2), until } });
    // Another wait of the run, whose name begins alike, says nothing of this one.
    await store.checkpoint({ id: run.id, epoch: 1 }, [], { wait: await wait("Asks\ttoken", hashOf(3)), release: {} });
    await place.pass(2 * minute);
    expect(await store.resume(token, "1")).toEqual({ state: "unknown" });
    expect(await claim()).toMatchObject([{ waits: [{ state: "open" }, { state: "expired" }, { state: "open" }] }]);
    expect(await store.resume(token, "1")).toEqual({ state: "unknown" });
    expect(await store.resume(hashOf(3), "1")).toEqual({ state: "resumed", id: run.id });
  });

  test("an unknown token, and one of a run that is over, store nothing", async () => {
    const before = await store.list({});
    expect(await store.resume(hashOf(9), "1")).toEqual({ state: "unknown" });
    expect(await store.list({})).toEqual(before);
    await store.checkpoint({ id: run.id, epoch: 1 }, [], { wait: await wait(), release: {} });
    await store.cancel(run.id);
    expect(await store.resume(token, "1")).toEqual({ state: "unknown" });
    expect(await store.show(run.id)).toMatchObject({ waits: [{ state: "open" }] });
  });

  test("a run with several waits is due with the first that is resumed, or over", async () => {
    const second = { ...(await wait("Other", hashOf(2))), until: (await store.now()) + minute };
    await store.checkpoint({ id: run.id, epoch: 1 }, [], { wait: await wait() });
    await store.checkpoint({ id: run.id, epoch: 1 }, [], { wait: second, release: {} });
    await place.pass(minute);
    const states = [
      { path: "Ask", state: "open" },
      { path: "Other", state: "expired" },
    ];
    expect(await claim()).toMatchObject([{ epoch: 2, waits: states }]);
    await store.checkpoint({ id: run.id, epoch: 2 }, [{ path: "Other", output: "null" }], { release: {} });
    expect(await claim()).toEqual([]);
    await store.resume(token, "2");
    expect(await claim()).toMatchObject([{ epoch: 3, waits: [{ path: "Ask", state: "resumed", payload: "2" }] }]);
  });

  test("a token that is registered again keeps its time and its payload", async () => {
    const first = await wait();
    await store.checkpoint({ id: run.id, epoch: 1 }, [], { wait: first });
    await store.resume(token, "1");
    expect(await store.checkpoint({ id: run.id, epoch: 1 }, [], { wait: { ...first, until: first.until + minute } })).toBe("ok");
    expect(await store.show(run.id)).toMatchObject({ waits: [{ path: "Ask", until: first.until, state: "resumed" }] });
    expect(await store.resume(token, "2")).toEqual({ state: "already", id: run.id });
  });

  test("a token is taken as its hash alone", async () => {
    const secret = { ...(await wait()), tokenHash: "the token itself" };
    expect(await failure(store.checkpoint({ id: run.id, epoch: 1 }, [], { wait: secret }))).toBe(
      "state: a token of a run is stored as its SHA-256",
    );
  });
});
