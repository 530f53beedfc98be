import { expect } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { packFile } from "./packs.ts";
import { gated, passed, time, untested } from "./played/calls.ts";
import { failing, plays, type Step } from "./played/play.ts";

// The calls of the README of event-tracking. Its metrics are not exposed: the config has no expose_metrics (spec/language 5.3).

const pack = "event-tracking";
const signup = { event_type: "signup", user_id: "u_123", properties: { plan: "pro" } };
const view = { event_type: "page_view", user_id: "u_123", properties: { page: "/pricing", quote: 'O\'Neil "x" \\ ü' } };
const hostile = {
  event_type: "x'); DROP TABLE events; --",
  user_id: "' OR '1'='1",
  session_id: "$1",
  properties: [{ $ne: 1 }, null, "a|env::PATH|"],
};
const post = (does: string, path: string, body: Json, status = 200): Pick<Step, "does" | "method" | "path" | "body" | "status"> => ({
  ...{ does, method: "POST", path: `/events/${path}`, body, status },
});
const tracks = (does: string, id: number, body: { readonly event_type: string }): Step => ({
  ...post(does, "track", body as Json),
  gives: { ValidateBody: passed, StoreEvent: untested({ id, event_type: body.event_type, received_at: time }), TrackEvent: {} },
});
const row = (
  id: number,
  {
    event_type,
    user_id = null,
    session_id = null,
    properties = null,
  }: { readonly event_type: string; readonly user_id?: Json; readonly session_id?: Json; readonly properties?: Json },
) => ({
  ...{ id, event_type, user_id, session_id, properties, received_at: time },
});
const bare = { event_type: "ping" };
const noType = "event_type::is_not_null: expected to not be null";
const untracked = (does: string, body: Json, ...errors: readonly string[]): Step => ({
  ...post(does, "track", body, 400),
  gives: { ValidateBody: failing(body, ...errors), StoreEvent: gated("ValidateBody"), TrackEvent: gated("StoreEvent") },
});
const queries = (does: string, body: Json, ...rows: readonly object[]): Step => ({
  ...post(does, "query", body),
  gives: { ValidateBody: passed, QueryEvents: untested(rows) },
});
const unusable = (does: string, body: Json): Step => ({
  ...post(does, "query", body, 500),
  gives: { ValidateBody: passed, QueryEvents: { data: null, error: "action failed" } },
});

plays({ pack, postgres: true, schema: () => packFile(pack, "schema.sql") }, [
  tracks("tracks", 1, signup),
  tracks("tracks another", 2, view),
  tracks("tracks SQL, operators and markers as text", 3, hostile),
  tracks("tracks who is nobody", 4, bare),
  tracks("tracks one more", 5, view),
  untracked("wants an event", {}, noType, "event_type::is_not_empty: expected to not be empty"),
  untracked("wants a name", { event_type: "" }, "event_type::is_not_empty: expected to not be empty"),
  {
    ...{ does: "counts", path: "/events/summary" },
    gives: {
      Summarise: untested(
        expect.arrayContaining([
          { event_type: "page_view", count: 2 },
          { event_type: "ping", count: 1 },
        ]),
      ),
    },
  },
  {
    ...{ does: "lists the newest", path: "/events/recent" },
    gives: { RecentEvents: untested([row(5, view), row(4, bare), row(3, hostile), row(2, view), row(1, signup)]) },
  },
  {
    ...post("knows what a user did", "user", { user_id: "u_123" }),
    gives: {
      ValidateBody: passed,
      UserEvents: untested([row(5, view), row(2, view), row(1, signup)].map(({ user_id: _, ...rest }) => rest)),
    },
  },
  { ...post("knows no user of SQL", "user", { user_id: "' OR 1=1 --" }), gives: { ValidateBody: passed, UserEvents: untested([]) } },
  {
    ...post("wants a user", "user", {}, 400),
    gives: { ValidateBody: failing({}, "user_id::is_not_null: expected to not be null"), UserEvents: gated("ValidateBody") },
  },
  queries("filters by type", { event_type: "signup" }, row(1, signup)),
  queries("filters by time", { event_type: "signup", from: "2024-01-01", to: "2024-12-31", limit: 50 }),
  queries("filters by time of day", { event_type: "signup", from: "2024-01-01T00:00:00Z" }, row(1, signup)),
  queries("limits", { event_type: "page_view", limit: 1 }, row(5, view)),
  queries("limits by a text", { event_type: "page_view", limit: "1" }, row(5, view)),
  unusable("fails on a time of SQL", { event_type: "signup", from: "now()); DROP TABLE events; --" }),
  unusable("fails on half a limit", { event_type: "signup", limit: 1.5 }),
  unusable("fails on a limit below all", { event_type: "signup", limit: -1 }),
  {
    ...post("wants a type", "query", { from: "2024-01-01" }, 400),
    gives: { ValidateBody: failing({ from: "2024-01-01" }, noType), QueryEvents: gated("ValidateBody") },
  },
]);
