import { describe, expect, test } from "vitest";
import { type JsonObject, own } from "#runtime/value/json.ts";
import { send } from "../../harness/sockets.ts";
import { alarm, until } from "../../harness/until.ts";
import { durable } from "../store/run-stores.ts";
import { json, servicesOf } from "./nodes.ts";

// An action that is done again, since its outcome was not stored, finds what it has remembered itself as new as before (spec/transforms 8).

const config = `
name: news
interfaces:
  poll:
    method: POST
    durable: true
    respond: early
    actions:
      - name: News
        json_output: a|body::news|
        only_new: { key: news }
      - name: Lines
        run_when_succeeded: [News]
        lookup_concurrency: 1
        lookup: a|body::news|
        actions:
          - { name: Line, state: { seen: { key: lines, id: a|body| } } }
      - name: Send
        run_when_succeeded: [Lines]
        http: { method: POST, url: "a|env::UPSTREAM|/send", body: { news: a|News|, lines: a|Lines| } }
`;

describe.each(durable)("$name", ({ open }) => {
  const given = servicesOf(config, open);

  test.each(["printed", "walked"] as const)(
    "%s: what was new to a run is so when it does the action again",
    { timeout: 2 * alarm },
    async (how) => {
      const node = await given.nodes.node(how);
      const news = [{ id: 1 }, { id: 2 }, { id: 1 }];
      const { text } = await send(node.url, "/poll", json({ news }));
      const { request_id: id } = JSON.parse(text);
      const sent = async (number: number): Promise<unknown> => {
        await until(() => expect(given.nodes.asked).toHaveLength(number + 1));
        const { news: fresh, lines } = JSON.parse(given.nodes.asked[number]?.body ?? "");
        return [fresh, lines.map((line: JsonObject) => own(line, "data"))].map((part) =>
          JSON.stringify(part).replace(/"time.ms":\d+/g, ""),
        );
      };
      const first = await sent(0);
      expect(first).toEqual(['[{"id":1},{"id":2}]', expect.stringMatching(/^(?=.*true.*true.*false)/)]);
      given.nodes.answer(0, 500);
      await until(async () => expect(await given.nodes.runs.show(id)).toMatchObject({ status: "failed" }));
      // All outcomes are lost, as those of a process are that ends before they are stored.
      const { settled = [] } = (await given.nodes.runs.show(id)) ?? {};
      expect(settled).toContain("Lines[1]/Line");
      expect(await given.nodes.runs.retry(id, settled)).toBe("due");
      expect(await sent(1)).toEqual(first);
      given.nodes.answer(1);
      await until(async () => expect(await given.nodes.runs.show(id)).toMatchObject({ status: "done" }));
      // No identity is new to another run.
      const other = JSON.parse((await send(node.url, "/poll", json({ news: [...news, { id: 3 }] }))).text).request_id;
      expect(await sent(2)).toMatchObject(['[{"id":3}]', expect.stringMatching(/false.*false.*false.*true/)]);
      given.nodes.answer(2);
      await until(async () => expect(await given.nodes.runs.show(other)).toMatchObject({ status: "done" }));
    },
  );
});
