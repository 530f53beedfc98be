import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { createHost } from "#runtime/host.ts";
import { planned, printOne } from "../harness/compile.ts";
import { evaluate } from "../harness/evaluate.ts";
import { runOnce } from "../harness/run-once.ts";

// Six thousand characters between a hundred thousand elements: more than V8 has for a text.
const long = `a|body::list->join(${"-".repeat(6_000)})|`;

const config = stringify({
  name: "large",
  interfaces: {
    action: { method: "POST", show_error_detail: true, actions: [{ name: "A", input: long }] },
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
