import cluster from "node:cluster";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test, vi } from "vitest";
import { Crew } from "#runtime/process/workers/first.ts";
import { until } from "../../harness/until.ts";

const folder = mkdtempSync(join(tmpdir(), "pipewright-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a connection that a worker was given, and had not taken when it was killed, is closed", async () => {
  const listening: string[] = [];
  const crew = new Crew({
    count: 2,
    program: { file: fileURLToPath(new URL("crew-worker.ts", import.meta.url)), args: [join(folder, "notes"), "listens"] },
    log: () => undefined,
    graceMs: 1_000,
    listening: (port) => listening.push(port),
  });
  const ended = crew.run();
  await until(() => expect(listening).toHaveLength(1));
  const workers = Object.values(cluster.workers ?? {}).flatMap((worker) => worker?.process ?? []);
  const sends = workers.map((worker) => {
    worker.kill("SIGSTOP");
    return vi.spyOn(worker, "send");
  });
  const client = connect(Number(listening[0]), "127.0.0.1").on("error", () => undefined);
  const given = await until(() => {
    const index = sends.findIndex(({ mock }) => mock.calls.some(([, handle]) => handle));
    expect(index).not.toBe(-1);
    return index;
  });
  const closed = once(client.resume(), "close");
  workers[given]?.kill("SIGKILL");
  await closed;
  for (const worker of workers) worker.kill("SIGCONT");
  crew.drain();
  expect(await ended).toBe(0);
});
