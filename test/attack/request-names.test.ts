import { afterAll, beforeAll, expect, test } from "vitest";
import { networkPolicy } from "#runtime/network/policy.ts";
import type { Served } from "#runtime/process/server.ts";
import { load } from "../../compiler/7-link/load.ts";
import { planTexts, printAll } from "../../compiler/pipeline.ts";
import { send } from "../harness/sockets.ts";

// The name that a caller gives its request is never the name of a run; only a trusted proxy hears and traces its own.

const text = `name: t
interfaces:
  open: { method: GET, log: { msg: "open ran" }, actions: [{ name: A, input: a|request::id| }] }
  behind: { method: GET, network: { trusted_proxies: [127.0.0.1] }, log: { msg: "behind ran" }, actions: [{ name: A, input: a|request::id| }] }
  early: { method: POST, respond: early, network: { trusted_proxies: [127.0.0.1] }, actions: [] }
`;

let served: Served;
const logged: { readonly msg: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];

beforeAll(async () => {
  const { configs, serve } = await load(await printAll(planTexts([{ file: "t.yaml", text }])));
  const log = (_: string, msg: string, fields: Readonly<Record<string, unknown>> = {}): void => void logged.push({ msg, fields });
  served = await serve(configs, { address: "127.0.0.1", port: 0, env: {}, noticeMs: 0, log, variables: { TOKEN: "canary-of-a-secret" } });
});
afterAll(() => served.close());

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const asked = async (path: string, name: string, method = "GET") => {
  const { headers, text: body, status } = await send(served.url, path, { method, headers: { "x-request-id": name } });
  return { status, sent: String(headers["x-request-id"]), id: JSON.parse(body).data?.A?.data };
};

test("a stranger's is only in the log, and bounded", async () => {
  const name = "11111111-1111-4111-8111-111111111111";
  const { sent, id } = await asked("/open", name);
  expect([sent, id]).toEqual([expect.stringMatching(uuid), sent]);
  expect(sent).not.toBe(name);
  const ran = (): unknown => logged.findLast(({ msg }) => msg === "open ran")?.fields;
  expect(ran()).toMatchObject({ run_uuid: sent, client_request_id: name });
  await asked("/open", "x".repeat(10_000));
  expect(ran()).toMatchObject({ client_request_id: "x".repeat(128) });
});

test("that of a trusted proxy is sent back, and the run has a name of its own", async () => {
  const { sent, id } = await asked("/behind", "proxy-7");
  expect([sent, id]).toEqual(["proxy-7", expect.stringMatching(uuid)]);
  const { fields } = logged.findLast(({ msg }) => msg === "behind ran") ?? {};
  expect(fields).toMatchObject({ run_uuid: id, request_id: "proxy-7" });
  expect(fields).not.toHaveProperty("client_request_id");
  expect((await asked("/early", "proxy-8", "POST")).sent).toBe("proxy-8");
  expect(await asked("/behind?a=%ff", "proxy-9")).toMatchObject({ status: 400, sent: "proxy-9" });
});

test.each(["x".repeat(129), "a b", "\u00e9"])("one that is no name is not: %j", async (name) => {
  expect((await asked("/behind", name)).sent).toMatch(uuid);
});

test("a proxy of another network is a stranger, and without trusted_proxies everybody is", () => {
  const { trusts } = networkPolicy({ trusted_proxies: ["192.0.2.0/24"] });
  expect(["192.0.2.7", "::ffff:192.0.2.7", "127.0.0.1", "198.51.100.1"].map(trusts)).toEqual([true, true, true, false]);
  expect(["192.0.2.7", "127.0.0.1", undefined].map(networkPolicy({}).trusts)).toEqual([false, false, false]);
});
