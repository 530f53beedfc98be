import { describe, expect, test } from "vitest";
import { retryRun } from "#runtime/durable/retry.ts";
import { send } from "../../harness/sockets.ts";
import { alarm, until } from "../../harness/until.ts";
import { durable } from "../store/run-stores.ts";
import { json, servicesOf } from "./nodes.ts";

// A run that has failed is tried again on order (spec/surfaces 14): what has failed or was skipped is done again, and nothing else.

const config = `
name: orders
interfaces:
  order:
    method: POST
    durable: true
    respond: early
    actions:
      - name: Reserve
        http: { method: POST, url: "a|env::UPSTREAM|/reserve" }
      - name: Lines
        lookup: a|body::lines|
        lookup_concurrency: 1
        actions:
          - { name: Line, http: { method: POST, url: "a|env::UPSTREAM|/line/a|body|", idempotency: {} } }
      - name: Ship
        run_when_succeeded: [Lines]
        http: { method: POST, url: "a|env::UPSTREAM|/ship" }
  twice:
    method: POST
    durable: true
    respond: early
    actions:
      - name: Lines
        lookup: a|body::lines|
        lookup_concurrency: 1
        retry: { attempts: 2, delay: 1 }
        actions:
          - { name: Line, http: { method: POST, url: "a|env::UPSTREAM|/line/a|body|", idempotency: {} } }
  ask:
    method: POST
    actions:
      - { name: Mint, json_output: { token: "a|uuid|" } }
      - name: Approval
        wait_for_callback: { token: "a|Mint::token|", timeout: 1 }
`;

describe.each(durable)("$name", ({ open }) => {
  const given = servicesOf(config, open);

  const paths = (): string[] => given.nodes.asked.map(({ path }) => path);
  const asked = (...expected: readonly string[]): Promise<void> => until(() => expect(paths()).toEqual(expected));

  describe.each(["printed", "walked"] as const)("%s", (how) => {
    test("what has failed is done again, and what has succeeded once", { timeout: 2 * alarm }, async () => {
      const node = await given.nodes.node(how);
      const { status, text } = await send(node.url, "/order", json({ lines: ["a", "b"] }));
      expect(status).toBe(202);
      const { request_id: id } = JSON.parse(text);
      const first = ["/reserve", "/line/a", "/line/b"];
      for (const n of first.keys()) {
        await asked(...first.slice(0, n + 1));
        if (n === 1) expect(await retryRun(given.nodes.runs, id)).toHaveProperty("refused");
        given.nodes.answer(n, n === 2 ? 500 : 200);
      }
      await until(async () => expect(await given.nodes.runs.show(id)).toMatchObject({ status: "failed" }));
      expect(await retryRun(given.nodes.runs, id)).toEqual({ done: "due" });
      await asked(...first, "/line/b");
      const [, , failed, again] = given.nodes.asked.map(({ headers }) => headers["idempotency-key"]);
      expect(again).toBe(failed);
      given.nodes.answer(3);
      await asked(...first, "/line/b", "/ship");
      given.nodes.answer(4);
      await until(async () => expect(await given.nodes.runs.show(id)).toMatchObject({ status: "done", epoch: 3 }));
      expect(JSON.parse((await given.nodes.runs.show(id))?.result ?? "")).toMatchObject({ status: 200 });
      expect(await retryRun(given.nodes.runs, id)).toEqual({ refused: "only a run that has failed or was cancelled can be tried again" });
    });

    test("a loop goes on with its last try", { timeout: 2 * alarm }, async () => {
      const node = await given.nodes.node(how);
      const { request_id: id } = JSON.parse((await send(node.url, "/twice", json({ lines: ["a", "b"] }))).text);
      const first = ["/line/a", "/line/b", "/line/a", "/line/b"];
      for (const [n, status] of [200, 500, 500, 200].entries()) {
        await asked(...first.slice(0, n + 1));
        given.nodes.answer(n, status);
      }
      await until(async () => expect(await given.nodes.runs.show(id)).toMatchObject({ status: "failed" }));
      expect(await retryRun(given.nodes.runs, id)).toEqual({ done: "due" });
      await asked(...first, "/line/a");
      const [, , failed, , again] = given.nodes.asked.map(({ headers }) => headers["idempotency-key"]);
      expect(again).toBe(failed);
      given.nodes.answer(4);
      await until(async () => expect(await given.nodes.runs.show(id)).toMatchObject({ status: "done" }));
      expect(paths()).toEqual([...first, "/line/a"]);
    });

    test("a version that is mended goes on with it", { timeout: 2 * alarm }, async () => {
      const one = await given.nodes.node(how === "printed" ? "walked" : "printed");
      const { request_id: id } = JSON.parse((await send(one.url, "/order", json({ lines: [] }))).text);
      await asked("/reserve");
      given.nodes.answer(0);
      await asked("/reserve", "/ship");
      given.nodes.answer(1, 500);
      await until(async () =>
        expect(await given.nodes.runs.show(id)).toMatchObject({ status: "failed", settled: ["Reserve", "Lines", "Ship"] }),
      );
      await one.signal("SIGKILL");
      await given.nodes.node(how, { config: config.replace("/ship", "/parcel") });
      expect(await retryRun(given.nodes.runs, id)).toEqual({ done: "due" });
      await asked("/reserve", "/ship", "/parcel");
      given.nodes.answer(2);
      await until(async () => expect(await given.nodes.runs.show(id)).toMatchObject({ status: "done" }));
    });

    test("a wait whose time was over begins anew, by the same token", { timeout: 2 * alarm }, async () => {
      const node = await given.nodes.node(how);
      const { text } = await send(node.url, "/ask", json({}));
      const { request_id: id } = JSON.parse(text);
      await until(async () => expect(await given.nodes.runs.show(id)).toMatchObject({ status: "failed" }));
      const before = await given.nodes.runs.show(id);
      expect(before?.result).toContain("callback timed out");
      expect(await retryRun(given.nodes.runs, id)).toEqual({ done: "due" });
      await until(async () => {
        const { status, epoch = 0 } = (await given.nodes.runs.show(id)) ?? {};
        expect([status, epoch > (before?.epoch ?? 0)]).toEqual(["failed", true]);
      });
      expect((await given.nodes.runs.show(id))?.result).toContain("callback timed out");
    });
  });
});

test("a run that is not there, and one whose outcomes somebody else has written, are not tried again", async () => {
  const [sqlite] = durable;
  const place = await sqlite?.open();
  if (place === undefined) throw new Error("SQLite is always there");
  const runs = place.node();
  try {
    expect(await retryRun(runs, "none")).toEqual({ refused: "there is no such run", isUnknown: true });
    const texts = { config: "c", interface: "i", bundle: "b", plan: "p", input: "{}", seed: "5eed" };
    await runs.create({ id: "run", ...texts, lease: { node: "a", ms: 60_000 } });
    await runs.checkpoint({ id: "run", epoch: 1 }, [{ path: "A", output: "no" }], { finish: { status: "failed", result: "" } });
    expect(await retryRun(runs, "run")).toEqual({ refused: expect.stringContaining("the outcomes of the run cannot be read") });
    expect(await runs.show("run")).toMatchObject({ status: "failed" });
  } finally {
    await place.close();
  }
});
