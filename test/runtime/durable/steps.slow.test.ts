import { describe, expect, test } from "vitest";
import { retryRun } from "#runtime/durable/retry.ts";
import { send } from "../../harness/sockets.ts";
import { alarm, until } from "../../harness/until.ts";
import { durable } from "../store/run-stores.ts";
import { agents, playing, turn } from "./agents.ts";
import { json, servicesOf } from "./nodes.ts";

// The turns of an agent in a durable run are steps: what is stored is never paid for again, and no tool runs twice (spec/surfaces 15.1).

const ways = [
  ["printed", "walked"],
  ["walked", "printed"],
] as const;

describe.each(durable)("$name", ({ open }) => {
  const given = servicesOf(agents, open);
  const { asked, answers, bodyOf, ended, headers, paths, posted, told } = playing(given);

  /** Begins a run whose caller has gone away with its node; gives its id. */
  const idOf = (): Promise<string> =>
    until(async () => {
      const [run] = await given.nodes.runs.list({});
      if (run === undefined) throw new Error("there is no run");
      return run.id;
    });

  test.each(ways)("begun %s and taken over %s in its second turn", { timeout: 2 * alarm }, async (first, second) => {
    const one = await given.nodes.node(first);
    const gone = expect(posted(one.url, "/kept", { q: "How many?" })).rejects.toThrow();
    await asked("/model");
    answers(
      "/model",
      turn([
        ["look", { sku: "bolt" }],
        ["no_such_tool", {}],
      ]),
    );
    await asked("/model", "/look");
    answers("/look", "seven");
    await asked("/model", "/look", "/model");
    const question = bodyOf(2);
    await one.signal("SIGKILL");
    await gone;
    await given.nodes.node(second);
    await asked("/model", "/look", "/model", "/model");
    expect(bodyOf(3)).toEqual(question);
    expect(told()).toEqual([expect.stringContaining("seven"), "there is no tool 'no_such_tool'"]);
    answers("/model", turn("Seven."));
    expect(await ended(await idOf())).toEqual({
      text: "Seven.",
      turns: 2,
      stop: "end",
      tool_calls: [
        { name: "look", args: { sku: "bolt" }, ok: true, ms: expect.any(Number) },
        { name: "no_such_tool", args: {}, ok: false, ms: expect.any(Number) },
      ],
      usage: { input_tokens: 6, output_tokens: 4, cost: expect.closeTo(0.000014, 9) },
    });
    expect(paths()).toHaveLength(4);
  });

  test("a tool that was under way is done again under the same key, and the model is not asked again", { timeout: 2 * alarm }, async () => {
    const one = await given.nodes.node("printed");
    const gone = expect(posted(one.url, "/kept", { q: "Look." })).rejects.toThrow();
    await asked("/model");
    answers(
      "/model",
      turn([
        ["look", { sku: "bolt" }],
        ["pay", { sum: 1 }],
      ]),
    );
    await asked("/model", "/look", "/pay");
    answers("/pay", "paid");
    await until(async () =>
      expect((await given.nodes.runs.show(await idOf()))?.settled).toContain("Answer\tstep turn 1, call 2 pay, result"),
    );
    await one.signal("SIGKILL");
    await gone;
    await given.nodes.node("walked");
    await asked("/model", "/look", "/pay", "/look");
    const [before, after] = headers("/look").map((each) => each["idempotency-key"]);
    expect(after).toBe(before);
    expect(headers("/pay")[0]?.["idempotency-key"]).not.toBe(before);
    answers("/look", "seven");
    await asked("/model", "/look", "/pay", "/look", "/model");
    answers("/model", turn("Done."));
    expect(await ended(await idOf())).toMatchObject({ turns: 2, text: "Done." });
  });

  test("what was said is remembered once", { timeout: 2 * alarm }, async () => {
    const one = await given.nodes.node("printed");
    const first = posted(one.url, "/kept", { q: "My name is Ann." });
    await asked("/model");
    const before = await idOf();
    answers("/model", turn("Hello Ann."));
    expect((await first).status).toBe(200);
    const gone = expect(posted(one.url, "/kept", { q: "Who am I?" })).rejects.toThrow();
    await asked("/model", "/model");
    await one.signal("SIGKILL");
    await gone;
    await given.nodes.node("walked");
    await asked("/model", "/model", "/model");
    expect(bodyOf(2)).toEqual(bodyOf(1));
    answers("/model", turn("Ann."));
    const [second] = (await given.nodes.runs.list({})).filter(({ id }) => id !== before);
    expect(await ended(second?.id ?? "")).toMatchObject({ text: "Ann." });
    const two = await given.nodes.node("printed");
    void posted(two.url, "/kept", { q: "Sure?" }).catch(() => undefined);
    await asked("/model", "/model", "/model", "/model");
    expect((bodyOf(3).messages as { content: string }[]).map(({ content }) => content)).toEqual([
      ...["My name is Ann.", "Hello Ann.", "Who am I?", "Ann.", "Sure?"],
    ]);
  });

  test("a process that ends does the step that is under way, and no further one", { timeout: 2 * alarm }, async () => {
    const one = await given.nodes.node("printed");
    expect((await posted(one.url, "/early", { q: "Look." })).status).toBe(202);
    await asked("/model");
    const exit = one.signal("SIGTERM");
    const ready = (): Promise<number> =>
      send(one.url, "/readyz").then(
        ({ status }) => status,
        () => 503,
      );
    await until(async () => expect(await ready()).toBe(503));
    answers("/model", turn([["look", { sku: "bolt" }]]));
    expect(await exit).toBe(0);
    expect(paths()).toEqual(["/model"]);
    await given.nodes.node("walked");
    await asked("/model", "/look");
    answers("/look", "seven");
    await asked("/model", "/look", "/model");
    answers("/model", turn("Seven."));
    expect(await ended(await idOf())).toMatchObject({ text: "Seven.", turns: 2 });
  });

  test("a durable run that an agent has begun goes on without it", { timeout: 2 * alarm }, async () => {
    const one = await given.nodes.node("printed");
    const caller = new AbortController();
    const gone = expect(fetch(`${one.url}/passing`, { ...json({ q: "Look." }), signal: caller.signal })).rejects.toThrow();
    await asked("/model");
    answers("/model", turn([["stored", { sku: "bolt" }]]));
    await asked("/model", "/look");
    caller.abort();
    await gone;
    await until(() => expect(one.log.map(({ msg }) => msg)).toContain("client went away"));
    answers("/look", "seven");
    await until(async () => expect(await given.nodes.runs.list({})).toMatchObject([{ interface: "stored", status: "done" }]));
    expect(paths()).toEqual(["/model", "/look"]);
  });

  test("an operator's retry goes on with the turn that has failed", { timeout: 2 * alarm }, async () => {
    const one = await given.nodes.node("printed");
    const answered = posted(one.url, "/kept", { q: "Look." });
    await asked("/model");
    answers("/model", "busy", 503);
    await asked("/model", "/model");
    answers("/model", turn([["look", { sku: "bolt" }]]));
    await asked("/model", "/model", "/look");
    answers("/look", "seven");
    await asked("/model", "/model", "/look", "/model");
    answers("/model", turn("Sev").replace('"finish_reason":"stop"', '"finish_reason":"length"'));
    expect((await answered).status).toBe(500);
    expect(await retryRun(given.nodes.runs, await idOf())).toEqual({ done: "due" });
    await asked("/model", "/model", "/look", "/model", "/model");
    expect(told()).toEqual([expect.stringContaining("seven")]);
    answers("/model", turn("Seven."));
    expect(await ended(await idOf())).toMatchObject({ text: "Seven.", turns: 2, usage: { input_tokens: 6 } });
  });
});
