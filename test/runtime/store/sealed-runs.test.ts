import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MemoryRuns } from "#runtime/store/memory-runs.ts";
import type { RunStore } from "#runtime/store/runs.ts";
import { sealedRuns } from "#runtime/store/sealed-runs.ts";
import { hashOf, newRun, of } from "./run-stores.ts";

// With PIPEWRIGHT_RUNS_KEY a database keeps no readable text of a run (spec/surfaces 14).

const key = randomBytes(32);
const token = hashOf(7);

let below: MemoryRuns;
let runs: RunStore;
beforeEach(() => {
  below = new MemoryRuns(() => 1_700_000_000_000);
  runs = sealedRuns(below, [key]);
});
afterEach(() => below.close());

/** A run that has an output and waits for a token that was used. */
async function waiting() {
  const run = newRun({ input: '{"body":"hush input"}' });
  await runs.create({ ...run, lease: of("a") });
  const wait = { path: "Ask", tokenHash: token, until: 1_800_000_000_000 };
  await runs.checkpoint({ id: run.id, epoch: 1 }, [{ path: "Load", output: '"hush output é"' }], { wait });
  await runs.checkpoint({ id: run.id, epoch: 1 }, [], { release: {} });
  expect(await runs.resume(token, '{"body":"hush payload"}')).toEqual({ state: "resumed", id: run.id });
  return run;
}

test("the node that has the key gets every text as it was", async () => {
  const run = await waiting();
  const [claimed] = await runs.claim(of("b"), ["p1"], 10);
  expect(claimed).toMatchObject({
    input: run.input,
    checkpoints: [{ path: "Load", output: '"hush output é"' }],
    waits: [{ path: "Ask", state: "resumed", payload: '{"body":"hush payload"}' }],
  });
  expect(await runs.outputs(run.id)).toEqual([{ path: "Load", output: '"hush output é"' }]);
  await runs.checkpoint({ id: run.id, epoch: 2 }, [], { finish: { status: "done", result: "hush result" } });
  expect(await runs.show(run.id)).toMatchObject({ status: "done", result: "hush result" });
});

test("the store below has nothing that can be read, and no two texts are sealed alike", async () => {
  const run = await waiting();
  const [claimed] = await below.claim(of("b"), ["p1"], 10);
  await runs.checkpoint({ id: run.id, epoch: 2 }, [], { finish: { status: "done", result: "hush result" } });
  const { result } = (await below.show(run.id)) ?? {};
  const texts = [claimed?.input, claimed?.checkpoints[0]?.output, claimed?.waits[0]?.payload, result];
  for (const text of texts) expect(text).toMatch(/^v1\.[\w-]{40,}$/);
  const again = newRun({ input: run.input });
  await runs.create(again);
  expect((await below.claim(of("b"), ["p1"], 10))[0]?.input).not.toBe(claimed?.input);
});

test("a text that was moved to another run, altered, or sealed with another key is given as it is stored", async () => {
  const one = newRun({ input: '{"body":1}' });
  await runs.create(one);
  const [{ input: sealed = "" } = {}] = await below.claim(of("b"), ["p1"], 10);
  await below.create(newRun({ input: sealed }));
  await below.create(newRun({ input: `${sealed.slice(0, -4)}AAAA` }));
  const claimed = await runs.claim(of("b"), ["p1"], 10);
  expect(claimed.map(({ input }) => input)).toEqual([sealed, `${sealed.slice(0, -4)}AAAA`]);
  await runs.create(newRun({ input: one.input }));
  const [other] = await sealedRuns(below, [randomBytes(32)]).claim(of("b"), ["p1"], 10);
  expect(other?.input).toMatch(/^v1\./);
});

test("a new key opens what the old one has sealed as long as that stands behind it", async () => {
  await runs.create(newRun({ input: '{"body":1}' }));
  const [claimed] = await sealedRuns(below, [randomBytes(32), key]).claim(of("b"), ["p1"], 10);
  expect(claimed?.input).toBe('{"body":1}');
});

test("what was stored before there was a key can still be read", async () => {
  await below.create(newRun({ input: '{"body":1}' }));
  expect((await runs.claim(of("b"), ["p1"], 10))[0]?.input).toBe('{"body":1}');
});

describe("the rest is passed on", () => {
  test("leases, lists, waits and ends are those of the store below", async () => {
    const run = newRun();
    expect(await runs.create({ ...run, lease: of("a") })).toEqual({ id: run.id, created: true, epoch: 1 });
    expect(await runs.renew(of("a"), [{ id: run.id, epoch: 1 }])).toEqual([]);
    expect(await runs.list({})).toMatchObject([{ id: run.id, status: "open" }]);
    expect(await runs.stuck(["p2"], 10)).toMatchObject([{ id: run.id }]);
    expect(await runs.nextDue(["p1"])).toBe(60_000);
    expect(await runs.expireNode("a")).toBe(1);
    await runs.attend("a");
    expect(await runs.expireGone()).toBe(0);
    expect(await runs.cancel(run.id)).toBe("cancelled");
    expect(await runs.show(run.id)).toMatchObject({ status: "cancelled", result: null });
    expect(await runs.show("nobody")).toBeUndefined();
    expect(await runs.retry(run.id, ["Load"])).toBe("due");
    expect(await runs.cancel(run.id)).toBe("cancelled");
    expect(await runs.prune((await runs.now()) + 1)).toBe(1);
  });
});
