import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { until } from "../harness/until.ts";
import { gated, untested } from "./played/calls.ts";
import { plays, refused, type Step } from "./played/play.ts";

// scheduled-cleanup: by a call, and by its schedule at two in the morning.

const SLACK_WEBHOOK_URL = "https://hooks.slack.com/services/T/B/x";
const down = "http status 503 is not in expect_status (2xx, 304); to accept it set expect_status: [2xx, 503]";
const effects = [
  {
    ...{ to: "POST hooks.slack.com/services/T/B/x", headers: { "content-type": "application/json" } },
    body: { text: "Nightly events cleanup complete." },
  },
];
const seed: Step = {
  ...{ does: "seeds", method: "POST", path: "/api/seed" },
  gives: {
    ...{ CreateEventsTable: {}, TruncateEvents: {}, InsertEvents: {} },
    Respond: untested({ status: "seeded", events: 4, old: 2, recent: 2 }),
  },
};
const payloads = "SELECT payload FROM events ORDER BY id";
const recent = [{ payload: "recent-1" }, { payload: "recent-2" }];
const cleanup = (does: string, deleted: readonly object[]): Step => ({
  ...{ does, method: "POST", path: "/jobs/nightly-cleanup", effects, holds: { [payloads]: recent } },
  gives: {
    DeleteOld: untested(deleted),
    Notify: untested({ status: 200, headers: expect.any(Object), body: "ok" }),
    Respond: untested({ status: "ok" }),
  },
});
const setting = {
  ...{ pack: "scheduled-cleanup", postgres: true as const, variables: { SLACK_WEBHOOK_URL } },
  services: [{ method: "POST", path: "/services/T/B/x", body: "ok" }],
};

plays(setting, [
  seed,
  cleanup("deletes what is old, and says so", [{ id: 1 }, { id: 2 }]),
  cleanup("has nothing to delete", []),
  {
    ...{ does: "has deleted, although nobody can be told", method: "POST", path: "/jobs/nightly-cleanup", status: 500, effects },
    services: [{ method: "POST", path: "/services/T/B/x", status: 503, body: "down" }],
    gives: {
      DeleteOld: untested([]),
      Notify: refused({ status: 503, headers: expect.any(Object), body: "down" }, down),
      Respond: gated("Notify"),
    },
  },
]);

/** The clock of the second play: it shows almost two in the morning until the tables exist, and goes on after that. */
const beforeTwo = Date.parse("2026-03-01T01:59:59.900Z");
let goesSince: number | undefined;

plays(
  {
    ...{ ...setting, title: "scheduled-cleanup at two in the morning" },
    options: {
      prepare: (host) => {
        goesSince = undefined;
        const now = (): number => (goesSince === undefined ? beforeTwo : beforeTwo + performance.now() - goesSince);
        Object.assign(host, { now, sleep: (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }) });
      },
    },
  },
  [seed],
  (played) => {
    test("runs by itself", async () => {
      const { world, services } = played();
      goesSince = performance.now();
      await until(() => expect(services.seen).toHaveLength(1));
      expect(await world.look(payloads)).toEqual(recent);
    });
  },
);
