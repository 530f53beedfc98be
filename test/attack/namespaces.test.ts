import { afterEach, describe, expect, test } from "vitest";
import { stateOf } from "#runtime/state/open.ts";
import { closeAll, using } from "./opened.ts";
import { serviceOf, ways } from "./service.ts";

// A request that names a namespace of the state never gets to what the service keeps there for itself.

afterEach(closeAll);

const config = `
name: t
interfaces:
  get: { method: POST, show_error_detail: true, actions: [{ name: A, state: { get: { namespace: "a|body::n|", key: "a|body::k|" } } }] }
  set: { method: POST, show_error_detail: true, actions: [{ name: A, state: { set: { namespace: "a|body::n|", key: "a|body::k|", value: 1 } } }] }
  new: { method: POST, show_error_detail: true, actions: [{ name: A, json_output: [1], only_new: { namespace: "a|body::n|", key: k, id: . } }] }
`;

describe.each(ways)("%s", (_, way) => {
  test.each([
    "ws retained local production",
    "mqtt channels local production",
    "pipewright.rate_limit",
    "pipewright.nodes local production",
  ])("%s", async (n) => {
    const service = await using(serviceOf(config, { ...way, env: {} }));
    const place = { namespace: n, key: "k" };
    await stateOf(service.host).set(place, "kept", {});
    for (const path of ["/get", "/set", "/new"])
      expect(JSON.parse((await service.ask(path, { n, k: "k" })).text).data.A.error).toMatch(
        /state namespace is one of the service itself$/,
      );
    expect((await stateOf(service.host).get(place))?.value).toBe("kept");
  });

  test("others are the configuration's", async () => {
    const service = await using(serviceOf(config, { ...way, env: {} }));
    for (const n of ["pipewright", "pipewright.rate_limits", "ws retained", "tenant 7"])
      expect((await service.ask("/set", { n, k: "k" })).status).toBe(200);
  });
});
