import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import type { Json } from "#runtime/value/json.ts";
import { ask, compiled } from "../../harness/captured.ts";
import { upstream } from "../../harness/peers/upstream.ts";
import type { Stub } from "../../harness/sockets.ts";

// `Retry-After` (RFC 9110, 10.2.3) is a number of seconds or a date of HTTP. Anything else is neither, and the wait is that of the
// configuration.

const config = `
name: shop
interfaces:
  call:
    actions:
      - name: Stock
        retry: { attempts: 2, delay: 7ms, jitter: none, max_delay: 1h }
        http: { url: "a|env::UPSTREAM|/a|body|" }
`;

const now = Date.UTC(2026, 10, 29, 12);

const cases: readonly (readonly [string, number])[] = [
  ["2", 2_000],
  [" 2 ", 2_000],
  ["0", 0],
  ["99999", 3_600_000],
  ["99999999999", 3_600_000],
  ["9".repeat(400), 3_600_000],
  ["Sun, 29 Nov 2026 12:00:03 GMT", 3_000],
  ["Sunday, 29-Nov-26 12:00:03 GMT", 3_000],
  ["Sun Nov 29 12:00:03 2026", 3_000],
  ["Sun, 29 Nov 2026 11:00:00 GMT", 0],
  ["-5", 7],
  ["0.5", 7],
  ["+1", 7],
  ["1,5", 7],
  ["abc 1", 7],
  ["1e1", 7],
  ["2026-11-29T12:00:03Z", 7],
  ["Sun, 29 Nov 2026 12:00:03", 7],
  ["Sun, 99 Nov 2026 12:00:03 GMT", 7],
  ["", 7],
];

let stub: Stub;
beforeAll(async () => {
  stub = await upstream(cases.map(([value], i) => ({ path: `/${i}`, status: 503, headers: { "retry-after": value } })));
});
afterAll(() => stub.close());

describe.each([false, true])("interpreted: %s", (interpret) => {
  test.each(cases.map(([value, ms], i) => [value, ms, i] as const))("%j asks for %i ms", async (_, ms, i) => {
    const waits: Json[] = [];
    const real = createHost({
      env: { UPSTREAM: stub.url },
      logLevel: "debug",
      log: (_level, _msg, { retry_in_ms } = {}) => void (retry_in_ms === undefined || waits.push(retry_in_ms)),
    });
    const host = { ...real, now: () => now, sleep: () => Promise.resolve() };
    await ask(host, await compiled(config, { interpret }), "call", { body: i });
    await real.close();
    expect(waits).toEqual([ms]);
  });
});
