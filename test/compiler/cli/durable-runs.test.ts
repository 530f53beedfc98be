import { afterEach, beforeEach, expect, test } from "vitest";
import { tokenPath } from "#runtime/store/run-paths.ts";
import type { RunStore } from "#runtime/store/runs.ts";
import { runIn } from "../../harness/terminal.ts";
import { type DurablePlace, durable, hashOf, minute, newRun, of } from "../../runtime/store/run-stores.ts";

// pipewright runs, of durable runs: what an operator sees and changes.

const [sqlite] = durable;

let place: DurablePlace;
let runs: RunStore;
beforeEach(async () => {
  if (sqlite === undefined) throw new Error("SQLite is always there");
  place = await sqlite.open();
  // The command reads the real clock.
  await place.pass(Date.now() - 1_700_000_000_000);
  runs = place.node();
});
afterEach(() => place.close());

const command = (...args: readonly string[]) => runIn({ PIPEWRIGHT_DATABASE_URL: place.address }, ".", "runs", ...args);

test("a run that waits is listed, shown without its token, and resumed once", async () => {
  const { id } = newRun();
  await runs.create({ ...newRun(), id, lease: of("a") });
  const until = Date.now() + 10_000 * minute;
  const token = { path: tokenPath("Approval"), tokenHash: hashOf(7), until };
  await runs.checkpoint(
    { id, epoch: 1 },
    [
      { path: "Ask", output: "{}" },
      { path: tokenPath("Ask"), output: "" },
    ],
    { wait: token },
  );
  await runs.checkpoint({ id, epoch: 1 }, [], { wait: { path: "Approval", tokenHash: hashOf(8), until }, release: {} });
  const list = await command("list", "--waiting");
  expect([list.status, list.out.includes(id)]).toEqual([0, true]);
  const shown = await command("show", id, "--json");
  expect(JSON.parse(shown.out)).toMatchObject({
    id,
    status: "waiting",
    settled: ["Ask"],
    waits: [{ action: "Approval", state: "open" }],
  });
  expect(shown.out).not.toContain(hashOf(7));
  expect((await command("show", id)).out).toMatch(/^settled +Ask$/m);
  const wrong = await command("resume", id, "--action", "Other");
  expect([wrong.status, wrong.err]).toEqual([1, `pipewright: ${id}: Approval wait, not Other\n`]);
  const resumed = await command("resume", id, "--body", '{"approved":true}');
  expect([resumed.status, resumed.out]).toEqual([0, `${id} resumed\n`]);
  await place.pass(minute);
  const [claimed] = await runs.claim(of("b"), ["p1"], 1);
  const resumedWait = claimed?.waits.find(({ state }) => state === "resumed");
  expect(resumedWait?.path).toBe(token.path);
  expect(JSON.parse(resumedWait?.payload ?? "")).toMatchObject({ body: { approved: true }, headers: {} });
  expect((await command("resume", id)).status).toBe(1);
});

test("runs are cancelled and tried again, and what cannot be is said", async () => {
  const { id } = await runs.create(newRun()).then((made) => (made === "quota" ? { id: "" } : made));
  expect((await command("retry", id)).err).toContain("only a run that has failed or was cancelled can be tried again");
  expect((await command("cancel", id)).out).toBe(`${id} cancelled\n`);
  expect((await command("retry", id, "--json")).out).toBe(`{"id":"${id}","done":"due"}\n`);
  const [other] = ["00000000-0000-4000-8000-999999999999"];
  expect([(await command("cancel", other ?? "")).status, (await command("cancel", other ?? "")).err]).toEqual([
    1,
    `pipewright: ${other}: there is no such run\n`,
  ]);
});

test("a run that nobody goes on with is stuck after a minute", async () => {
  const run = newRun({ wakeAt: 1 });
  await runs.create(run);
  const { out } = await command("list", "--stuck");
  expect(out).toContain(run.id);
  expect((await command("list", "--stuck", "--status", "5xx")).status).toBe(3);
});

test("without a database there are no durable runs", async () => {
  const { status, err } = await runIn({}, ".", "runs", "list", "--waiting");
  expect([status, err.includes("PIPEWRIGHT_DATABASE_URL")]).toEqual([3, true]);
});
