import { expect, test } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { feature_name_trigger } from "../../../runtime/triggers/feature_name.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { evaluate } from "../../harness/evaluate.ts";
import { stillHost } from "../../harness/still-host.ts";
import { untilTrue } from "../../harness/until.ts";

const text = JSON.stringify({
  name: "t",
  interfaces: {
    greet: { feature_name: { greeting: "a|env::GREETING|" }, log: "a|body::greeting|", actions: [{ name: "A", json_output: {} }] },
  },
});

test.each(["printed", "walked"])("runs the interface with its settings, %s", async (way) => {
  const config = await evaluate((await printOne(planned(text), { interpret: way === "walked" })).code);
  const logged: Json[] = [];
  const host = { ...stillHost({ env: { GREETING: "hello" } }), log: (_: string, msg: string) => void logged.push(msg) };
  const trigger = feature_name_trigger(host, config);
  expect(await trigger.missing()).toEqual([]);
  trigger.start();
  await untilTrue(() => logged.includes("hello"));
  trigger.stop();
  await host.close();
});
