import { afterEach, describe, expect, test } from "vitest";
import { networkCounts } from "#runtime/network/counts.ts";
import { networkPolicy } from "#runtime/network/policy.ts";
import { networkRules } from "#runtime/network/rules.ts";
import { createHost } from "#runtime/process/host.ts";
import { readSettings } from "#runtime/process/settings/options.ts";
import { HttpServer } from "#runtime/triggers/http-server.ts";
import { configOf, type Got, type Sent, send, served } from "../../../harness/sockets.ts";

// Pages of other origins (spec/surfaces 1, CORS).

const app = "https://app.example";
const once = networkRules({ rate_limit: { requests: 1, window: 60_000 } });
const triggers: HttpServer[] = [];
afterEach(() => Promise.all(triggers.splice(0).map((trigger) => trigger.drain(0, 0))));

async function serving(...corsOrigins: string[]): Promise<(path: string, sent?: Sent) => Promise<Got>> {
  const shaped = served("GET", "/own", () => null);
  const own = {
    ...shaped,
    run: (cx: Parameters<typeof shaped.run>[0]) => {
      const headers = {
        vary: cx.params.vary ?? "Accept",
        "access-control-allow-origin": "https://other.example",
        "x-bad": cx.params.bad ?? null,
      };
      cx.act("A", { response_on_success: () => ({ headers }) }, () => null);
    },
  };
  const config = configOf(
    served("POST", "/g", (cx) => cx.body),
    served("GET", "/g", () => "got"),
    served("ANY", "/any", () => "any"),
    served("OPTIONS", "/options", () => "options"),
    { ...served("ANY", "/once", () => "once"), network: networkPolicy({ interface: once, counts: networkCounts }) },
    own,
  );
  const trigger = new HttpServer({ host: createHost({ env: {} }), configs: [config], unmet: async () => [], corsOrigins });
  triggers.push(trigger);
  const url = await trigger.listen("127.0.0.1", 0);
  return (path, sent) => send(url, path, sent);
}

const preflight = (origin: string, headers: Record<string, string> = {}): Sent => ({
  method: "OPTIONS",
  headers: { origin, "access-control-request-method": "POST", ...headers },
});

/** The headers of an answer about origins. */
const said = ({ status, headers }: Got) => ({
  status,
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => name === "vary" || /^access-control-(?!expose)/.test(name))),
});

describe("CORS", () => {
  test("the type of a preflight and of a health check is believed as it is sent", async () => {
    const ask = await serving(app);
    const options = [
      await ask("/g", preflight(app)),
      await ask("/g", preflight("https://other.example")),
      await ask("/livez"),
      await ask("/readyz"),
    ];
    expect(options.map(({ status, headers }) => [status, headers["x-content-type-options"]])).toEqual([
      [204, "nosniff"],
      [403, "nosniff"],
      [200, "nosniff"],
      [200, "nosniff"],
    ]);
  });

  test("a preflight of a listed origin learns the methods of the path", async () => {
    const ask = await serving(app);
    const granted = {
      "access-control-allow-origin": app,
      "access-control-allow-credentials": "true",
      "access-control-max-age": "600",
      vary: "Origin",
    };
    expect(said(await ask("/g", preflight(app, { "access-control-request-headers": "content-type, x-a" })))).toEqual({
      status: 204,
      ...granted,
      "access-control-allow-methods": "GET, HEAD, POST",
      "access-control-allow-headers": "content-type, x-a",
    });
    expect(said(await ask("/any", preflight(app)))).toEqual({ status: 204, ...granted, "access-control-allow-methods": "POST" });
    expect(said(await ask("/options", preflight(app)))).toEqual({ status: 204, ...granted, "access-control-allow-methods": "OPTIONS" });
  });

  test("a preflight does not count towards a rate limit", async () => {
    const ask = await serving(app);
    const statuses = [await ask("/once", preflight(app)), await ask("/once", preflight(app)), await ask("/once"), await ask("/once")];
    expect(statuses.map(({ status }) => status)).toEqual([204, 204, 200, 403]);
  });

  test("one of another origin is refused, and one of a path that is not there", async () => {
    const ask = await serving(app);
    for (const origin of [
      "https://evil.example",
      "http://app.example",
      "https://app.example:8443",
      "null",
      "https://app.example.evil.example",
    ]) {
      const refused = await ask("/g", preflight(origin));
      expect([said(refused), refused.text]).toEqual([{ status: 403, vary: "Origin" }, '{"error":"forbidden"}']);
    }
    expect((await ask("/none", preflight(app))).status).toBe(404);
  });

  test("answers, also refusals, may be read by listed origins only", async () => {
    const ask = await serving(app, "https://two.example");
    const readable = { "access-control-allow-origin": app, "access-control-allow-credentials": "true", vary: "Origin" };
    const from = (origin: string): Sent => ({ headers: { origin } });
    expect(said(await ask("/g", from(app)))).toEqual({ status: 200, ...readable });
    expect(said(await ask("/none", from(app)))).toEqual({ status: 404, ...readable });
    expect(said(await ask("/g", { ...from(app), method: "PUT" }))).toEqual({ status: 405, ...readable });
    expect(said(await ask("/g", from("https://evil.example")))).toEqual({ status: 200, vary: "Origin" });
    expect(said(await ask("/g"))).toEqual({ status: 200, vary: "Origin" });
  });

  test("an interface's own headers win", async () => {
    const ask = await serving(app);
    expect(said(await ask("/own", { headers: { origin: app } }))).toMatchObject({
      status: 200,
      vary: "Accept, Origin",
      "access-control-allow-origin": "https://other.example",
    });
    for (const vary of ["*", "Accept, ORIGIN", "origin,Accept"])
      expect((await ask(`/own?vary=${vary}`.replace(" ", "%20"), { headers: { origin: app } })).headers.vary).toBe(vary);
    const broken = await ask("/own?bad=%01", { headers: { origin: app } });
    expect([broken.status, broken.text, broken.headers["x-bad"]]).toEqual([500, '{"error":"response failed"}', undefined]);
  });

  test("an OPTIONS that is no preflight goes its way", async () => {
    const ask = await serving(app);
    expect((await ask("/options", { method: "OPTIONS", headers: { origin: app } })).text).toContain('"options"');
    expect((await ask("/g", { method: "OPTIONS", headers: { origin: app } })).status).toBe(405);
  });

  test("with * every origin may read, but without credentials", async () => {
    const ask = await serving("*");
    expect(said(await ask("/g", { headers: { origin: app } }))).toEqual({
      status: 200,
      "access-control-allow-origin": app,
      vary: "Origin",
    });
  });

  test("a page reads by which id its request is known, and where it goes from here", async () => {
    const ask = await serving(app);
    const exposed = async (path: string, origin: string): Promise<unknown> =>
      (await ask(path, { headers: { origin } })).headers["access-control-expose-headers"];
    expect(await exposed("/g", app)).toBe("x-request-id, retry-after, etag, location");
    expect(await exposed("/none", app)).toBe("x-request-id, retry-after, etag, location");
    expect(await exposed("/g", "https://evil.example")).toBeUndefined();
  });

  test("without a list nothing of it is there", async () => {
    const ask = await serving();
    expect(said(await ask("/g", preflight(app)))).toEqual({ status: 405 });
    expect(said(await ask("/g", { headers: { origin: app } }))).toEqual({ status: 200 });
  });
});

test("the list is read from the environment; what is no origin keeps the process from starting", async () => {
  const read = async (list: string) => {
    const { corsOrigins, unmet } = await readSettings({ env: "test" }, { PIPEWRIGHT_CORS_ORIGINS: list });
    return [corsOrigins, unmet];
  };
  expect(await read("")).toEqual([[], []]);
  expect(await read(" https://a.example , *,http://localhost:3000,")).toEqual([["https://a.example", "*", "http://localhost:3000"], []]);
  for (const bad of ["a.example", "https://a.example/", "https://a.example/path", "https://A.example"]) {
    expect((await read(bad))[1]).toEqual([`PIPEWRIGHT_CORS_ORIGINS: '${bad}' is no origin, such as https://app.example`]);
  }
});
