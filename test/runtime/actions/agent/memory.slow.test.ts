import { describe, expect, test } from "vitest";
import type { Message } from "#runtime/features/actions/agent/conversation.ts";
import { trimmed } from "#runtime/features/actions/agent/memory.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { dataOf, desk, entryOf, everyWay, peer } from "./desk.ts";

// Conversations that go on, and answers of a fixed form (spec/surfaces 15.1).

const interfaces = (api: string, more: string): string => `
interfaces:
  a:
    output: http
    method: POST
    show_error_detail: true
    actions:
      - name: A
        agent:
          model: { api: ${api}, url: a|env::MODEL|, name: m1 }
          prompt: a|body::q|
          tools: [{ interface: look }]
          ${more}
  look: { actions: [{ name: L, input: a|body| }] }
  put: { output: http, method: POST, actions: [{ name: P, state: { set: { key: chat-ann, value: a|body| } } }] }
  kept: { output: http, method: GET, actions: [{ name: K, state: { get: { key: chat-ann } } }] }
`;

const roles = (asked: JsonObject | undefined): readonly unknown[] => ((asked?.messages ?? []) as JsonObject[]).map(({ role }) => role);

describe.each(everyWay)("%s, %s", (api, _, interpret) => {
  test("the conversation goes on where it was", async () => {
    const model = await peer(api, [
      { text: "Hello Ann." },
      { calls: [{ name: "look", args: { x: 1 } }] },
      { text: "One." },
      { text: "Bye." },
    ]);
    const { ask } = await desk(interfaces(api, 'memory: { key: "chat-a|body::who|", ttl: 1h }'), model.url, { interpret });
    for (const q of ["I am Ann", "Look", "Bye"]) await ask("/a", { q, who: "ann" });
    await ask("/a", { q: "Who am I?", who: "bob" });
    const [first, , , last, other] = model.asked();
    expect(roles(first)).toEqual(["user"]);
    const tool = api === "openai" ? "tool" : "user";
    expect(roles(last)).toEqual(["user", "assistant", "user", "assistant", tool, "assistant", "user"]);
    expect(roles(other)).toEqual(["user"]);
  });

  test("what another interface has put there is no conversation", async () => {
    for (const value of [
      { role: "user" },
      [1],
      [{ role: "user" }],
      [{ role: "tool" }],
      [{ role: "tool", results: [1] }],
      [{ role: "system", content: "a" }],
    ]) {
      const model = await peer(api, [{ text: "Hello." }]);
      const { ask } = await desk(interfaces(api, "memory: { key: chat-ann }"), model.url, { interpret });
      await ask("/put", value);
      expect(entryOf(await ask("/a", { q: "hi" })).error).toBeUndefined();
      expect(roles(model.asked()[0])).toEqual(["user"]);
    }
  });

  test("a run that fails leaves nothing behind", async () => {
    const model = await peer(api, [{ status: 500 }, { text: "Hello." }]);
    const { ask } = await desk(interfaces(api, "memory: { key: chat-ann }"), model.url, { interpret });
    await ask("/a", { q: "one" });
    await ask("/a", { q: "two" });
    expect(roles(model.asked()[1])).toEqual(["user"]);
  });

  test("two at once stand one behind the other, and no message is lost", async () => {
    const model = await peer(api, [{ text: "Yes." }]);
    const { ask, served } = await desk(interfaces(api, "memory: { key: chat-ann }"), model.url, { interpret });
    const [one, two] = await Promise.all([ask("/a", { q: "one" }), ask("/a", { q: "two" })]);
    expect([entryOf(one).error, entryOf(two).error]).toEqual([undefined, undefined]);
    const stored = (await (await fetch(`${served.url}/kept`)).json()) as JsonObject; // our own envelope
    const value = dataOf({ body: stored }, "K").value as JsonObject[];
    expect(value.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(value.map(({ content }) => content).sort()).toEqual(["Yes.", "Yes.", "one", "two"]);
  });

  test("an answer that does not satisfy the schema goes back, with what is wrong", async () => {
    const schema = "output: { schema: { type: object, required: [n], properties: { n: { type: integer } } }, retries: 2 }";
    const model = await peer(api, [{ text: "Seven." }, { text: '{"n": "7"}' }, { text: '```json\n{"n": 7}\n```' }]);
    const { ask } = await desk(interfaces(api, schema), model.url, { interpret });
    expect(dataOf(await ask("/a", { q: "go" }))).toMatchObject({ output: { n: 7 }, turns: 3, stop: "end" });
    const asked = model.asked();
    expect(JSON.stringify(asked[1]?.messages)).toContain("it is no JSON");
    expect(JSON.stringify(asked[2]?.messages)).toContain("/n must be integer");
    expect(JSON.stringify(asked[0])).toContain(api === "openai" ? '"json_schema"' : "satisfies this JSON Schema");
  });

  test("and costs a turn each time it is asked for again", async () => {
    const model = await peer(api, [{ text: "Seven." }, { text: "{}" }]);
    const { ask } = await desk(interfaces(api, "output: { schema: { type: object }, retries: 5 }\n          max_turns: 1"), model.url, {
      interpret,
    });
    expect(entryOf(await ask("/a", { q: "go" })).error).toBe("agent: the answer does not satisfy the schema of output: it is no JSON");
    expect(model.asked()).toHaveLength(1);
  });

  test("and fails when it never does", async () => {
    const model = await peer(api, [{ text: "Seven." }]);
    const { ask } = await desk(interfaces(api, "output: { schema: { type: object }, retries: 0 }"), model.url, { interpret });
    const entry = entryOf(await ask("/a", { q: "go" }));
    expect(entry.error).toBe("agent: the answer does not satisfy the schema of output: it is no JSON");
    expect(entry.data).toMatchObject({ text: "Seven.", turns: 1 });
  });
});

describe("what is kept", () => {
  const user = (content: string): Message => ({ role: "user", content });
  const call: Message = { role: "assistant", content: "", calls: [{ id: "1", name: "look", args: {}, text: "{}" }] };
  const result: Message = { role: "tool", results: [{ id: "1", name: "look", text: "seen", ok: true }] };
  const answer: Message = { role: "assistant", content: "Yes." };

  test.each([
    [6, [user("a"), call, result, answer, user("b"), answer]],
    [5, [user("a"), answer, user("b"), answer]],
    [3, [user("b"), answer]],
    [1, []],
  ])("%i messages at most: calls go first, with their results", (most, expected) => {
    expect(trimmed([user("a"), call, result, answer, user("b"), answer], most)).toEqual(expected);
  });

  test("no more than a value of the state holds", () => {
    const long = Array.from({ length: 20 }, (_, i) => user(`${i}${"x".repeat(100_000)}`));
    expect(JSON.stringify(trimmed(long, 1000)).length).toBeLessThan(900_000);
  });
});
