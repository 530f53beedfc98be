import { describe, expect, test } from "vitest";
import { send } from "../../harness/sockets.ts";
import { alarm, until } from "../../harness/until.ts";
import { durable } from "../store/run-stores.ts";
import { json, servicesOf } from "./nodes.ts";

// A run that waits for a callback leaves its process, and comes back on any node that is there (spec/surfaces 14).

const config = `
name: approvals
interfaces:
  ask:
    method: POST
    actions:
      - { name: Mint, json_output: { token: "a|uuid|" } }
      - name: Mail
        http: { method: POST, url: "a|env::UPSTREAM|/mail", body: { link: "/_pipewright/callback/a|Mint::token|" } }
      - name: Approval
        wait_for_callback: { token: "a|Mint::token|", timeout: a|body::timeout| }
      - name: Ship
        run_when_succeeded: [Approval]
        http: { method: POST, url: "a|env::UPSTREAM|/ship", body: { answer: a|Approval::body.answer|, asked: a|body::order| } }
      - name: GiveUp
        run_when_failed: [Approval]
        http: { method: POST, url: "a|env::UPSTREAM|/late", body: late }
`;

describe.each(durable)("$name", ({ open }) => {
  const given = servicesOf(config, open);

  const asked = (count: number): Promise<void> => until(() => expect(given.nodes.asked.map(({ path }) => path)).toHaveLength(count));
  const linkOf = (number: number): string => JSON.parse(given.nodes.asked[number]?.body ?? "{}").link;

  test("goes on when the token is used, on another node than that which has begun it", { timeout: 2 * alarm }, async () => {
    const one = await given.nodes.node("printed");
    const answered = send(one.url, "/ask", json({ order: 7, timeout: "1d" }));
    await asked(1);
    given.nodes.answer(0);
    const { status, text } = await answered;
    expect({ status, ...JSON.parse(text) }).toEqual({ status: 202, accepted: true, waiting: true, request_id: expect.any(String) });
    const { request_id: id } = JSON.parse(text);
    await until(async () => expect(await given.nodes.runs.show(id)).toMatchObject({ status: "waiting", node: null }));
    await one.signal("SIGKILL");
    const two = await given.nodes.node("walked");
    const link = linkOf(0);
    // Scanners of mail open links: that resumes nothing.
    expect((await send(two.url, link)).status).toBe(405);
    expect(await send(two.url, link, { headers: { accept: "text/html" } })).toMatchObject({
      status: 200,
      text: expect.stringContaining("<form"),
    });
    expect((await send(two.url, `${link}x`, json({}))).status).toBe(404);
    const resumed = await send(two.url, link, json({ answer: "yes" }));
    expect({ status: resumed.status, ...JSON.parse(resumed.text) }).toEqual({ status: 202, resumed: true, request_id: id });
    expect((await send(two.url, link, json({ answer: "no" }))).status).toBe(409);
    await asked(2);
    expect(JSON.parse(given.nodes.asked[1]?.body ?? "")).toEqual({ answer: "yes", asked: 7 });
    given.nodes.answer(1);
    await until(async () => expect(await given.nodes.runs.show(id)).toMatchObject({ status: "done" }));
    expect((await given.nodes.runs.show(id))?.waits).toEqual([]);
  });

  test("a callback that comes before the wait is kept", { timeout: 2 * alarm }, async () => {
    const one = await given.nodes.node("printed");
    const answered = send(one.url, "/ask", json({ order: 7, timeout: "1d" }));
    await asked(1);
    expect((await send(one.url, linkOf(0), json({ answer: "early" }))).status).toBe(202);
    given.nodes.answer(0);
    await asked(2);
    expect(JSON.parse(given.nodes.asked[1]?.body ?? "")).toEqual({ answer: "early", asked: 7 });
    given.nodes.answer(1);
    expect((await answered).status).toBe(202);
  });

  test("its time over, the action has failed", { timeout: 2 * alarm }, async () => {
    const one = await given.nodes.node("walked");
    const answered = send(one.url, "/ask", json({ order: 7, timeout: 1 }));
    await asked(1);
    given.nodes.answer(0);
    expect((await answered).status).toBe(202);
    await asked(2);
    expect(given.nodes.asked[1]?.path).toBe("/late");
    given.nodes.answer(1);
    expect((await send(one.url, linkOf(0), json({ answer: "late" }))).status).toBe(404);
  });
});
