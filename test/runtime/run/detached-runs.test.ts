import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { detachedRuns } from "#runtime/cluster/detached-runs.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import { background } from "#runtime/run/end/background.ts";
import { until } from "../../harness/until.ts";

// The cap of detached runs over processes that share a store (spec/surfaces 1), by a clock that stands still.

let folder = "";
let now = 0;
const open: Host[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-detached-"));
  now = 1_700_000_000_000;
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((host) => host.close()));
  rmSync(folder, { recursive: true, force: true });
});

interface Node {
  readonly host: Host;
  readonly log: string[];
  /** True when one more run may go on. */
  readonly detach: () => boolean;
  readonly reattach: () => void;
  /** Waits until it has asked the store. */
  readonly asked: () => Promise<void>;
  /** Half a second passes, and its wait is over. */
  readonly wakes: () => void;
  /** Half a second passes, its wait is over, and it asks again. */
  readonly asks: () => Promise<void>;
  /** True while it waits to ask again. */
  readonly isAwake: () => boolean;
}

function node(env: Readonly<Record<string, string>> = {}, maxDetachedRuns = 3): Node {
  const log: string[] = [];
  const base = createHost({
    env: { PIPEWRIGHT_DATABASE_URL: `sqlite:${join(folder, "store.db")}`, PIPEWRIGHT_CLUSTERED: "true", ...env },
    limits: { maxDetachedRuns },
    log: (level, msg) => void log.push(`${level} ${msg}`),
  });
  const sleepers: (() => void)[] = [];
  const host: Host = {
    ...base,
    now: () => now,
    monotonic: () => now,
    sleep: (_, signal) =>
      new Promise((resolve, reject) => {
        sleepers.push(resolve);
        signal.addEventListener("abort", () => reject(new Error("aborted")));
      }),
  };
  open.push(host);
  const wakes = (): void => {
    now += 500;
    sleepers.shift()?.();
  };
  const asked = (): Promise<void> => until(() => expect(sleepers).toHaveLength(1));
  return {
    host,
    log,
    asked,
    detach: () => background(host).detach(detachedRuns),
    reattach: () => background(host).reattach(),
    wakes,
    asks: async () => {
      wakes();
      await asked();
    },
    isAwake: () => sleepers.length > 0,
  };
}

test("runs of one node count for the other, and places are free again when they are over", async () => {
  const [a, b] = [node(), node()];
  expect([a.detach(), a.detach()]).toEqual([true, true]);
  await a.asked();
  await a.asks();
  // The other one begins to ask with its first run.
  expect(b.detach()).toBe(true);
  await b.asked();
  expect(b.detach()).toBe(false);
  await a.asks();
  expect(a.detach()).toBe(false);
  a.reattach();
  await a.asks();
  await b.asks();
  expect([b.detach(), b.detach()]).toEqual([true, false]);
  expect([a.log, b.log]).toEqual([[], []]);
});

test("organisations count apart", async () => {
  const a = node();
  const base = node();
  const b = { ...base.host, organisation: "another" };
  expect([a.detach(), a.detach(), a.detach(), a.detach()]).toEqual([true, true, true, false]);
  await a.asked();
  expect(background(b).detach(detachedRuns)).toBe(true);
  await base.asked();
  expect(background(b).detach(detachedRuns)).toBe(true);
});

test("a node that says nothing any more is forgotten after 30 seconds, one that ends at once", async () => {
  const [a, b, c] = [node(), node(), node()];
  expect([a.detach(), a.detach()]).toEqual([true, true]);
  await a.asked();
  await a.asks();
  expect(c.detach()).toBe(true);
  await c.asked();
  expect(b.detach()).toBe(true);
  await b.asked();
  expect(b.detach()).toBe(false);
  await c.host.close();
  await b.asks();
  // Two of a, and its own.
  expect(b.detach()).toBe(false);
  now += 28_500;
  await b.asks();
  expect(b.detach()).toBe(false);
  await b.asks();
  await b.asks();
  expect([b.detach(), b.detach(), b.detach()]).toEqual([true, true, false]);
});

test("a node without runs asks on for 30 seconds, and then no more until it has another", async () => {
  const [a, b] = [node(), node()];
  expect([a.detach(), a.detach(), a.detach()]).toEqual([true, true, true]);
  await a.asked();
  await a.asks();
  expect(b.detach()).toBe(true);
  await b.asked();
  b.reattach();
  await b.asks();
  now += 28_000;
  await a.asks();
  await b.asks();
  expect(b.detach()).toBe(false);
  now += 30_000;
  b.wakes();
  await a.asks();
  expect(b.isAwake()).toBe(false);
  expect(b.detach()).toBe(true);
  await b.asked();
  expect(b.detach()).toBe(false);
});

test("while the store does not answer a node counts for itself, and says so once", async () => {
  const [a, b] = [node(), node()];
  expect([a.detach(), a.detach()]).toEqual([true, true]);
  await a.asked();
  await a.asks();
  expect(b.detach()).toBe(true);
  await b.asked();
  expect(b.detach()).toBe(false);
  const file = new DatabaseSync(join(folder, "store.db"));
  file.exec("ALTER TABLE pw_tallies RENAME TO hidden");
  await b.asks();
  await b.asks();
  expect([b.detach(), b.detach(), b.detach()]).toEqual([true, true, false]);
  file.exec("ALTER TABLE hidden RENAME TO pw_tallies");
  file.close();
  await b.asks();
  b.reattach();
  expect(b.detach()).toBe(false);
  expect(b.log).toEqual([
    "warn detached runs are counted by this process for itself: no such table: pw_tallies",
    "info detached runs of all processes are counted again",
  ]);
});

test("workers share the whole cap by a store, and divide it without one", async () => {
  const env = { PIPEWRIGHT_CLUSTERED: "" };
  const [a, b] = [node({ ...env, PIPEWRIGHT_WORKER: "1/2" }, 5), node({ ...env, PIPEWRIGHT_WORKER: "2/2" }, 5)];
  expect(a.detach()).toBe(true);
  await a.asked();
  expect([a.detach(), a.detach(), a.detach()]).toEqual([true, true, true]);
  await a.asks();
  expect(b.detach()).toBe(true);
  await b.asked();
  expect(b.detach()).toBe(false);
  const alone = node({ ...env, PIPEWRIGHT_DATABASE_URL: "", PIPEWRIGHT_WORKER: "1/2" }, 5);
  expect([alone.detach(), alone.detach(), alone.detach(), alone.detach()]).toEqual([true, true, true, false]);
  expect(alone.isAwake()).toBe(false);
});

test("a process that has its file for itself asks nobody", async () => {
  const alone = node({ PIPEWRIGHT_CLUSTERED: "" }, 1);
  expect([alone.detach(), alone.detach()]).toEqual([true, false]);
  expect(alone.isAwake()).toBe(false);
});
