import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { createHost } from "#runtime/process/host.ts";
import type { Json } from "#runtime/value/json.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { runOnce } from "../../harness/run-once.ts";

// Six hundred characters between a hundred thousand elements, ten times: more than V8 has for a text.
const long = Array(10)
  .fill(`a|body::list->join(${"-".repeat(600)})|`)
  .join(" ");

const config = stringify({
  name: "large",
  interfaces: {
    action: { method: "POST", show_error_detail: true, actions: [{ name: "A", json_output: { long } }] },
    answer: { method: "POST", response: { custom_body: long }, actions: [{ name: "A", input: "a|body::none|" }] },
  },
});

describe.each(["printed", "walked"])("a value that is too large, %s", (how) => {
  const run = async (name: string) => {
    const logged: string[] = [];
    const { code } = await printOne(planned(config), { interpret: how === "walked" });
    const host = createHost({
      env: {},
      log: (level, msg, fields) => logged.push(`${level} ${msg}${fields?.stack === undefined ? "" : " with a stack"}`),
    });
    const { reply } = await runOnce(await evaluate(code), name, { body: { list: Array(100_000).fill(1) } }, host);
    await host.close();
    return { status: reply.status, body: JSON.parse(reply.body), logged };
  };

  test("fails its action", async () => {
    expect(await run("action")).toMatchObject({
      status: 500,
      body: { data: { A: { error: "value is too large" } } },
      logged: ["error PW900 value is too large"],
    });
  });

  test("fails its answer", async () => {
    expect(await run("answer")).toEqual({ status: 500, body: { error: "response failed" }, logged: ["error PW909 value is too large"] });
  });
});

/** More levels than the stack has room for, whatever goes through them by calls in calls. */
const deep = (): Json => {
  let value: Json = null;
  for (let i = 0; i < 20_000; i++) value = [value];
  return value;
};

const nested = stringify({
  name: "deep",
  interfaces: Object.fromEntries(
    Object.entries({
      envelope: { actions: [{ name: "A", input: "a|var::DEEP|" }] },
      template: { actions: [], response: { custom_body: '{"x": a|var::DEEP|}' } },
      short: { actions: [{ name: "A", input: "a|var::DEEP|", response_on_success: { http_code: 201 } }] },
      text: { actions: [{ name: "A", json_output: { x: "is a|var::DEEP|" } }] },
      flatten: { actions: [{ name: "A", input: "a|var::DEEP|", post_transforms: [{ flatten: { key_separator: "." } }] }] },
      jq: { actions: [{ name: "A", input: "a|var::DEEP|", post_transforms: [{ extract_with_jq: "tojson" }] }] },
      other_jq: { actions: [{ name: "A", input: "a|var::DEEP|", post_transforms: [{ extract_with_jq: "[..] | length" }] }] },
      test: { actions: [{ name: "A", input: "a|var::DEEP|", assert: { tests: [{ value: "[0]", size_limit: 5 }] } }] },
      assert: { actions: [{ name: "A", input: "a|var::DEEP|" }], assert: { tests: [{ value: "[0]", size_limit: 5 }] } },
      gate: { actions: [{ name: "A", run_on_assertion: { tests: [{ value: "a|var::DEEP|", size_limit: 5 }] }, json_output: 1 }] },
      parameter: { params: { p: { value: "is a|var::DEEP|" } }, actions: [] },
      state: { actions: [{ name: "A", state: { set: { key: "k", value: "a|var::DEEP|" } } }] },
    }).map(([name, each]) => [name, { method: "POST", show_error_detail: true, ...each }]),
  ),
});

describe("a value that is nested too deeply", () => {
  const run = async (name: string, how: string): Promise<unknown> => {
    const logged: string[] = [];
    const { code } = await printOne(planned(nested), { interpret: how === "walked" });
    const host = createHost({
      env: {},
      variables: { DEEP: deep() },
      log: (level, msg, fields) => logged.push(`${level} ${msg}${fields?.stack === undefined ? "" : " with a stack"}`),
    });
    const { reply } = await runOnce(await evaluate(code), name, { body: {} }, host);
    await host.close();
    return { status: reply.status, body: reply.body.replace(/,"time.ms":\d+/g, ""), logged };
  };

  const failedAnswer = { status: 500, body: '{"error":"response failed"}', logged: ["error PW909 value is nested too deeply"] };
  const failedAction = (reason: string, code = "PW905") => ({
    status: 500,
    body: JSON.stringify({ data: { A: { data: null, error: reason } } }),
    logged: [`error ${code} ${reason}`],
  });
  test.each([
    ["envelope", failedAnswer],
    ["template", failedAnswer],
    ["short", failedAnswer],
    ["text", failedAction("value is nested too deeply", "PW900")],
    ["state", failedAction("state value is nested too deeply", "PW908")],
    ["gate", failedAction("value is nested too deeply", "PW900")],
    ["test", failedAction("value is nested too deeply", "PW900")],
  ])("%s", async (name, expected) => {
    expect([await run(name, "printed"), await run(name, "walked")]).toEqual([expected, expected]);
  });

  test.each(["flatten", "jq", "other_jq", "assert", "parameter"])("%s ends alike on both ways, without a stack", async (name) => {
    const [printed, walked] = [await run(name, "printed"), await run(name, "walked")];
    expect(printed).toEqual(walked);
    expect(JSON.stringify(printed)).toContain("nested too deeply");
    expect(JSON.stringify(printed)).not.toContain("stack");
  });
});
