import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Log } from "#runtime/process/host.ts";
import { type Served, serve } from "#runtime/process/server.ts";
import type { RunStatus } from "#runtime/store/runs.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { send } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";
import { type DurablePlace, durable } from "../store/run-stores.ts";

// A store that answers, and refuses what a run wants to keep (spec/surfaces 14): the run ends, and is not tried for ever.

const config = `
name: orders
interfaces:
  steps:
    durable: true
    output: http
    method: POST
    show_error_detail: true
    actions:
      - { name: A, json_output: { id: "a|uuid|" } }
      - { name: B, run_when_succeeded: [A], json_output: { n: 2 } }
      - { name: C, run_when_succeeded: [B], json_output: { n: 3 } }
  asks:
    output: http
    method: POST
    actions:
      - { name: A, wait_for_callback: { token: 0123456789-abcdefghij-0123456789, timeout: 1d } }
  sleeps:
    durable: true
    output: http
    method: POST
    actions: [{ name: A, delay: 10m }]
`;

interface Rule {
  readonly table: string;
  readonly event: string;
  readonly when: string;
}

const rules = {
  run: { table: "pw_runs", event: "INSERT", when: "NEW.interface = 'steps'" },
  payload: { table: "pw_run_waits", event: "UPDATE", when: "NEW.payload IS NOT NULL" },
  output: { table: "pw_run_outputs", event: "INSERT", when: "NEW.path = 'B'" },
  outputs: { table: "pw_run_outputs", event: "INSERT", when: "NEW.path <> ''" },
  end: { table: "pw_runs", event: "UPDATE", when: "NEW.ended IS NOT NULL" },
  wait: { table: "pw_run_waits", event: "INSERT", when: "NEW.path = 'A'" },
  release: { table: "pw_runs", event: "UPDATE", when: "NEW.ended IS NULL AND NEW.node IS NULL" },
} as const satisfies Record<string, Rule>;

/** A rule of the database, which no code of ours knows. */
async function refuses(address: string, { table, event, when }: Rule): Promise<void> {
  if (address.startsWith("sqlite:")) {
    const file = new DatabaseSync(address.slice("sqlite:".length));
    file.exec(`CREATE TRIGGER no BEFORE ${event} ON ${table} WHEN ${when} BEGIN SELECT RAISE(ABORT, 'hidden rule'); END`);
    file.close();
    return;
  }
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  await client.query(`CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'hidden rule'; END $$;
    CREATE TRIGGER no BEFORE ${event} ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION no()`);
  await client.end();
}

const ways = ["printed", "walked"] as const;

describe.each(durable)("$name", ({ open }) => {
  let place: DurablePlace;
  let served: Served;
  const lines: string[] = [];
  const log: Log = (level, text, fields) => void lines.push(`${level} ${text} ${JSON.stringify(fields)}`);

  async function start(way: (typeof ways)[number]): Promise<void> {
    const { code } = await printOne(planned(config), { interpret: way === "walked" });
    const options = { port: 0, address: "127.0.0.1", noticeMs: 0, metricsBind: undefined, log };
    served = await serve([await evaluate(code)], { ...options, env: { PIPEWRIGHT_DATABASE_URL: place.address } });
  }

  const post = async (path: string) => {
    const { status, text } = await send(served.url, path, { method: "POST", body: "{}" });
    return { status, body: JSON.parse(text) };
  };

  const statuses = async (): Promise<readonly RunStatus[]> => {
    const runs = place.node();
    return (await runs.list({})).map(({ status }) => status);
  };

  const said = (text: string): readonly string[] => lines.filter((line) => line.startsWith("error") && line.includes(text));

  beforeEach(async () => {
    lines.length = 0;
    place = await open();
    // The tables are there then.
    await place.node().now();
  });
  afterEach(async () => {
    await served.close();
    await place.close();
  });

  test.each(ways)("an output that is refused ends the run: %s", async (way) => {
    await refuses(place.address, rules.output);
    await start(way);
    const { status, body } = await post("/steps");
    expect(status).toBe(500);
    expect(body).toEqual({ error: "internal_error" });
    await until(async () => expect(await statuses()).toEqual(["failed"]));
    expect(said("hidden rule").length).toBeGreaterThan(0);
    expect(lines.join("\n")).not.toContain("does not answer");
  });

  test("a run of which nothing is kept ends as well", async () => {
    await refuses(place.address, rules.outputs);
    await start("printed");
    expect((await post("/steps")).status).toBe(500);
    await until(async () => expect(await statuses()).toEqual(["failed"]));
  });

  test("a run whose end is refused leaves the node, and its caller is told that it goes on", async () => {
    await refuses(place.address, rules.end);
    await start("printed");
    expect(await post("/steps")).toMatchObject({ status: 202, body: { accepted: true, waiting: true } });
    expect(await statuses()).toEqual(["open"]);
    expect(said("hidden rule")).toHaveLength(1);
  });

  test("a wait that is refused fails the run", async () => {
    await refuses(place.address, rules.wait);
    await start("printed");
    expect((await post("/sleeps")).status).toBe(500);
    await until(async () => expect(await statuses()).toEqual(["failed"]));
  });

  test("a run that the store does not let go of fails", async () => {
    await refuses(place.address, rules.release);
    await start("printed");
    expect((await post("/sleeps")).status).toBe(500);
    await until(async () => expect(await statuses()).toEqual(["failed"]));
    expect(said("hidden rule")).toHaveLength(1);
  });

  test.each(ways)("a run that is refused as a whole is no outage: %s", async (way) => {
    await refuses(place.address, rules.run);
    await start(way);
    expect(await post("/steps")).toEqual({ status: 500, body: { error: "internal_error" } });
    expect(await statuses()).toEqual([]);
    expect((await post("/sleeps")).status).toBe(202);
    expect(said("hidden rule")).toHaveLength(1);
    expect(lines.join("\n")).not.toContain("does not answer");
  });

  test("a callback that is refused is no outage, and its run waits on", async () => {
    await start("printed");
    expect((await post("/asks")).status).toBe(202);
    await refuses(place.address, rules.payload);
    const link = "/_pipewright/callback/0123456789-abcdefghij-0123456789";
    expect(await post(link)).toEqual({ status: 500, body: { error: "internal_error" } });
    expect(await statuses()).toEqual(["waiting"]);
    expect(said("hidden rule")).toHaveLength(1);
    expect(lines.join("\n")).not.toContain("does not answer");
  });

  test("the next run is none the worse for it", async () => {
    await refuses(place.address, rules.wait);
    await start("printed");
    await post("/sleeps");
    expect((await post("/steps")).status).toBe(200);
  });
});
