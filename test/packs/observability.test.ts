import { expect, test } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { send } from "../harness/sockets.ts";
import { gated, passed, tested, time, untested } from "./played/calls.ts";
import { anyOrder, failing, plays, refused, type Step } from "./played/play.ts";

// The calls of the README of observability-showcase. Its metrics are not exposed: the README names a bind of the process, but the config
// has no expose_metrics, without which nothing is recorded (spec/language 5.3). The README's part on traces is about the process, too.

const named = (name: string, id: number) => ({ id, email: `${name}@example.com`, username: name, created_at: time });
const jane = { email: "jane@example.com", username: "jane", password: "Secret1!" };
const post = (does: string, path: string, body: Json, status = 200): Pick<Step, "does" | "method" | "path" | "body" | "status"> => ({
  ...{ does, method: "POST", path: `/api/${path}`, body, status },
});
const uncreated = (does: string, body: Json, ...errors: readonly string[]): Step => ({
  ...post(does, "users/create", body, 400),
  gives: {
    ValidateBody: failing(body, ...errors),
    // Its data is hidden even when it fails.
    HashPassword: { error: gated("ValidateBody").error },
    ...{ CreateUser: gated("HashPassword"), TrackSignup: gated("CreateUser") },
  },
});
const gets = (does: string, id: Json, status: number, entry: unknown): Step => ({
  ...post(does, "users/get", { id }, status),
  gives: { ValidateBody: passed, GetUser: entry, TrackLookup: status === 200 ? {} : gated("GetUser") },
});
const seeds: Step = {
  ...{ does: "seeds", method: "POST", path: "/api/seed" },
  gives: { CreateUsersTable: {}, CreateIndexes: {}, TruncateUsers: {}, InsertUsers: {}, SeedSummary: untested({ users_inserted: 5 }) },
};
const failed = { data: null, error: "action failed" };

plays(
  { pack: "observability-showcase", postgres: true, byEnvironment: true, options: { documented: true } },
  [
    seeds,
    {
      ...{ does: "is healthy", path: "/api/health" },
      gives: {
        Health: untested({ server_time: time, database: expect.stringMatching(/^pipewright_pack_/) }),
        SampleUserCount: {},
        EmitUserGauge: {},
      },
    },
    {
      ...{ does: "lists", path: "/api/users" },
      gives: {
        ListUsers: untested(anyOrder(...["alice", "bob", "carol", "dave", "eve"].map((name, i) => named(name, i + 1)))),
        TrackListRequest: {},
      },
    },
    {
      ...post("creates", "users/create", jane),
      gives: { ValidateBody: passed, HashPassword: {}, CreateUser: untested(named("jane", 6)), TrackSignup: {} },
      holds: { "SELECT left(password_hash, 7) AS hash FROM users WHERE id = 6": [{ hash: "$2b$12$" }] },
    },
    {
      ...post("creates nobody twice", "users/create", jane, 500),
      gives: { ValidateBody: passed, HashPassword: {}, CreateUser: failed, TrackSignup: gated("CreateUser") },
    },
    uncreated(
      "wants seven more characters",
      { ...jane, password: "Secret1" },
      "password::is_greater_than: expected target Secret1 not greater than 7",
    ),
    uncreated(
      "wants an address",
      { username: "x", password: "12345678" },
      "email::is_not_null: expected to not be null",
      "email::is_not_empty: expected to not be empty",
    ),
    gets("gets one", 1, 200, tested(named("alice", 1))),
    gets("gets none", 99, 404, refused([], "User not found")),
    gets("fails on SQL", "1 OR 1=1", 500, failed),
    {
      ...post("wants to know which", "users/get", {}, 400),
      gives: {
        ValidateBody: failing({}, "id::is_not_null: expected to not be null"),
        GetUser: gated("ValidateBody"),
        TrackLookup: gated("GetUser"),
      },
    },
    {
      // The README wants 500 always. The action after the error has no gate, so it is the last one, and it succeeds (spec/language 7.3).
      ...post("simulates an error, which the action after it makes up for", "simulate/error", null),
      gives: { ForceError: failing([{ result: 1 }], "count()::is_equal_to: expected target 1 not equal to 9999"), TrackSimulatedError: {} },
    },
  ],
  (played) => {
    test("documents what the README says", async () => {
      const { status, text } = await send(played().service.url, "/docs.json");
      const { paths } = JSON.parse(text);
      expect([status, Object.keys(paths)]).toEqual([
        200,
        ["/api/health", "/api/seed", "/api/simulate/error", "/api/users", "/api/users/create", "/api/users/get"],
      ]);
      const { summary, tags, requestBody } = paths["/api/users/create"].post;
      expect([summary, tags]).toEqual(["Create user", ["users"]]);
      const { schema, example } = requestBody.content["application/json"];
      expect([schema.required, example]).toEqual([["email", "username", "password"], jane]);
      expect((await send(played().service.url, "/documentation")).headers["content-type"]).toMatch(/^text\/html/);
    });
  },
);

// The pack with the setting that the specification asks for, `expose_metrics: true`, on an address of its own.
plays(
  {
    ...{ pack: "observability-showcase", title: "observability-showcase with metrics", postgres: true, byEnvironment: true },
    edit: (text) => `expose_metrics: true\n${text}`,
    options: { metricsBind: { address: "127.0.0.1", port: 0, chosen: true } },
  },
  [
    seeds,
    ...["first", "second"].map(
      (time): Step => ({
        does: `lists a ${time} time`,
        path: "/api/users",
        gives: { ListUsers: expect.any(Object), TrackListRequest: {} },
      }),
    ),
    {
      ...post("creates", "users/create", jane),
      gives: { ValidateBody: passed, HashPassword: {}, CreateUser: untested(named("jane", 6)), TrackSignup: {} },
    },
    gets("gets one", 6, 200, tested(named("jane", 6))),
    gets("gets none", 99, 404, refused([], "User not found")),
    { does: "samples", path: "/api/health", gives: { Health: expect.any(Object), SampleUserCount: {}, EmitUserGauge: {} } },
  ],
  (played) => {
    test("counts as the README says, by configuration, interface and action", async () => {
      const { url } = JSON.parse(
        played()
          .service.log.find((line) => line.startsWith("info metrics "))
          ?.slice("info metrics ".length) ?? "{}",
      );
      const { text } = await send(url, "/metrics");
      const of = (name: string, target: string, action: string, value: number, more = ""): string =>
        `${name}{${more}config="ObservabilityShowcase",interface="${target}",action="${action}"} ${value}`;
      const counted = text.split("\n").filter((line) => line.startsWith("app_"));
      expect(counted.toSorted()).toEqual([
        of("app_users_created_total", "api/users/create", "TrackSignup", 1, 'source="api",'),
        of("app_users_listed_total", "api/users", "TrackListRequest", 2),
        of("app_users_looked_up_total", "api/users/get", "TrackLookup", 1),
        of("app_users_total", "api/health", "EmitUserGauge", 6),
      ]);
    });
  },
);
