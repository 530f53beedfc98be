import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { PostgresRuns } from "#runtime/store/postgres-runs.ts";
import { server } from "../../../harness/peers/postgres-server.ts";
import { until } from "../../../harness/until.ts";
import { type PostgresService, postgres } from "../../bus/buses.ts";
import { durable } from "./mqtt-processes.ts";
import { closeAll, raw } from "./mqtt-raw.ts";
import { brokerOf, endAll } from "./mqtt-serving.ts";

// A message of QoS 2 that runs a durable interface, whose client goes to another node before it is acknowledged: it runs once.

const config = `
name: devices
interfaces:
  order:
    mqtt: new
    durable: true
    actions: [{ name: Body, input: a|body| }]
`;

describe.runIf(server !== undefined)("nodes on PostgreSQL", () => {
  let place: PostgresService;
  let asked: (() => void)[] = [];

  beforeEach(async () => {
    asked = [];
    place = await postgres();
    const { create } = PostgresRuns.prototype;
    vi.spyOn(PostgresRuns.prototype, "create").mockImplementation(async function (this: PostgresRuns, run) {
      await new Promise<void>((resolve) => asked.push(resolve));
      return create.call(this, run);
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    closeAll();
    await endAll();
    await place.close();
  });
  afterAll(endAll);

  test.each([4, 5] as const)("version %s: the other node is given the message with the session", async (version) => {
    const env = { PIPEWRIGHT_DATABASE_URL: place.address, PIPEWRIGHT_CLUSTERED: "true" };
    const [one, two] = [await brokerOf(config, env), await brokerOf(config, env)];
    const first = await one.connect(durable("moves", version), "tcp");
    first.mqtt.publish("production/order/new", "1", { qos: 2 });
    await until(() => expect(asked).toHaveLength(1));
    const messageId = first.mqtt.getLastMessageId();
    const arriving = raw(two, version, { clientId: "moves", clean: false, properties: { sessionExpiryInterval: 600 } });
    // The first node has heard by then that the session goes, while the run is on its way to the store.
    await first.closed;
    asked[0]?.();
    const second = await arriving;
    second.send({ cmd: "publish", topic: "production/order/new", payload: "1", qos: 2, dup: true, retain: false, messageId });
    expect(await second.next()).toMatchObject({ cmd: "pubrec", messageId });
    second.send({ cmd: "pubrel", messageId });
    expect(await second.next()).toMatchObject({ cmd: "pubcomp", messageId });
    expect(asked).toHaveLength(1);
    await until(async () => expect(await place.query("SELECT status FROM pw_runs")).toEqual([{ status: "done" }]));
  });
});
