import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test } from "vitest";
import { serve } from "#runtime/process/server.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { send, stub } from "../../harness/sockets.ts";
import { untilTrue } from "../../harness/until.ts";

// A wait that the `timeout` of its action has ended is none any more: the run stays, and its caller is answered (spec/surfaces 14).

const runs = 20;

const config = (upstream: string): string => `
name: orders
interfaces:
  order:
    output: http
    method: POST
    actions:
      - { name: Wait, depends_on: [], timeout: 20ms, wait_for_callback: { token: "a|uuid|", timeout: 1h } }
      - { name: Busy, depends_on: [], http: { url: "${upstream}" } }
      - { name: Last, depends_on: [Wait, Busy], json_output: { ok: true } }
`;

const open: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

test.each(["printed", "walked"])("%s: the run goes on here when the last thing beside it has ended", async (way) => {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-test-"));
  const log: string[] = [];
  const file = join(folder, "runs.db");
  const ended = (): number => {
    const db = new DatabaseSync(file, { readOnly: true });
    const [found] = db.prepare("SELECT count(*) AS waits FROM pw_run_outputs WHERE path = 'Wait' AND output IS NOT NULL").all();
    db.close();
    return Number(found?.waits);
  };
  // The action beside the waits ends when all of them have.
  const busy = await stub(async (response) => {
    await untilTrue(() => ended() === runs);
    response.end("{}");
  });
  open.push(busy);
  const { code } = await printOne(planned(config(busy.url)), { interpret: way === "walked" });
  const served = await serve([await evaluate(code)], {
    ...{ port: 0, address: "127.0.0.1", noticeMs: 0, metricsBind: undefined, log: (_, text) => void log.push(text) },
    env: { PIPEWRIGHT_DATABASE_URL: `sqlite:${file}` },
  });
  open.push(served, { close: () => rmSync(folder, { recursive: true, force: true }) });
  // Whether the run is looked at in between is a matter of chance.
  const answers = await Promise.all(Array.from({ length: runs }, () => send(served.url, "/order", { method: "POST", body: "{}" })));
  for (const answer of answers) expect(answer).toMatchObject({ status: 200, text: expect.stringContaining("timed out after 20ms") });
  expect(log).not.toContain("the run has left the process");
});
