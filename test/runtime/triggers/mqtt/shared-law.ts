import fc from "fast-check";
import { expect } from "vitest";
import { until } from "../../../harness/until.ts";
import { ModelClient, publish, type SharedNode, type SharedPlace } from "./shared-nodes.ts";

const clients = ["a", "b", "c"] as const;

/** A step of a client, of a publisher, or the end of a process. */
export const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("publish" as const),
      at: fc.nat(2),
      qos: fc.constantFrom(1 as const, 2 as const),
      topic: fc.constantFrom("t", "s"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("connect" as const), at: fc.nat(2), who: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("drop" as const), who: fc.nat(2) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("answer" as const), who: fc.nat(2), count: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("turn" as const), turns: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("kill" as const), at: fc.nat(2) }) },
);

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** Goes through the steps, and looks at what each client has got in the end. */
export async function holds(place: SharedPlace, steps: readonly Step[]): Promise<void> {
  try {
    const nodes: SharedNode[] = [await place.node(), await place.node(), await place.node()];
    const all = clients.map((name) => new ModelClient(name));
    for (const [n, client] of all.entries()) {
      await client.connect(nodes[n] as SharedNode);
      await client.subscribe("t", 2);
      await client.subscribe("$share/g/s", 2);
    }
    const acknowledged = new Set<string>();
    const sent = new Map<string, 1 | 2>();
    const under: Promise<unknown>[] = [];
    for (const one of steps) {
      if (one.do === "publish") {
        const [text, node] = [`${sent.size}`, nodes[one.at] as SharedNode];
        sent.set(`${one.topic} ${text}`, one.qos);
        void publish(node, one.topic, text, { qos: one.qos }).then(() => acknowledged.add(`${one.topic} ${text}`));
      } else if (one.do === "connect") under.push((all[one.who] as ModelClient).connect(nodes[one.at] as SharedNode));
      else if (one.do === "drop") (all[one.who] as ModelClient).drop();
      else if (one.do === "answer") (all[one.who] as ModelClient).answer(one.count);
      else if (one.do === "turn") for (let n = 0; n < one.turns; n++) await turn();
      else {
        await place.kill(nodes[one.at] as SharedNode);
        for (const client of all) if (client.node === nodes[one.at]) client.drop();
        nodes[one.at] = await place.node();
      }
    }
    const node = nodes[0] as SharedNode;
    // The last messages: each process publishes in order, so that a client with all last ones has all others, too.
    const ends = nodes.map((_, n) => `t end ${n}`);
    await Promise.all(nodes.map((one, n) => publish(one, "t", `end ${n}`, { qos: 2 })));
    for (const client of all) {
      await until(async () => {
        if (client.session === undefined || client.node !== node) expect(await client.connect(node)).toMatchObject({ isPresent: true });
      });
    }
    for (const client of all) {
      await until(() => {
        client.answer();
        expect(client.got).toEqual(expect.arrayContaining(ends));
        expect(client.waits).toBe(false);
      });
      const got = client.got.filter((text) => !ends.includes(text));
      expect(got.filter((text) => !sent.has(text))).toEqual([]);
      for (const text of acknowledged) if (text.startsWith("t ")) expect(got).toContain(text);
      const once = got.filter((text) => sent.get(text) === 2);
      expect(once).toEqual([...new Set(once)]);
    }
    // One order for all.
    const orders = all.map(({ got }) => got.filter((text) => sent.get(text) === 2 && text.startsWith("t ")));
    for (const order of orders) expect(order).toEqual(orders[0]);
    await until(() => {
      for (const client of all) client.answer();
      const shared = all.flatMap(({ got }) => got).filter((text) => text.startsWith("s "));
      for (const text of acknowledged) if (text.startsWith("s ")) expect(shared).toContain(text);
      const once = shared.filter((text) => sent.get(text) === 2);
      expect(once).toEqual([...new Set(once)]);
    });
  } finally {
    await place.close();
  }
}
