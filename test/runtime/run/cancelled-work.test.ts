import { describe, expect, test } from "vitest";
import type { Host } from "#runtime/process/host.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import { starting } from "../../harness/starting.ts";

// Long work gives other runs a turn, and ends at its next turn after it was cancelled. The cancellation is no bug.

const config = `
name: t
interfaces:
  rows:
    method: POST
    output: http
    actions:
      - { name: Read, input: a|body|, post_transforms: [{ parse_csv: $ }] }
`;

/** Every look at the clock says that it is time for a turn of others. */
function hurried(host: Host): Host {
  let now = 0;
  return { ...host, monotonic: () => (now += 1_000) };
}

describe.each([
  ["compiled", false],
  ["interpreted", true],
])("%s", (_, interpret) => {
  test("an action whose work is cut short by the end of its run logs no bug", async () => {
    const { host, config: made, log } = await starting(interpret).started(config, {}, hurried);
    const [target] = made.interfaces;
    if (target === undefined) throw new Error("no interface");
    const body = `a,b\n${"1,2\n".repeat(100_000)}`;
    const run = new LiveRun(host, made, target, {
      ...{ id: "1", trigger: "http", method: "POST", path: "/rows", params: {}, headers: {}, ip: {} },
      ...{ body, raw_body: body },
    });
    run.start();
    expect(run.over).toBe(false);
    run.abandon("client went away");
    await run.finish();
    const [act] = run.acts;
    expect([act?.state, act?.error, act?.upstream]).toEqual(["failed", "cancelled", 502]);
    expect(log).toEqual(["debug client went away", "debug PW901 cancelled"]);
  });
});
