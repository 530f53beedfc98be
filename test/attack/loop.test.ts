import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, test, vi } from "vitest";
import { retry } from "#runtime/run/around/retry.ts";
import { secrets } from "#runtime/run/around/secrets.ts";
import { Failure } from "#runtime/value/failure.ts";
import { act, type Stub, stub } from "../harness/sockets.ts";
import { until } from "../harness/until.ts";
import { closeAll, json, using } from "./opened.ts";
import { type Service, serviceOf, ways } from "./service.ts";

// A run ends when the services that it calls call it again. A run without a caller sends nothing more.

afterEach(closeAll);

const env = (upstream: Stub): Record<string, string> => ({ UPSTREAM: upstream.url, PIPEWRIGHT_EGRESS_ALLOW: "127.0.0.0/8" });

/** Answers with the headers that it got. */
const mirror = (): Promise<Stub> => using(stub((response, { headers }) => json(response, headers)));

describe.each(ways)("%s", (_, way) => {
  const call = `
name: t
interfaces:
  t: { method: GET, actions: [{ name: A, http: { url: "a|env::UPSTREAM|/", headers: { Pipewright-Hops: "0" } } }] }
  passed: { method: GET, actions: [{ name: A, http: { url: "a|env::UPSTREAM|/", proxy_headers: true } }] }
  each: { method: GET, actions: [{ name: L, json_output: [1] }, { name: A, lookup: a|L|, actions: [{ name: B, http: { url: "a|env::UPSTREAM|/" } }] }] }
`;

  test.each([
    ["none", undefined, "1"],
    ["0", "0", "1"],
    ["3", "3", "4"],
    ["8", "8", "9"],
    ["a negative number", "-4", "1"],
    ["a fraction", "2.5", "1"],
    ["an exponent", "1e1", "1"],
    ["a list", "7, 7", "1"],
    ["no number", "loop", "1"],
  ])("a call carries one more than the request: %s", async (_name, hops, sent) => {
    const upstream = await mirror();
    const service = await using(serviceOf(call, { ...way, env: env(upstream) }));
    for (const path of ["/t", "/passed", "/each"]) {
      const answer = await service.ask(path, undefined, hops === undefined ? {} : { headers: { "pipewright-hops": hops } });
      expect(answer.status, path).toBe(200);
    }
    expect(upstream.seen.map(({ headers }) => headers["pipewright-hops"])).toEqual([sent, sent, sent]);
  });

  test.each(["9", "10", "1000", "99999999999999999999999999"])("%s is too deep: nothing runs", async (hops) => {
    const upstream = await mirror();
    const service = await using(serviceOf(call, { ...way, env: env(upstream) }));
    const answer = await service.ask("/t", undefined, { headers: { "Pipewright-Hops": hops } });
    expect([answer.status, answer.text]).toEqual([508, '{"error":"loop_detected"}']);
    expect((await service.ask("/none", undefined, { headers: { "pipewright-hops": hops } })).status).toBe(404);
    expect(upstream.seen).toEqual([]);
  });

  const again = `
name: t
interfaces:
  rec:
    method: POST
    actions:
      - { name: Tick, http: { url: "a|env::UPSTREAM|/tick" } }
      - { name: Again, http: { url: "a|body::next|", method: POST, timeout: 15s, expect_status: any, body: { next: "a|body::after|", after: "a|body::next|" } } }
`;

  test("a service that calls itself runs at the depths 0 to 8", async () => {
    const upstream = await mirror();
    const service = await using(serviceOf(again, { ...way, env: env(upstream) }));
    const url = `${service.url}/rec`;
    const { text } = await service.ask("/rec", { next: url, after: url });
    expect(text).toContain("loop_detected");
    expect(upstream.seen.map(({ path, headers }) => [path, headers["pipewright-hops"]])).toEqual(
      Array.from({ length: 9 }, (_each, i) => ["/tick", String(i + 1)]),
    );
  });

  test("so do two services that call each other", async () => {
    const upstream = await mirror();
    const [a, b] = [
      await using(serviceOf(again, { ...way, env: env(upstream) })),
      await using(serviceOf(again, { ...way, env: env(upstream) })),
    ];
    const { text } = await a.ask("/rec", { next: `${b.url}/rec`, after: `${a.url}/rec` });
    expect(text).toContain("loop_detected");
    expect(upstream.seen).toHaveLength(9);
  });

  /** Answers nothing at the depth, until it is told to. */
  async function stuckAt(depth: number): Promise<Stub & { readonly reached: Promise<void>; readonly release: () => void }> {
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    const held: ServerResponse[] = [];
    const upstream = await using(
      stub((response, { headers }) => {
        if (headers["pipewright-hops"] !== String(depth)) json(response, {});
        else {
          held.push(response);
          resolve();
        }
      }),
    );
    const release = (): void => {
      for (const response of held.splice(0)) json(response, {});
    };
    return { ...upstream, reached, release };
  }

  test.each([
    ["one service", (a: Service, _b: Service) => [a, a] as const],
    ["two services", (a: Service, b: Service) => [b, a] as const],
  ])("a loop of %s ends with its caller, and sends nothing more", async (_name, order) => {
    const upstream = await stuckAt(5);
    const [a, b] = [
      await using(serviceOf(again, { ...way, env: env(upstream) })),
      await using(serviceOf(again, { ...way, env: env(upstream) })),
    ];
    const [next, after] = order(a, b);
    const caller = new AbortController();
    const asked = a.ask("/rec", { next: `${next.url}/rec`, after: `${after.url}/rec` }, { signal: caller.signal }).catch(() => "gone");
    await upstream.reached;
    caller.abort();
    expect(await asked).toBe("gone");
    // Each level hears from the level above that its caller has gone.
    const gone = (): number => [...a.log, ...b.log].filter((line) => line === "debug client went away").length;
    await until(() => expect(gone()).toBe(5));
    upstream.release();
    await Promise.all([a.close(), b.close()]);
    expect(upstream.seen).toHaveLength(5);
  });

  const slow = `{ url: "a|env::UPSTREAM|/stuck", timeout: 15s`;
  test.each([
    ["a retry", `- { name: A, http: ${slow} }, retry: { attempts: 5, delay: 1, jitter: none } }`],
    ["a page", `- { name: A, http: { url: "a|env::UPSTREAM|/stuck?p=\${page}", timeout: 15s, pagination: { max_pages: 5 } } }`],
    ["an action", `- { name: A, http: ${slow} } }\n      - { name: B, http: { url: "a|env::UPSTREAM|/next" } }`],
    [
      "an action that a failure starts",
      `- { name: A, http: ${slow} } }\n      - { name: B, run_when_failed: [A], http: { url: "a|env::UPSTREAM|/next" } }`,
    ],
    [
      "an item",
      `- { name: L, json_output: [1, 2, 3, 4] }\n      - { name: E, lookup: a|L|, lookup_concurrency: 1, lookup_partition: true, actions: [{ name: A, http: ${slow} } }] }`,
    ],
  ])("after the caller has gone there is no further request: %s", async (_name, actions) => {
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    const upstream = await using(
      stub((response, { url }) => {
        if (url?.startsWith("/stuck")) resolve();
        else json(response, {});
      }),
    );
    const text = `name: t\ninterfaces:\n  t:\n    method: GET\n    actions:\n      ${actions}\n`;
    const service = await using(serviceOf(text, { ...way, env: env(upstream) }));
    const caller = new AbortController();
    const asked = service.ask("/t", undefined, { signal: caller.signal }).catch(() => "gone");
    await reached;
    caller.abort();
    expect(await asked).toBe("gone");
    await service.close();
    expect(upstream.seen).toHaveLength(1);
  });

  test("what waits for a connection is forgotten, and costs no connection", async () => {
    const held: ServerResponse[] = [];
    const { promise: full, resolve } = Promise.withResolvers<void>();
    const upstream = await using(
      stub((response, { url }) => {
        if (url === "/end") json(response, {});
        else if (held.push(response) === 256) resolve();
      }),
    );
    const text = `
name: t
interfaces:
  t:
    method: POST
    actions: [{ name: E, lookup: a|body|, lookup_concurrency: 400, actions: [{ name: A, http: { url: "a|env::UPSTREAM|/held", timeout: 15s } }] }]
  end: { method: GET, actions: [{ name: A, http: { url: "a|env::UPSTREAM|/end" } }] }
`;
    const service = await using(serviceOf(text, { ...way, env: env(upstream) }));
    const caller = new AbortController();
    const items = Array.from({ length: 400 }, (_each, i) => i);
    const asked = service.ask("/t", items, { signal: caller.signal }).catch(() => "gone");
    await full;
    caller.abort();
    expect(await asked).toBe("gone");
    // Places in the queue are kept: a caller behind requests that were given up gets an answer.
    expect((await service.ask("/end")).status).toBe(200);
    await service.close();
    expect(upstream.seen.filter(({ path }) => path === "/held")).toHaveLength(256);
  });
});

describe("between two steps", () => {
  test("an attempt does not begin when the secrets have come too late", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const source = { name: "s", store: () => promise, format: "raw", settings: () => ({}) } as const;
    const attempt = vi.fn(() => "sent");
    const made = await act(secrets(source)(attempt), {}, (run) => {
      run.cancel("time is up");
      resolve("secret");
    });
    expect(attempt).not.toHaveBeenCalled();
    expect(made.error).toBe("cancelled");
  });

  test("a wait that ends with the run is followed by no attempt", async () => {
    const attempt = vi.fn(() => {
      throw new Failure("evaluation", "not yet");
    });
    const made = await act((one) => {
      // A clock that does not look at the signal.
      const host = { ...one.run.host, sleep: async () => one.run.cancel("time is up") };
      Object.defineProperty(one.run, "host", { value: host });
      return retry({ attempts: 3, delay: 1 })(attempt)(one);
    });
    expect(attempt).toHaveBeenCalledTimes(1);
    expect(made.error).toBe("not yet");
  });
});
