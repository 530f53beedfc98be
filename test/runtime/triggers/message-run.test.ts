import { expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import { bareRequest } from "#runtime/run/request.ts";
import { beginRun } from "#runtime/triggers/message-run.ts";
import { configOf, served } from "../../harness/sockets.ts";

test("who waits to hear whether a run was stored is told of one that is too deep to begin", async () => {
  const host = createHost({ env: {} });
  const target = served("POST", "/job", () => "never");
  const told: unknown[] = [];
  const run = new LiveRun(host, configOf(target), target, { ...bareRequest(host, "mqtt"), hops: 9 });
  beginRun(
    run,
    ({ status }) => told.push(status),
    (isStored) => told.push(isStored),
  );
  expect(told).toEqual([false, 508]);
  await host.close();
});
