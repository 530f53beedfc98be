import { describe, expect, test } from "vitest";
import { send } from "../../harness/sockets.ts";
import { alarm, until } from "../../harness/until.ts";
import { durable } from "../store/run-stores.ts";
import { service, servicesOf } from "./nodes.ts";

// A durable run survives the process that has begun it (spec/surfaces 14): another one goes on with it, on either path.

const config = `
name: orders
interfaces:
  order:
    method: POST
    durable: true
    respond: early
    actions:
      - name: Reserve
        http: { method: POST, url: "a|env::UPSTREAM|/reserve", body: { order: a|body::order|, id: a|uuid| }, idempotency: {} }
      - name: Lines
        lookup: a|body::lines|
        lookup_concurrency: 1
        actions:
          - { name: Line, http: { method: POST, url: "a|env::UPSTREAM|/line/a|body|", idempotency: {} } }
      - name: Charge
        http: { method: POST, url: "a|env::UPSTREAM|/charge", body: { reserved: a|Reserve::body| } }
`;

const resting = `
name: orders
interfaces:
  order:
    method: POST
    durable: true
    respond: early
    actions:
      - name: Reserve
        http: { method: POST, url: "a|env::UPSTREAM|/reserve", idempotency: {} }
        retry: { attempts: 2, delay: 60s, max_delay: 60s, jitter: none }
  late:
    method: POST
    durable: true
    respond: early
    actions:
      - { name: First, http: { method: POST, url: "a|env::UPSTREAM|/first" } }
      - { name: Pause, run_when_succeeded: [First], delay: 60s }
`;

const order = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ order: 7, lines: ["a", "b"] }) };

const ways = ["printed", "walked"] as const;

describe.each(durable)("$name", ({ open }) => {
  const given = servicesOf(config, open);

  const asked = (count: number): Promise<void> => until(() => expect(given.nodes.asked.map(({ path }) => path)).toHaveLength(count));

  test.each(ways)("after kill -9 another node goes on: %s", { timeout: 2 * alarm }, async (first) => {
    const [one, two] = await Promise.all([given.nodes.node(first), given.nodes.node(first === "printed" ? "walked" : "printed")]);
    const { status, text } = await send(one.url, "/order", order);
    expect(status).toBe(202);
    const { request_id: id } = JSON.parse(text);
    await asked(1);
    given.nodes.answer(0);
    await asked(2);
    given.nodes.answer(1);
    await asked(3);
    // The second line is under way: what it has begun is begun again, under the name by which the service knows it.
    await one.signal("SIGKILL");
    await asked(4);
    expect(given.nodes.asked.map(({ path }) => path)).toEqual(["/reserve", "/line/a", "/line/b", "/line/b"]);
    const [, , sent, again] = given.nodes.asked.map(({ headers }) => headers["idempotency-key"]);
    expect(again).toBe(sent);
    given.nodes.answer(3);
    await asked(5);
    expect(JSON.parse(given.nodes.asked[4]?.body ?? "")).toEqual({ reserved: "ok" });
    given.nodes.answer(4);
    await until(async () => expect(await given.nodes.runs.show(id)).toMatchObject({ status: "done", epoch: 2 }));
    const run = await given.nodes.runs.show(id);
    expect(run?.settled).toEqual(["Reserve", "Lines[0]/Line", "Lines[1]/Line", "Lines", "Charge"]);
    expect(JSON.parse(run?.result ?? "")).toMatchObject({ status: 200 });
    await until(() => expect(two.log).toContainEqual(expect.objectContaining({ msg: "detached run ended", run_uuid: id })));
  });

  test("SIGTERM: the action that is under way ends, and another node does the next one", { timeout: 2 * alarm }, async () => {
    const one = await given.nodes.node("printed");
    const { text } = await send(one.url, "/order", order);
    const { request_id: id } = JSON.parse(text);
    await asked(1);
    const two = await given.nodes.node("walked");
    const ended = one.signal("SIGTERM");
    await until(async () =>
      expect(
        await send(one.url, "/readyz").then(
          ({ status }) => status,
          () => 503,
        ),
      ).toBe(503),
    );
    given.nodes.answer(0);
    expect(await ended).toBe(0);
    await asked(2);
    expect(await given.nodes.runs.show(id)).toMatchObject({ epoch: 2, settled: ["Reserve"] });
    expect(one.log.filter(({ level }) => level === "warn" || level === "error" || level === "critical")).toEqual([]);
    for (const n of [1, 2, 3]) {
      await asked(n + 1);
      given.nodes.answer(n);
    }
    await until(() => expect(two.log).toContainEqual(expect.objectContaining({ msg: "detached run ended", run_uuid: id })));
    expect(given.nodes.asked.map(({ path }) => path)).toEqual(["/reserve", "/line/a", "/line/b", "/charge"]);
  });

  test.each(ways)("SIGTERM: a run between two attempts, or in a delay, is let go of: %s", { timeout: 2 * alarm }, async (how) => {
    const one = await given.nodes.node(how, { config: resting });
    await send(one.url, "/order", order);
    await asked(1);
    given.nodes.answer(0, 500);
    await send(one.url, "/late", order);
    await asked(2);
    given.nodes.answer(1);
    await until(async () => {
      const settled = (await given.nodes.runs.list({})).map(async ({ id }) => (await given.nodes.runs.show(id))?.settled);
      expect(await Promise.all(settled)).toContainEqual(["First"]);
    });
    expect(await one.signal("SIGTERM")).toBe(0);
    expect(one.log.filter(({ level }) => level === "warn" || level === "error" || level === "critical")).toEqual([]);
    expect((await given.nodes.runs.list({})).map(({ status, node }) => [status, node])).toEqual([
      ["open", null],
      ["open", null],
    ]);
    await given.nodes.node("walked", { config: resting });
    await asked(3);
    expect(given.nodes.asked.map(({ path }) => path)).toEqual(["/reserve", "/first", "/reserve"]);
  });

  test("a node that was stopped beyond its lease begins nothing when it goes on", { timeout: 3 * alarm }, async () => {
    const one = await given.nodes.node("printed");
    const { text } = await send(one.url, "/order", order);
    const { request_id: id } = JSON.parse(text);
    await asked(1);
    await one.signal("SIGSTOP");
    const two = await given.nodes.node("walked");
    // The lease ends by itself, since the process is there.
    await asked(2);
    given.nodes.answer(0);
    await one.signal("SIGCONT");
    given.nodes.answer(1);
    for (const n of [2, 3, 4]) {
      await asked(n + 1);
      given.nodes.answer(n);
    }
    await until(() => expect(two.log).toContainEqual(expect.objectContaining({ msg: "detached run ended", run_uuid: id })));
    expect(given.nodes.asked.map(({ path }) => path)).toEqual(["/reserve", "/reserve", "/line/a", "/line/b", "/charge"]);
    expect(await given.nodes.runs.show(id)).toMatchObject({ status: "done", epoch: 2 });
    expect(one.log.filter(({ msg }) => msg === "detached run ended")).toEqual([]);
  });
});

test("without its store nothing is accepted, and nothing runs", { timeout: 2 * alarm }, async () => {
  const nodes = await service(config, "postgres://nobody@127.0.0.1:1/nothing");
  try {
    const one = await nodes.node("printed");
    expect(await send(one.url, "/order", order)).toMatchObject({
      status: 503,
      headers: { "retry-after": "1" },
      text: '{"error":"run_store_unavailable"}',
    });
    expect(nodes.asked).toEqual([]);
  } finally {
    await nodes.close();
  }
});
