import { expect, test, vi } from "vitest";
import { discover } from "#runtime/features/actions/discover.ts";
import { createHost } from "#runtime/process/host.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import { bareRequest } from "#runtime/run/request.ts";
import { configOf, served } from "../../harness/sockets.ts";

test("lists that are written down, and questions of thousands of characters, are not kept", async () => {
  const host = createHost({ env: {} });
  const kept = { get: vi.fn(() => undefined), set: vi.fn() };
  host.resource("discover", () => ({ kept, standIn: async () => ({ status: 200, text: "[]" }), close: () => undefined }));
  for (const args of [{ static: ["a:1"] }, { docker: { labels: { a: "x".repeat(5_000) } } }, { docker: {} }]) {
    const target = served("GET", "/x", (_cx, one) => discover(one, args));
    const run = new LiveRun(host, configOf(target), target, bareRequest(host, "cli"));
    run.start();
    await run.finish();
  }
  expect(kept.set.mock.calls.map(([key]) => key)).toEqual(["[null,null,{},null,null]"]);
  await host.close();
});
