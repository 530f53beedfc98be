import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { prometheus } from "#runtime/metrics/prometheus.ts";
import { channelsOf } from "#runtime/realtime/channels.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { compiled, process, recorded, ask as run } from "../../../harness/captured.ts";
import { collector } from "../../../harness/peers/otlp-collector.ts";
import { textIn } from "../../../harness/sockets.ts";
import { both, newStore, removeStore, store } from "../../capture/capture-store.ts";
import { desk, entryOf, everyWay, kept, peer } from "./desk.ts";

// Listeners, metrics, traces and records hear of an agent (spec/surfaces 15.1).

beforeEach(newStore);
afterEach(removeStore);

const interfaces = (api: string, more = ""): string => `
name: desk
expose_metrics: true
interfaces:
  a:
    output: http
    method: POST
    capture: all
    ${more}
    actions:
      - name: A
        retry: { attempts: 2, delay: 1ms }
        agent:
          model: { api: ${api}, url: a|env::MODEL|, name: m1, key: a|var::MODEL_KEY|, price: { input: 1000, output: 2000 } }
          prompt: a|body::q|
          tools: [{ interface: look }]
          stream: true
  look: { capture: all, actions: [{ name: L, json_output: { seen: true } }] }
`;

describe.each(everyWay)("%s, %s", (api, _, interpret) => {
  const script = [{ text: "Wait. ", calls: [{ name: "look", args: { deep: { n: 1 } } }] }, { text: "Sée😀n." }];

  test("the text is forwarded while it arrives, over all turns", async () => {
    const model = await peer(api, script);
    const config = await compiled(interfaces(api, "stream: { from: A, channel: chat, flush_ms: 0 }"), { interpret });
    await process({ env: { MODEL: `${model.url}/v1` } }, async (host) => {
      const heard: JsonObject[] = [];
      channelsOf(host).subscribe({ push: (frame: Buffer) => void heard.push(JSON.parse(textIn(frame))) }, "#");
      expect(await run(host, config, "a", { body: { q: "go" } })).toBe(200);
      const messages = heard.map(({ data }) => (data as JsonObject).$stream as JsonObject);
      expect(messages.map(({ delta }) => delta).join("")).toBe("Wait. Sée😀n.");
      expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_message, i) => i));
      expect(messages.filter(({ done }) => done)).toHaveLength(1);
    });
    expect(model.asked().map(({ stream }) => stream)).toEqual([true, true]);
  });

  test("a stream gives what one answer gives: text, calls, tokens", async () => {
    const model = await peer(api, script);
    const { ask } = await desk(interfaces(api).replace("name: desk\n", ""), model.url, { interpret });
    expect(entryOf(await ask("/a", { q: "go" })).data).toMatchObject({
      text: "Sée😀n.",
      turns: 2,
      tool_calls: [{ name: "look", args: { deep: { n: 1 } }, ok: true }],
      usage: { input_tokens: 6, output_tokens: 4, cost: expect.closeTo(0.014, 9) },
    });
  });

  test("a stream that breaks off is asked for again, and one that is cut says so", async () => {
    const model = await peer(api, [
      { text: "Seven pieces.", breaks: true },
      { text: "Seven.", stop: "cut" },
    ]);
    const text = interfaces(api).replace("name: desk\n", "").replace("delay: 1ms", "delay: 1ms, on: [any]");
    const { ask } = await desk(text, model.url, { interpret });
    const entry = entryOf(await ask("/a", { q: "go" }));
    expect(entry).toMatchObject({ error: "agent: the answer was cut at max_tokens", data: { text: "Seven." } });
    expect(model.seen).toHaveLength(2);
  });

  test("tokens and cost are counted by action", async () => {
    const model = await peer(api, script);
    const { ask, served } = await desk(interfaces(api).replace("name: desk\n", ""), model.url, { interpret });
    await ask("/a", { q: "go" });
    const text = await (await fetch(await prometheus(served.host).listen("127.0.0.1", 0))).text();
    const labels = 'config="desk",interface="a",action="A"';
    expect(text).toContain(`pipewright_agent_tokens_total{${labels},direction="in"} 6`);
    expect(text).toContain(`pipewright_agent_tokens_total{${labels},direction="out"} 4`);
    expect(text).toMatch(new RegExp(`pipewright_agent_cost_total{${labels}} 0.01[34]`));
    expect(text).toContain('trigger="agent"');
    expect(text).toContain(`pipewright_http_action_duration_ms_count{${labels}} 2`);
  });

  test("turns and calls of tools are spans", async () => {
    const sink = kept(await collector());
    const model = await peer(api, script);
    const { readSettings } = await import("#runtime/process/settings/options.ts");
    const { tracing } = await readSettings({}, { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url });
    const { ask, served } = await desk(interfaces(api).replace("name: desk\n", ""), model.url, { interpret, tracing });
    await ask("/a", { q: "go" });
    await served.close();
    const names = sink.spans.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["turn 1", "turn 2", "tool look", "look", "A"]));
    const [action] = sink.spans.filter(({ name }) => name === "A");
    const inside = sink.spans.filter(({ parentId }) => parentId === action?.spanId).map(({ name }) => name);
    expect(inside.sort()).toEqual(["tool look", "turn 1", "turn 2"]);
    const [tool, look] = ["tool look", "look"].map((wanted) => sink.spans.find(({ name }) => name === wanted));
    expect(look?.parentId).toBe(tool?.spanId);
    const turn = sink.spans.find(({ name }) => name === "turn 2");
    expect(turn?.attributes).toMatchObject({ "gen_ai.usage.output_tokens": 2, "http.response.status_code": 200 });
    expect(action?.attributes).not.toHaveProperty("http.response.status_code");
    expect(model.seen[1]?.headers.traceparent).toContain(turn?.spanId);
  });
});

test.each(both)("a recorded run has the calls of the model, and the tool's run its parent: %s", async (_, interpret) => {
  const model = await peer("openai", [{ calls: [{ name: "look", args: {} }] }, { text: "Seen." }]);
  const config = await compiled(interfaces("openai").replace("stream: true", "stream: false"), { interpret });
  const env = { ...store.env, MODEL: `${model.url}/v1` };
  await process({ env, variables: { MODEL_KEY: () => "sk-canary-112233" } }, async (host) => {
    await run(host, config, "a", { id: "00000000-0000-4000-8000-000000000001", body: { q: "go" } });
  });
  const runs = await recorded(env);
  const [tool, agent] = [runs.find((each) => each.interface === "look"), runs.find((each) => each.interface === "a")];
  expect(tool).toMatchObject({ trigger: "agent", parent: "00000000-0000-4000-8000-000000000001" });
  expect(agent?.exchanges?.map(({ call }) => call)).toHaveLength(2);
  expect(JSON.stringify(runs)).not.toContain("sk-canary");
});
