import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { resumeRun, runJson, shownRun } from "#runtime/store/run-orders.ts";
import { alarm, until } from "../../harness/until.ts";
import { durable } from "../store/run-stores.ts";
import { agents, playing, turn } from "./agents.ts";
import { servicesOf } from "./nodes.ts";

// A call of a tool that a person confirms (spec/surfaces 15.1): the run waits for it in no process, and goes on in any.

const ways = [
  ["printed", "walked"],
  ["walked", "printed"],
] as const;

const never = (): never => {
  throw new Error("the run is there");
};

describe.each(durable)("$name", ({ open }) => {
  const given = servicesOf(agents, open);
  const { asked, answers, bodyOf, ended, headers, paths, posted, told, waiting } = playing(given);

  test.each(ways)("begins %s, is confirmed by a link, and goes on %s", { timeout: 2 * alarm }, async (first, second) => {
    const one = await given.nodes.node(first);
    const answered = posted(one.url, "/ask", { q: "Refund 7." });
    await asked("/model");
    answers(
      "/model",
      turn([
        ["refund", { order: 7 }],
        ["look", { sku: "bolt" }],
      ]),
    );
    await asked("/model", "/mail", "/look");
    const { token, run: id, ...about } = bodyOf(paths().indexOf("/mail"));
    expect(about).toEqual({
      interface: "ask",
      action: "Answer",
      tool: "refund",
      args: { order: 7 },
      expires_at: expect.stringMatching(/^\d{4}-/),
    });
    answers("/mail");
    answers("/look");
    expect(JSON.parse((await answered).text)).toMatchObject({ accepted: true, waiting: true, request_id: id });
    await waiting(String(id));
    await one.signal("SIGKILL");
    const two = await given.nodes.node(second);
    const link = `/_pipewright/callback/${token}`;
    expect((await posted(two.url, link, { approved: true })).status).toBe(202);
    expect((await posted(two.url, link, { approved: false })).status).toBe(409);
    await asked("/model", "/mail", "/look", "/refund");
    expect(bodyOf(3)).toEqual({ order: 7 });
    answers("/refund", "refunded");
    await asked("/model", "/mail", "/look", "/refund", "/model");
    expect(told()).toEqual([expect.stringContaining("refunded"), expect.stringContaining("ok")]);
    answers("/model", turn("Done."));
    expect(await ended(String(id))).toMatchObject({
      text: "Done.",
      turns: 2,
      tool_calls: [
        { name: "refund", args: { order: 7 }, ok: true },
        { name: "look", args: { sku: "bolt" }, ok: true },
      ],
      usage: { input_tokens: 6, output_tokens: 4 },
    });
    expect(paths()).toHaveLength(5);
    expect((await given.nodes.runs.show(String(id)))?.waits).toEqual([]);
    for (const { log } of [one, two]) expect(JSON.stringify(log)).not.toContain(token);
    expect(headers("/refund")[0]?.["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    ["a refusal", { approved: false, reason: "too much" }, "not run: a person has refused it: too much"],
    ["a refusal without a reason", { approved: false }, "not run: a person has refused it"],
    ["a word that only looks like one", { approved: "true" }, "not run: the answer of a person was neither"],
    ["other arguments", { approved: true, args: { order: 8 } }, "not run: the answer of a person was neither"],
    ["nothing that says so", {}, "not run: the answer of a person was neither"],
  ])("%s runs nothing, and the model is told", { timeout: 2 * alarm }, async (_, body, reason) => {
    const one = await given.nodes.node("printed");
    const answered = posted(one.url, "/ask", { q: "Refund 7." });
    await asked("/model");
    answers("/model", turn([["refund", { order: 7 }]]));
    await asked("/model", "/mail");
    const { token, run: id } = bodyOf(1);
    answers("/mail");
    await answered;
    await waiting(String(id));
    expect((await posted(one.url, `/_pipewright/callback/${token}`, body)).status).toBe(202);
    await asked("/model", "/mail", "/model");
    expect(told()[0]).toContain(reason);
    answers("/model", turn("I may not."));
    expect(await ended(String(id))).toMatchObject({ text: "I may not.", tool_calls: [{ name: "refund", ok: false }] });
    expect(paths()).not.toContain("/refund");
  });

  test("nobody confirms it in time", { timeout: 2 * alarm }, async () => {
    const one = await given.nodes.node("walked");
    const answered = posted(one.url, "/ask", { q: "Hurry." });
    await asked("/model");
    answers("/model", turn([["hurry", {}]]));
    await asked("/model", "/model");
    expect(told()).toEqual(["not run: nobody confirmed it in time"]);
    answers("/model", turn("Too late."));
    expect((await answered).status).toBe(202);
  });

  test("nobody can be told", { timeout: 2 * alarm }, async () => {
    const one = await given.nodes.node("printed");
    const answered = posted(one.url, "/ask", { q: "Refund 7." });
    await asked("/model");
    answers("/model", turn([["refund", { order: 7 }]]));
    await asked("/model", "/mail");
    const { token } = bodyOf(1);
    answers("/mail", "no", 500);
    await asked("/model", "/mail", "/model");
    expect(told()).toEqual(["not run: nobody could be asked to confirm it"]);
    answers("/model", turn("Nobody is there."));
    expect((await answered).status).toBe(200);
    expect((await posted(one.url, `/_pipewright/callback/${token}`, {})).status).toBe(404);
  });

  test("wrong arguments ask nobody", { timeout: 2 * alarm }, async () => {
    const one = await given.nodes.node("printed");
    const answered = posted(one.url, "/ask", { q: "Refund all." });
    await asked("/model");
    answers("/model", turn([["refund", { order: "all" }]]));
    await asked("/model", "/model");
    expect(told()[0]).toContain("not run: the arguments are wrong");
    answers("/model", turn("I cannot."));
    expect((await answered).status).toBe(200);
  });

  test("two calls wait at once, and each has its own answer", { timeout: 2 * alarm }, async () => {
    const one = await given.nodes.node("printed");
    const answered = posted(one.url, "/ask", { q: "Refund 7 and 8." });
    await asked("/model");
    answers(
      "/model",
      turn([
        ["refund", { order: 7 }],
        ["refund", { order: 8 }],
      ]),
    );
    await asked("/model", "/mail", "/mail");
    given.nodes.answer(1);
    given.nodes.answer(2);
    const { request_id: id } = JSON.parse((await answered).text);
    await waiting(id);
    const tokens = new Map([1, 2].map((number) => [JSON.stringify(bodyOf(number).args), String(bodyOf(number).token)]));
    expect(new Set(tokens.values()).size).toBe(2);
    const link = (order: number): string => `/_pipewright/callback/${tokens.get(JSON.stringify({ order }))}`;
    expect((await posted(one.url, link(8), { approved: false, reason: "no" })).status).toBe(202);
    await until(async () => expect((await given.nodes.runs.show(id))?.settled.filter((path) => path.endsWith(", result"))).toHaveLength(1));
    await waiting(id);
    const two = await given.nodes.node("walked");
    expect((await posted(two.url, link(7), { approved: true })).status).toBe(202);
    await asked("/model", "/mail", "/mail", "/refund");
    expect(bodyOf(3)).toEqual({ order: 7 });
    answers("/refund");
    await asked("/model", "/mail", "/mail", "/refund", "/model");
    expect(told()).toEqual([expect.stringContaining("ok"), "not run: a person has refused it: no"]);
  });

  test("a run that is sealed waits and goes on alike, and shows no arguments without its key", { timeout: 2 * alarm }, async () => {
    const keys = randomBytes(32).toString("base64");
    const one = await given.nodes.node("printed", { keys });
    const answered = posted(one.url, "/ask", { q: "Pay." });
    await asked("/model");
    answers("/model", turn([["pay", { to: "hush" }]]));
    const { request_id: id } = JSON.parse((await answered).text);
    await waiting(id);
    const run = await shownRun(given.nodes.runs, id);
    expect(runJson(run ?? never(), 0).waits).toEqual([{ action: "Answer: turn 1, call 1 pay", state: "open", until: expect.any(String) }]);
    expect(JSON.stringify(await given.nodes.runs.outputs(id))).not.toContain("hush");
    await one.signal("SIGKILL");
    await given.nodes.node("walked", { keys });
    expect(await resumeRun(given.nodes.runs, id, { body: null, receivedAt: 0 })).toEqual({ done: "resumed" });
    await asked("/model", "/pay");
    expect(bodyOf(1)).toEqual({ to: "hush" });
  });

  test("a call is confirmed before the run has come to wait for it", { timeout: 2 * alarm }, async () => {
    const one = await given.nodes.node("printed");
    const answered = posted(one.url, "/ask", { q: "Refund 7." });
    await asked("/model");
    answers("/model", turn([["refund", { order: 7 }]]));
    await asked("/model", "/mail");
    expect((await posted(one.url, `/_pipewright/callback/${bodyOf(1).token}`, { approved: true })).status).toBe(202);
    answers("/mail");
    await asked("/model", "/mail", "/refund");
    answers("/refund");
    await asked("/model", "/mail", "/refund", "/model");
    answers("/model", turn("Done."));
    expect([200, 202]).toContain((await answered).status);
  });

  test("agents of a loop wait beside each other", { timeout: 2 * alarm }, async () => {
    const one = await given.nodes.node("printed");
    const answered = posted(one.url, "/many", { questions: [{ q: "one" }, { q: "two" }] });
    await asked("/model", "/model");
    for (const number of [0, 1]) given.nodes.answer(number, 200, turn([["pay", { of: number }]]));
    const { request_id: id } = JSON.parse((await answered).text);
    await waiting(id);
    const waits = (await given.nodes.runs.show(id))?.waits.map(({ path }) => path).toSorted();
    expect(waits).toHaveLength(4);
    expect(waits?.[0]).toBe("Each[0]/Answer\tstep turn 1, call 1 pay");
  });
});
