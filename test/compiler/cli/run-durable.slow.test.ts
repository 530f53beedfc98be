import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resumeRun } from "#runtime/store/run-orders.ts";
import { runIn } from "../../harness/terminal.ts";
import { alarm, until } from "../../harness/until.ts";
import { servicesOf } from "../../runtime/durable/nodes.ts";
import { durable } from "../../runtime/store/run-stores.ts";

// pipewright run of durable interfaces (spec/surfaces 8, 14): what it has begun is stored, and a service goes on with it.

const config = `
name: jobs
interfaces:
  job:
    durable: true
    output: cli
    actions:
      - { name: Work, http: { method: POST, url: "a|env::UPSTREAM|/work", body: a|body|, idempotency: {} } }
      - { name: Done, run_when_succeeded: [Work], http: { method: POST, url: "a|env::UPSTREAM|/done" } }
  ask:
    output: cli
    actions:
      - { name: Wait, wait_for_callback: { token: "a|body::token|", timeout: 1d } }
      - { name: Done, run_when_succeeded: [Wait], http: { method: POST, url: "a|env::UPSTREAM|/done" } }
`;

const bin = fileURLToPath(new URL("../../../bin/pipewright.mjs", import.meta.url));

describe.each(durable)("$name", ({ open }) => {
  const given = servicesOf(config, open);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "pipewright-run-"));
    writeFileSync(join(folder, "jobs.yaml"), config);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const env = () => ({ PIPEWRIGHT_DATABASE_URL: given.place.address, UPSTREAM: given.nodes.upstream });
  const asked = (...paths: readonly string[]): Promise<void> =>
    until(() => expect(given.nodes.asked.map(({ path }) => path)).toEqual(paths));
  const runs = () => given.nodes.runs.list({});

  test("prints the outcome, which is stored", { timeout: 2 * alarm }, async () => {
    const ended = runIn(env(), folder, "run", "job", ".", "--body", '{"n":1}');
    await asked("/work");
    given.nodes.answer(0);
    await asked("/work", "/done");
    given.nodes.answer(1);
    const { status, out } = await ended;
    expect([status, Object.keys(JSON.parse(out).data)]).toEqual([0, ["Work", "Done"]]);
    expect(await runs()).toMatchObject([{ status: "done", epoch: 1 }]);
  });

  test("a run that waits is left to a service", { timeout: 2 * alarm }, async () => {
    const { status, out } = await runIn(env(), folder, "run", "ask", ".", "--body", '{"token":"a token of thirty letters or so"}');
    const [run] = await runs();
    expect([status, JSON.parse(out)]).toEqual([0, { accepted: true, request_id: run?.id, waiting: true }]);
    expect(run?.status).toBe("waiting");
    await given.nodes.node("walked");
    expect(await resumeRun(given.nodes.runs, run?.id ?? "", { body: null, receivedAt: 0 })).toEqual({ done: "resumed" });
    await asked("/done");
    given.nodes.answer(0);
    await until(async () => expect(await runs()).toMatchObject([{ status: "done" }]));
  });

  test.each(["SIGKILL", "SIGTERM"] as const)("ended by %s, it goes on in a service", { timeout: 2 * alarm }, async (signal) => {
    const child = spawn(process.execPath, [bin, "run", "job", ".", "--body", '{"n":1}'], {
      cwd: folder,
      stdio: "ignore",
      env: { ...process.env, ...env() },
    });
    const exit = once(child, "exit");
    await asked("/work");
    child.kill(signal);
    await exit;
    // The lease of a process that was killed at once need not be waited for: it was seen to live before its run began.
    if (signal === "SIGKILL") await until(async () => expect(await given.nodes.runs.expireGone()).toBe(1));
    await given.nodes.node("printed");
    await asked("/work", "/work");
    const [before, after] = given.nodes.asked.map(({ headers }) => headers["idempotency-key"]);
    expect(after).toBe(before);
    given.nodes.answer(1);
    await asked("/work", "/work", "/done");
    given.nodes.answer(2);
    await until(async () => expect(await runs()).toMatchObject([{ status: "done" }]));
  });
});
