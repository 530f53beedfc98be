import { request } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "#runtime/value/json.ts";
import { type Got, send } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";
import { closeAll, folder, key, newFolder, type Service, service } from "./admin-service.ts";

// The admin API of durable runs (spec/surfaces 16, docs/admin-api.md): what it tells, and who may change it.

beforeEach(newFolder);
afterEach(closeAll);

const admin = "a-key-that-may-also-change-runs";
const api = "/api/v1/durable-runs";
const nobody = "3f0b8f0e-5e0d-4f0a-9d3c-2f1a5b6c7d8e";

const config = `
name: shop
interfaces:
  approve:
    method: POST
    actions:
      - { name: Mint, json_output: { token: a|body::token| } }
      - { name: Approval, wait_for_callback: { token: a|Mint::token|, timeout: 2d } }
      - { name: Result, run_when_succeeded: [Approval], json_output: { approved: a|Approval::body.yes|, word: a|var::WORD| } }
  mend:
    method: POST
    durable: true
    actions: [{ name: Look, input: a|env::SET|, assert: { tests: [{ value: n, is_not_null: true }] } }]
`;

const served = (env: Readonly<Record<string, string>> = {}): Promise<Service> => {
  const PIPEWRIGHT_DATABASE_URL = `sqlite:${folder.folder}.db`;
  return service({ PIPEWRIGHT_DATABASE_URL, PIPEWRIGHT_ADMIN_KEYS: `a-key-of-somebody-else, ${admin}`, ...env }, config);
};

/** Begins a run; gives its id. */
async function begun(one: Service, path: string, token = `a token of some length ${Math.random()}`): Promise<string> {
  const { headers } = await send(one.url, path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  return String(headers["x-request-id"]);
}

/** Gives an order with the key that may, or another one. */
function order(
  one: Service,
  path: string,
  body?: string | Buffer,
  headers: Readonly<Record<string, string>> = { "x-api-key": admin },
): Promise<Got> {
  return send(one.admin, path, { method: "POST", headers: { "content-type": "application/json", ...headers }, ...(body && { body }) });
}

const shown = (one: Service, id: string): Promise<JsonObject> => one.told(`${api}/${id}`);

const ended = (one: Service, id: string, status: string): Promise<JsonObject> =>
  until(async () => {
    const run = await shown(one, id);
    expect(run.status).toBe(status);
    return run;
  });

const listed = async (one: Service, query: string): Promise<readonly unknown[]> =>
  ((await one.told(`${api}?${query}`)).runs as JsonObject[]).map(({ id }) => id);

describe("what it tells", () => {
  test("runs by status and interface, a page at a time", async () => {
    const one = await served();
    const waiting = [await begun(one, "/approve"), await begun(one, "/approve"), await begun(one, "/approve")].reverse();
    const failed = await begun(one, "/mend");
    expect(await listed(one, "status=waiting")).toEqual(waiting);
    expect(await listed(one, "status=failed")).toEqual([failed]);
    expect(await listed(one, "interface=approve&config=shop&limit=500")).toEqual(waiting);
    expect(await listed(one, "status=stuck")).toEqual([]);
    expect(await listed(one, "config=other")).toEqual([]);
    const first = await one.told(`${api}?status=waiting&limit=2`);
    expect(await one.told(`${api}?status=waiting&limit=2&cursor=${first.next}`)).toMatchObject({ runs: [{ id: waiting[2] }], next: null });
  });

  test("one run with what it waits for, and neither its token nor a secret", async () => {
    const one = await served();
    const id = await begun(one, "/approve", "a token that nobody else may know");
    const run = await shown(one, id);
    expect(run).toMatchObject({
      id,
      config: "shop",
      interface: "approve",
      status: "waiting",
      settled: ["Mint"],
      result: null,
      stuck: false,
    });
    expect(run.waits).toContainEqual(expect.objectContaining({ action: "Approval", state: "open" }));
    expect(JSON.stringify(run)).not.toMatch(/nobody else|tokenHash|token_hash/);
  });

  test("a service without durable interfaces has none", async () => {
    const one = await service({}, "name: t\ninterfaces:\n  t: { method: GET, actions: [] }\n");
    expect(await one.told(api)).toEqual({ runs: [], next: null });
    expect((await one.ask(`${api}/${nobody}`)).status).toBe(404);
  });

  test.each([
    ["status=lost", "status must be one of open, waiting, stuck, done, failed, cancelled"],
    ["limit=0", "limit must be a number from 1 to 500"],
    ["limit=1e2", "limit must be a number from 1 to 500"],
    ["trigger=http", "trigger must be one of status, config, interface, limit, cursor"],
    [`cursor=${encodeURIComponent("' OR 1=1 --")}`, "cursor must be what the page before has given as next"],
  ])("%s is answered with what is wrong", async (query, message) => {
    const { status, text } = await (await served()).ask(`${api}?${query}`);
    expect([status, JSON.parse(text)]).toEqual([400, { error: "invalid_param", message }]);
  });
});

describe("what it changes", () => {
  test("a waiting run goes on with the body of the order, once, and the log says who has ordered it", async () => {
    const one = await served();
    const id = await begun(one, "/approve");
    const { status, text } = await order(one, `${api}/${id}/resume`, '{"action":"Approval","body":{"yes":true}}');
    expect([status, JSON.parse(text)]).toEqual([200, { id, done: "resumed" }]);
    const { result } = await ended(one, id, "done");
    expect(JSON.stringify(result)).toContain('approved\\":true');
    expect((await order(one, `${api}/${id}/resume`)).status).toBe(409);
    expect(one.log.filter(({ msg }) => msg === "admin order")).toMatchObject([
      { level: "info", order: "resume", run_uuid: id, key: 2, address: "127.0.0.1", status: 200 },
      { level: "info", order: "resume", run_uuid: id, key: 2, status: 409 },
    ]);
    expect(JSON.stringify(one.log)).not.toContain(admin);
  });

  test("a compressed body of JSON is read", async () => {
    const one = await served();
    const id = await begun(one, "/approve");
    const headers = { "x-api-key": admin, "content-encoding": "gzip" };
    const body = gzipSync(JSON.stringify({ body: { yes: true, note: "x".repeat(20_000) } }));
    expect((await order(one, `${api}/${id}/resume`, body, headers)).status).toBe(200);
  });

  test.each(["application/x-www-form-urlencoded", "text/plain"])("a body of JSON is read whatever %s says of it", async (type) => {
    const one = await served();
    const id = await begun(one, "/approve");
    const headers = { "x-api-key": admin, "content-type": type };
    expect((await order(one, `${api}/${id}/resume`, '{"body":{"yes":true}}', headers)).status).toBe(200);
    const { status, text } = await order(one, `${api}/${id}/resume`, "action=Approval", headers);
    expect([status, JSON.parse(text)]).toEqual([400, { error: "invalid_json", message: "the body must be JSON of 1 MiB at most" }]);
  });

  test("a run is cancelled and tried again; one that is over is not cancelled", async () => {
    const one = await served();
    const id = await begun(one, "/approve");
    expect(JSON.parse((await order(one, `${api}/${id}/cancel`)).text)).toEqual({ id, done: "cancelled" });
    const over = await begun(one, "/mend");
    await ended(one, over, "failed");
    const late = await order(one, `${api}/${over}/cancel`);
    expect([late.status, JSON.parse(late.text)]).toEqual([409, { error: "conflict", message: "the run is over" }]);
    expect(JSON.parse((await order(one, `${api}/${id}/retry`)).text)).toEqual({ id, done: "due" });
    await ended(one, id, "waiting");
  });

  test("a wait that is not there is a conflict, and changes nothing", async () => {
    const one = await served();
    const id = await begun(one, "/approve");
    const { status, text } = await order(one, `${api}/${id}/resume`, '{"action":"Mint"}');
    expect([status, JSON.parse(text).message]).toEqual([409, "Approval wait, not Mint"]);
    expect((await shown(one, id)).status).toBe("waiting");
  });

  test.each<[string, Readonly<Record<string, string>>, number]>([
    ["no key", {}, 401],
    ["a wrong key", { "x-api-key": `${admin}x` }, 401],
    ["a key that may only read", { "x-api-key": key }, 403],
    ["the key of a page of another site", { "x-api-key": admin, "sec-fetch-site": "cross-site" }, 403],
    ["a name that leads here", { "x-api-key": admin, host: "evil.example" }, 403],
  ])("%s changes nothing", async (_, headers, expected) => {
    const one = await served();
    const id = await begun(one, "/approve");
    expect((await order(one, `${api}/${id}/cancel`, undefined, headers)).status).toBe(expected);
    expect((await shown(one, id)).status).toBe("waiting");
  });

  test("a key in the query may read and not change, and without keys for it nobody may", async () => {
    const one = await served();
    expect((await order(one, `${api}/${nobody}/cancel?api_key=${admin}`, undefined, {})).status).toBe(401);
    expect((await one.ask(`${api}?api_key=${admin}`, {})).status).toBe(200);
    await closeAll();
    newFolder();
    expect((await order(await served({ PIPEWRIGHT_ADMIN_KEYS: "" }), `${api}/${nobody}/cancel`)).status).toBe(401);
  });

  test("keys that may change runs are enough to serve the API", async () => {
    const one = await served({ PIPEWRIGHT_API_KEYS: "" });
    expect((await one.ask(api, { "x-api-key": admin })).status).toBe(200);
  });

  test.each([
    nobody,
    "------------------------------------",
    `${nobody}%00`,
    `${nobody.slice(0, -1)}'`,
    "..%2f..%2fdurable-runs",
    encodeURIComponent("' OR 1=1; DROP TABLE runs; --"),
    "__proto__",
    "",
    "0".repeat(3_000),
  ])("there is no run %j", async (id) => {
    const one = await served();
    const run = await begun(one, "/approve");
    for (const name of ["resume", "cancel", "retry"]) {
      const { status, text } = await order(one, `${api}/${id}/${name}`);
      expect([status, JSON.parse(text)]).toEqual([404, { error: "not_found" }]);
    }
    if (id !== "") expect((await one.ask(`${api}/${id}`)).status).toBe(404);
    expect((await shown(one, run)).status).toBe("waiting");
  });

  test.each<[string, string, number, string]>([
    ["no JSON", "{", 400, "invalid_json"],
    ["no object", "[1]", 400, "invalid_param"],
    ["another member", '{"bodi":1}', 400, "invalid_param"],
    ["an action that is no text", '{"action":1}', 400, "invalid_param"],
    ["more than a megabyte", JSON.stringify({ body: "x".repeat(1_048_576) }), 413, "payload_too_large"],
  ])("a body that is %s is refused", async (_, body, expected, error) => {
    const one = await served();
    const id = await begun(one, "/approve");
    const { status, text } = await order(one, `${api}/${id}/resume`, body);
    expect([status, JSON.parse(text).error]).toEqual([expected, error]);
    expect((await shown(one, id)).status).toBe("waiting");
  });

  test("a body that never ends is not kept", async () => {
    const one = await served();
    const id = await begun(one, "/approve");
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { "x-api-key": admin, "content-type": "application/json", "transfer-encoding": "chunked" };
      const sent = request(`${one.admin}${api}/${id}/resume`, { method: "POST", headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
        sent.destroy();
      });
      sent.on("error", reject);
      sent.write("x".repeat(1_048_577));
    });
    expect(status).toBe(413);
  });

  test.each<[string, string, number, string]>([
    ["GET", "cancel", 405, "POST"],
    ["DELETE", "cancel", 405, "POST"],
    ["POST", "", 405, "GET, HEAD"],
  ])("%s of …/%s is another method", async (method, name, expected, allow) => {
    const one = await served();
    const { status, headers } = await one.ask(`${api}/${nobody}${name && `/${name}`}`, { "x-api-key": admin }, method);
    expect([status, headers.allow]).toEqual([expected, allow]);
  });
});
