import type { IncomingHttpHeaders } from "node:http";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import type { Shown } from "./performance.ts";
import type { Call, Gives, RequestCase } from "./scenario.ts";

/**
 * The answer and the effects that a request should have, and the actual ones, in the same shape, so that a test compares the two as a
 * whole.
 */
export interface JudgedRequest {
  readonly expected: unknown;
  readonly found: unknown;
}

export function judge({ gives, calls = [], log = [], order }: RequestCase, shown: Shown): JudgedRequest {
  const body = bodyOf(gives);
  return {
    expected: {
      status: gives.status ?? 200,
      headers: gives.headers ?? {},
      body,
      calls: calls.map(expectedCall),
      log,
      ...(order === undefined ? {} : { order }),
    },
    found: {
      status: shown.status,
      headers: chosen(shown.headers, gives.headers),
      body: body.includes('"time.ms":') ? shown.body : untimed(shown.body),
      calls: shown.calls.map((call, i) => foundCall(call, calls[i])),
      log: shown.log.map(({ level, msg }, i) => begun(`${level} ${msg}`, log[i])),
      ...(order === undefined ? {} : { order: shown.order }),
    },
  };
}

/** The text of the whole expected body. */
function bodyOf({ body, data }: Gives): string {
  return data === undefined ? textOf(body ?? null) : JSON.stringify({ data: entries(data) });
}

const entries = (data: JsonObject): JsonObject => Object.fromEntries(Object.entries(data).map(([name, value]) => [name, { data: value }]));

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/**
 * The expected text when it ends in `…` and the line or the body of a call begins like it, else the line itself: `error PW900 filter
 * to_number: …`.
 */
function begun(line: string, expected = ""): string {
  return expected.endsWith("…") && line.startsWith(expected.slice(0, -1)) ? expected : line;
}

/** The body without durations; `time.ms` is the last member of an entry. */
const untimed = (body: string): string => body.replace(/,?"time\.ms":\d+/g, "");

function expectedCall({ method = "GET", path, headers = {}, body }: Call): unknown {
  return { method, path, headers, body: body === undefined ? "" : textOf(body) };
}

function foundCall({ method, path, headers, body }: Shown["calls"][number], expected: Call | undefined): unknown {
  return { method, path, headers: chosen(headers, expected?.headers), body: begun(body, wordsOf(expected?.body)) };
}

const wordsOf = (body: Json | undefined): string => (typeof body === "string" ? body : "");

/** The headers that the expectation names. */
function chosen(headers: IncomingHttpHeaders, named: Readonly<Record<string, string | null>> = {}): unknown {
  return Object.fromEntries(Object.keys(named).map((name) => [name, headers[name] ?? null]));
}
