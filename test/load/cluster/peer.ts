import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { PgBoss } from "pg-boss";
import { Agent, fetch } from "undici";
import { steps } from "./steps.ts";

// Runs in a process of its own: the service of the cluster, written by hand on a queue in PostgreSQL. A job is a run of five calls, so that
// after a crash all five are made again; a durable run of pipewright keeps the output of each call.

const [, , library = "", database = "", upstream = ""] = process.argv;

/** Jobs that are worked on at the same time. */
const atOnce = 64;

const agent = new Agent({ connections: atOnce });

/** Connections to the database, as many as the store of pipewright has. */
const connections = 10;

/** A job: the number of the order, and the name under which all its calls are known. */
interface Order {
  readonly order: number;
  readonly id: string;
}

async function work({ order, id }: Order): Promise<void> {
  for (const step of steps) {
    const answer = await fetch(`${upstream}/${step}`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": `${id}-${step}` },
      body: JSON.stringify({ order }),
      dispatcher: agent,
    });
    if (!answer.ok) throw new Error(`${step} is answered with ${answer.status}`);
    await answer.text();
  }
}

/** Gives what takes an order into the queue; workers take it from there. */
async function graphileWorker(): Promise<(order: Order) => Promise<unknown>> {
  const shared = { connectionString: database, maxPoolSize: connections, logger: new Logger(() => () => undefined) };
  const utils = await makeWorkerUtils(shared);
  await utils.migrate();
  await run({ ...shared, concurrency: atOnce, noHandleSignals: true, taskList: { order: (job) => work(job as Order) } });
  return (order) => utils.addJob("order", order);
}

async function pgBoss(): Promise<(order: Order) => Promise<unknown>> {
  const boss = new PgBoss({ connectionString: database, max: connections });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue("order");
  const options = { localConcurrency: 8, batchSize: atOnce / 8, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };
  await boss.work<Order>("order", options, async (jobs) => void (await Promise.all(jobs.map(({ data }) => work(data)))));
  return (order) => boss.send("order", order);
}

const take = library === "graphile-worker" ? await graphileWorker() : await pgBoss();
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const id = crypto.randomUUID();
    const { order } = JSON.parse(Buffer.concat(parts).toString());
    take({ order, id }).then(
      () => response.writeHead(202, { "content-type": "application/json" }).end(JSON.stringify({ accepted: true, request_id: id })),
      () => response.writeHead(503).end(),
    );
  });
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo; // it listens on an address
console.log(JSON.stringify({ msg: "listening", url: `http://127.0.0.1:${port}` }));
