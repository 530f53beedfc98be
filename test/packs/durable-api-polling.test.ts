import { expect } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { gated, untested } from "./played/calls.ts";
import { type Effect, plays, refused, type Step, skipped } from "./played/play.ts";

// The calls of the README of durable-api-polling: what was delivered is not delivered again, and what failed is.

const SOURCE_URL = "https://shop.example/orders?open=1";
const SINK_URL = "https://sink.example/ingest";

const entry = (of: object) => ({ ...of, "time.ms": expect.any(Number) });
const state = (value: Json, version: number, found: boolean) => entry(untested({ value, version, found }));
const delivered = (item: unknown, message: object = { message: "success" }) => ({
  data: {
    CheckDone: state(false, 0, false),
    DeliverItem: entry({ data: item, ...message }),
    MarkDone: entry(untested({ version: 1 })),
  },
});
const again = {
  data: {
    CheckDone: state(true, 1, true),
    DeliverItem: entry(skipped("found::is_equal_to: expected target true not equal to false")),
    MarkDone: entry(skipped()),
  },
};
const failed = (item: Json, http_code: number, error: string, outcome: object) => ({
  ...{ item, http_code, error },
  data: {
    CheckDone: state(false, 0, false),
    DeliverItem: entry(outcome),
    MarkDone: entry(gated("DeliverItem")),
  },
});

const two: Json = { id: 2, ok: false };
const second = failed(two, 422, "delivery failed for this item", refused(two, "delivery failed for this item"));
const demo = (does: string, succeeded: readonly unknown[]): Step => ({
  ...{ does, path: "/poll/demo" },
  gives: { Items: {}, Deliver: untested({ succeeded, failed: [second] }), Result: untested({ succeeded, failed: [second] }) },
});
const inspect = (does: string, body: Json, value: Json, version: number): Step => ({
  ...{ does, method: "POST", path: "/state/inspect", body },
  gives: { Status: untested({ value, version, found: value }) },
});

const orders: Json = [{ id: "o-1" }, { id: "' OR 1=1 --\n../a|env::PATH|", note: { $set: 1 } }];
const source = { to: "GET shop.example/orders?open=1" };
const sinks: readonly Effect[] = orders.map((body) => ({
  to: "POST sink.example/ingest",
  headers: { "content-type": "application/json" },
  body,
}));
const ok = { status: 200, headers: expect.any(Object), body: { taken: true } };
const down = {
  ...{ data: { status: 503, headers: expect.any(Object), body: null } },
  error: "http status 503 is not in expect_status (2xx, 304); to accept it set expect_status: [2xx, 503]",
};
const polls = (
  does: string,
  succeeded: readonly unknown[],
  failures: readonly unknown[],
): Pick<Step, "does" | "path" | "gives" | "together"> => ({
  ...{ does, path: "/poll/run", together: true },
  gives: {
    Fetch: untested(orders),
    Deliver: untested({ succeeded, failed: failures }),
    Summary: untested({ succeeded, failed: failures }),
  },
});

plays({ pack: "durable-api-polling", variables: { SOURCE_URL, SINK_URL }, services: [{ path: "/orders", body: orders }] }, [
  demo("delivers what it can", [delivered({ id: 1, ok: true }), delivered({ id: 3, ok: true })]),
  demo("delivers nothing twice, and tries again what failed", [again, again]),
  inspect("knows a delivered one", { id: 1 }, true, 1),
  inspect("knows it by its text", { id: "1" }, true, 1),
  inspect("knows a failed one", { id: 2 }, false, 0),
  inspect("knows nothing of others", { id: "' OR 1=1 --" }, false, 0),
  {
    ...{ does: "forgets", method: "POST", path: "/state/reset-demo" },
    gives: { Del1: untested({ deleted: true }), Del2: untested({ deleted: false }), Del3: untested({ deleted: true }) },
  },
  inspect("has forgotten", { id: 1 }, false, 0),
  {
    ...polls(
      "keeps what the sink does not take",
      [],
      [failed(orders[0] ?? null, 502, down.error, down), failed(orders[1] ?? null, 502, down.error, down)],
    ),
    effects: [source, ...sinks],
    services: [{ method: "POST", path: "/ingest", status: 503 }],
  },
  {
    ...polls("delivers it later", [delivered(ok), delivered(ok)], []),
    effects: [source, ...sinks],
    services: [{ method: "POST", path: "/ingest", body: { taken: true } }],
  },
  { ...polls("delivers it once", [again, again], []), effects: [source] },
  {
    ...{ does: "wants a list of the source", path: "/poll/run", status: 500, effects: [source] },
    services: [{ path: "/orders", body: { error: "later" } }],
    gives: {
      Fetch: untested({ error: "later" }),
      Deliver: { data: null, error: "lookup expects an array, got object" },
      Summary: gated("Deliver"),
    },
  },
  {
    ...{ does: "does nothing for an empty list", path: "/poll/run", effects: [source], services: [{ path: "/orders", body: [] }] },
    gives: { Fetch: untested([]), Deliver: untested({ succeeded: [], failed: [] }), Summary: untested({ succeeded: [], failed: [] }) },
  },
]);
