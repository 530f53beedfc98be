import { afterAll, expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { inBlockingWorker } from "#runtime/threads/blocking-worker.ts";
import type { WorkerKind } from "#runtime/threads/worker.ts";

const host = createHost({ env: {} });
afterAll(() => host.close());

/** A thread that wakes its waiting caller before it answers, as the late wake of an earlier answer would. It replies with the request. */
const code = `
const { flag, port } = require("node:worker_threads").workerData.atOnce;
port.on("message", (request) => {
  while (Atomics.notify(flag, 0) === 0);
  if (request === "silence") return;
  port.postMessage({ reply: request });
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
});`;
const kind: WorkerKind<string, unknown> = { name: "test", code, heap: 32, buffers: 32 };
const ask = (request: string, limit = 60_000) => inBlockingWorker(host, kind, request, { limit, failure: "evaluation" });

test("a wake without an answer is none: each request has its own answer", () => {
  expect(["a", "b", "c"].map((request) => ask(request))).toEqual(["a", "b", "c"]);
});

test("a thread that does not answer in time is ended, however often it wakes; the next request has a new one", () => {
  ask("a");
  expect(() => ask("silence", 50)).toThrow("took longer than 0.05 s");
  expect(ask("b")).toBe("b");
});
