import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { createHost, type Host } from "#runtime/process/host.ts";
import { inWorker, type WorkerKind } from "#runtime/threads/worker.ts";
import { Failure } from "#runtime/value/failure.ts";
import { root } from "../../harness/folders.ts";
import type { WorkerOrders } from "../../harness/scripted-worker.ts";

const code = new URL("../../harness/scripted-worker.ts", import.meta.url);
const kind: WorkerKind<WorkerOrders, unknown> = { name: "test", code, heap: 32, buffers: 32, threads: 1 };
const hosts: Host[] = [];
const signal = new AbortController().signal;

function newHost(): Host {
  const host = createHost({ env: { TOKEN: "canary" } });
  hosts.push(host);
  return host;
}

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

test("a healthy thread serves again, and beside it the event loop goes on", async () => {
  const host = newHost();
  const first = await inWorker(host, kind, {}, { signal });
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  const again = await inWorker(host, kind, { ms: 200 }, { signal });
  clearInterval(timer);
  expect(again).toBe(first);
  expect(ticks).toBeGreaterThan(10);
});

test("as many threads as the kind allows work at a time, the rest in turn", async () => {
  const host = newHost();
  const two = { ...kind, name: "two", threads: 2 };
  const replies = await Promise.all(Array.from({ length: 6 }, () => inWorker(host, two, { ms: 50 }, { signal })));
  expect(new Set(replies).size).toBe(2);
});

test("reasons and bugs of a thread reach the caller, and leave it healthy", async () => {
  const host = newHost();
  const first = await inWorker(host, kind, {}, { signal });
  await expect(inWorker(host, kind, { does: "fail" }, { signal })).rejects.toMatchObject({
    name: "Failure",
    kind: "transform",
    message: "not a document",
  });
  const failed = inWorker(host, kind, { does: "fail" }, { signal, failure: "evaluation" });
  await expect(failed).rejects.toMatchObject({ name: "Failure", kind: "evaluation" });
  await expect(inWorker(host, kind, { does: "throw" }, { signal })).rejects.toThrow("worker test: TypeError: x");
  expect(await inWorker(host, kind, {}, { signal })).toBe(first);
});

test.each<[how: string, told: WorkerOrders, error: Error]>([
  ["loops", { does: "loop" }, new Failure("transform", "took longer than 0.3 s")],
  ["needs too much memory", { does: "grow" }, new Failure("transform", "needed more than 32 MiB of memory")],
  ["needs too many buffers", { does: "fill" }, new Failure("transform", "needed more than 32 MiB of memory")],
  ["breaks", { does: "break" }, new Error("outside of any answer")],
  ["ends itself", { does: "leave" }, new Error("the thread has ended")],
])("a thread that %s is replaced", async (_, told, error) => {
  const host = newHost();
  const first = await inWorker(host, kind, {}, { signal });
  const limit = told.does === "loop" ? 300 : 60_000;
  await expect(inWorker(host, kind, told, { signal, limit })).rejects.toEqual(error);
  expect(await inWorker(host, kind, {}, { signal })).not.toBe(first);
});

test("an abort ends the thread, and who waits for it gets the next", async () => {
  const host = newHost();
  const abort = new AbortController();
  const looping = inWorker(host, kind, { does: "loop" }, { signal: abort.signal });
  const waiting = inWorker(host, kind, {}, { signal });
  setTimeout(() => abort.abort(new Failure("timeout", "timed out after 50ms")), 50);
  await expect(looping).rejects.toMatchObject({ kind: "timeout", message: "timed out after 50ms" });
  expect(await waiting).toEqual(expect.any(Number));
});

test("an abort takes a request out of the queue; one that came before it keeps a thread from starting", async () => {
  const host = newHost();
  const abort = new AbortController();
  const first = inWorker(host, kind, { ms: 200 }, { signal });
  const given = inWorker(host, kind, { does: "loop" }, { signal: abort.signal });
  const last = inWorker(host, kind, {}, { signal });
  abort.abort(new Error("the client is gone"));
  await expect(given).rejects.toThrow("the client is gone");
  expect(await last).toBe(await first);
  await expect(inWorker(newHost(), kind, { does: "loop" }, { signal: abort.signal })).rejects.toThrow("the client is gone");
});

test("the host ends threads at work and refuses those who wait", async () => {
  const host = newHost();
  const working = inWorker(host, kind, { does: "loop" }, { signal });
  const waiting = inWorker(host, kind, {}, { signal });
  const both = Promise.allSettled([working, waiting]);
  await pause(50);
  await host.close();
  expect((await both).map((each) => each.status === "rejected" && each.reason.message)).toEqual([
    "the thread has ended",
    "the process is shutting down",
  ]);
});

test("a thread sees no environment", async () => {
  expect(await inWorker(newHost(), kind, {}, { signal })).toBeGreaterThan(0);
});

test.each<[what: string, told: WorkerOrders]>([
  ["while a thread is idle, and waits while one works", { ms: 300 }],
  ["after a thread that prints, and shows nothing of that", { does: "print" }],
])("the process ends %s", async (_, told) => {
  const program = `
    import { createHost } from "#runtime/process/host.ts";
    import { inWorker } from "#runtime/threads/worker.ts";
    const kind = { name: "test", code: new URL(${JSON.stringify(code)}), heap: 32, buffers: 32 };
    const { signal } = new AbortController();
    inWorker(createHost(), kind, ${JSON.stringify(told)}, { signal }).then((reply) => console.log(typeof reply));
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], { cwd: fileURLToPath(root) });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (out += data));
  const [status] = await once(child, "close");
  expect({ out, status }).toEqual({ out: "number\n", status: 0 });
});
