import { describe, expect, test } from "vitest";
import { limits } from "#runtime/triggers/mqtt/limits.ts";
import type { Message } from "#runtime/triggers/mqtt/message.ts";
import { Receipts } from "#runtime/triggers/mqtt/shared/receipts.ts";
import { until } from "../../../harness/until.ts";
import { ModelClient, nodesOfTest, publish, type SharedNode } from "./shared-nodes.ts";

// Messages that clients publish where there are several processes (docs/internals/mqtt.md).

const given = nodesOfTest();

describe("a message of QoS 2 from a client", () => {
  const heldBy = async (client: ModelClient): Promise<Message> => {
    const message: Message = { topic: "t", payload: Buffer.from("held"), qos: 2, retain: false, publisher: client.name };
    expect(client.session?.hold(7, message)).toBe(true);
    await new Promise<void>((resolve) => client.session?.whenStored(resolve));
    return message;
  };

  const watcherAt = async (node: SharedNode): Promise<ModelClient> => {
    const watcher = new ModelClient("w");
    await watcher.connect(node);
    await watcher.subscribe("#", 0);
    return watcher;
  };

  test("waits for its release with the process that has the session, when the first one is killed", async () => {
    const [here, there] = given().nodes;
    const [watcher, client] = [await watcherAt(here), new ModelClient("c")];
    await client.connect(there);
    await heldBy(client);
    await given().place.kill(there);
    await until(async () => expect(await client.connect(here)).toMatchObject({ isPresent: true }));
    const message = client.session?.holding(7);
    expect(message).toMatchObject({ topic: "t", qos: 2, publisher: "c" });
    await release(here, message as Message);
    client.session?.release(7);
    await publish(here, "mark", "");
    await until(() => expect(watcher.got).toEqual(["t held", "mark "]));
  });

  test("is released once, though the process is killed before it has stored that", async () => {
    const [here, there] = given().nodes;
    const [watcher, client] = [await watcherAt(here), new ModelClient("c")];
    await client.connect(there);
    const message = await heldBy(client);
    // The other processes hear of it; the client does not.
    const told = release(there, message);
    await until(() => expect(watcher.got).toEqual(["t held"]));
    await given().place.kill(there);
    await until(async () => expect(await client.connect(here)).toMatchObject({ isPresent: true }));
    expect(client.session?.holding(7)).toBeUndefined();
    await publish(here, "mark", "");
    await until(() => expect(watcher.got).toEqual(["t held", "mark "]));
    void told;
  });

  const release = (node: SharedNode, message: Message): Promise<string> =>
    new Promise((resolve) => void node.broker.publish({ ...message, release: 7 }, { accepted: () => undefined, done: resolve }));
});

describe("messages without a place in the order", () => {
  const receipt = (log: string[], name: string) => ({
    accepted: () => log.push(`${name} accepted`),
    done: (outcome: string) => log.push(`${name} ${outcome}`),
  });

  test("are acknowledged when they have it; those that will never have one are told that they are lost", () => {
    const receipts = new Receipts();
    const log: string[] = [];
    const [first, second, third] = ["a", "b", "c"].map((name) => receipts.add(receipt(log, name)));
    receipts.accepted(first ?? 0);
    receipts.placed(second ?? 0, ({ done }) => done("delivered"));
    receipts.placed(third ?? 0, ({ done }) => done("nobody"));
    receipts.placed(99, ({ done }) => done("delivered"));
    expect(log).toEqual(["a accepted", "a lost", "b delivered", "c nobody"]);
  });

  test("are no more than so many: then publishers wait", async () => {
    const receipts = new Receipts();
    for (let n = 1; n < limits.unplaced; n++) receipts.add(receipt([], ""));
    expect(receipts.room()).toBeUndefined();
    const last = receipts.add(receipt([], ""));
    const room = receipts.room();
    expect(room).toBeInstanceOf(Promise);
    receipts.placed(last, () => undefined);
    await room;
    expect(receipts.room()).toBeUndefined();
  });
});
