import { expect } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { gated, passed, tested, untested } from "./played/calls.ts";
import { type Effect, failing, now, plays, refused, type Step, skipped } from "./played/play.ts";

// Every endpoint of the README of air-pipe-fundamentals, against services that answer like the public ones it names, with data of our own.

const get = (path: string): Effect => ({ to: `GET jsonplaceholder.typicode.com${path}` });
const posted = (body: Json): Effect => ({
  ...{ to: "POST jsonplaceholder.typicode.com/posts", headers: { "content-type": "application/json" }, body },
});
const user = (id: number) => ({
  ...{ id, name: `User ${id}`, username: `u${id}`, email: `u${id}@example.com`, phone: "1-770", website: "example.com" },
  address: { street: "Main", suite: "Apt. 1", city: `City ${id}`, zipcode: "92998", geo: { lat: "-37.3", lng: "81.1" } },
  company: { name: "Acme" },
});
const users: Json = Array.from({ length: 10 }, (_, i) => user(i + 1));
const posts: Json = [
  { userId: 1, id: 1, title: 'sunt "aut"', body: "quia" },
  { userId: 1, id: 2, title: "qui est", body: "est" },
  { userId: 2, id: 3, title: "ea sunt", body: null },
  { userId: 2, id: 4, title: null, body: "x" },
];
const created: Json = { id: 101 };
const services = [
  { path: "/users/1", body: user(1) },
  { path: "/users/2", body: user(2) },
  { path: "/users", body: users },
  { path: "/posts/1", body: posts[0] ?? null },
  { path: "/posts?userId=1", body: posts.slice(0, 2) },
  { path: "/posts", body: posts },
  { method: "POST", path: "/posts", status: 201, body: created },
];
const path = (name: string): string => `/fundamentals/${name}`;
const at = (does: string, name: string): Pick<Step, "does" | "path"> => ({ does, path: path(name) });
const post = (does: string, name: string, body: Json): Pick<Step, "does" | "path" | "method" | "body"> => ({
  ...at(does, name),
  method: "POST",
  body,
});
const missing = (name: string) => `${name}::is_not_null: expected to not be null`;
const none = (status: number) => ({
  data: { status, headers: expect.any(Object), body: { error: "no stub" } },
  error: `http status ${status} is not in expect_status (2xx, 304); to accept it set expect_status: [2xx, ${status}]`,
});

const params = (does: string, query: string, read: Json, sent: string, entry: object, status = 200): Step => ({
  ...{ ...at(does, `input/params${query}`), status, effects: [get(`/users/${sent}`)] },
  gives: { ReadParams: tested(read), FetchUser: entry },
});
const creates = (does: string, body: Json, title: Json, userId: Json): Step => ({
  ...{ ...post(does, "input/body", body), effects: [posted({ title, body: "Created via Air Pipe fundamentals", userId })] },
  gives: { ReadBody: passed, CreatePost: untested(created) },
});
const uncreated = (does: string, body: Json, ...errors: readonly string[]): Step => ({
  ...{ ...post(does, "input/body", body), status: 400 },
  gives: { ReadBody: failing(body, ...errors), CreatePost: gated("ReadBody") },
});

const admin = { email: "user@example.com", age: 25, role: "admin" };
const invalid = (does: string, body: Json, ...errors: readonly string[]): Step => ({
  ...{ ...post(does, "assertions/demo", body), status: 400 },
  gives: { ValidateFields: failing(body, ...errors), FetchUsers: gated("ValidateFields"), AssertCount: gated("FetchUsers") },
});
const filters = (does: string, title: string, ...found: readonly number[]): Step => ({
  ...{ ...at(does, `transforms/filter?title=${encodeURIComponent(title)}`), effects: [get("/posts")] },
  gives: { ReadParams: tested({ title }), FetchAndFilter: untested(found.map((i) => posts[i])) },
});

plays({ pack: "air-pipe-fundamentals", services }, [
  params("reads parameters", "?userId=1&format=json", { userId: "1", format: "json" }, "1", untested(user(1))),
  params("encodes parameters", "?userId=1%2F..%2F..%2Fx%3Fy%23z", { userId: "1/../../x?y#z" }, "1%2F..%2F..%2Fx%3Fy%23z", none(404), 500),
  params("encodes a list", "?userId=1&userId=2", { userId: ["1", "2"] }, "%5B%221%22%2C%222%22%5D", none(404), 500),
  {
    ...{ ...at("leaves no path that climbs", "input/params?userId=.."), status: 500 },
    gives: { ReadParams: tested({ userId: ".." }), FetchUser: { data: null, error: "action failed" } },
  },
  {
    ...{ ...at("wants a parameter", "input/params"), status: 400 },
    gives: { ReadParams: failing({}, missing("userId")), FetchUser: gated("ReadParams") },
  },
  creates("reads a body", { title: "Hello", userId: 1 }, "Hello", 1),
  creates("keeps quotes in a text", { title: 'He said "hi"\n{"x": 1}, \\ ü', userId: 1 }, 'He said "hi"\n{"x": 1}, \\ ü', 1),
  creates("reads a number from a text", { title: 5, userId: "7" }, "5", 7),
  creates("lets data be no structure", { title: "a|env::PATH|", userId: '1, "admin": true' }, "a|env::PATH|", '1, "admin": true'),
  uncreated("wants both", {}, missing("title"), missing("userId")),
  uncreated("wants a user", { title: "x", userId: null }, missing("userId")),
  {
    ...{ ...at("interpolates", "interpolation/demo") },
    effects: [
      ...[get("/posts/1"), get("/users/1")],
      posted({ postTitle: 'sunt "aut"', authorName: "User 1", authorEmail: "u1@example.com", generatedAt: now / 1000 }),
    ],
    gives: { FetchPost: untested(posts[0]), FetchUser: untested(user(1)), BuildSummary: untested(created) },
  },
  {
    ...{ ...post("asserts", "assertions/demo", admin), effects: [get("/users")] },
    gives: { ValidateFields: passed, FetchUsers: untested(users), AssertCount: tested(users) },
  },
  {
    ...{ ...post("counts", "assertions/demo", { ...admin, age: "25" }), status: 502, effects: [get("/users")] },
    services: [{ path: "/users", body: [user(1)] }],
    gives: {
      ValidateFields: passed,
      FetchUsers: untested([user(1)]),
      AssertCount: refused([user(1)], "Expected exactly 10 users from upstream"),
    },
  },
  invalid("asserts an address", { ...admin, email: "user" }, "email::regex: expected target user not matching ^[^@]+@[^@]+\\.[^@]+$"),
  invalid("asserts an age", { ...admin, age: 0 }, "age::is_greater_than: expected target 0 not greater than 0"),
  invalid("asserts a role", { ...admin, role: "root" }, "role::is_equal_to: expected target root not equal to admin"),
  invalid(
    "asserts all at once",
    { email: "", age: "x" },
    ...["email::is_not_empty: expected to not be empty", "email::regex: expected target  not matching ^[^@]+@[^@]+\\.[^@]+$"],
    // A text is as great as it is long (spec/language 6.4), so that the age is no failure.
    ...["role::is_equal_to: expected target null not equal to admin"],
  ),
  {
    ...{ ...post("runs when it should", "run-conditions/demo", { userId: 1 }), together: true },
    effects: [get("/users/1"), get("/posts?userId=1"), get("/users")],
    gives: {
      ...{ ValidateBody: passed, FetchUser: untested(user(1)), FallbackUser: skipped(), FetchUserPosts: untested(posts.slice(0, 2)) },
      FetchAdminData: untested(users),
    },
  },
  {
    ...{ ...post("runs no guarded action", "run-conditions/demo", { userId: 2 }), together: true },
    effects: [get("/users/2"), get("/posts?userId=2")],
    gives: {
      ...{ ValidateBody: passed, FetchUser: untested(user(2)), FallbackUser: skipped(), FetchUserPosts: untested(posts) },
      FetchAdminData: skipped("id::is_equal_to: expected target 2 not equal to 1"),
    },
  },
  {
    // The last action is the guarded one, whose gate has failed: no fallback makes up for that (spec/language 7.3).
    ...{ ...post("falls back", "run-conditions/demo", { userId: 99 }), together: true, status: 500 },
    effects: [get("/users/99"), get("/users/1"), get("/posts?userId=99")],
    gives: {
      ...{ ValidateBody: passed, FetchUser: none(404), FallbackUser: untested(user(1)), FetchUserPosts: untested(posts) },
      FetchAdminData: gated("FetchUser"),
    },
  },
  {
    ...{ ...post("falls back without a user", "run-conditions/demo", {}), together: true, status: 400 },
    effects: [get("/users/1"), get("/posts?userId=")],
    gives: {
      ...{
        ValidateBody: failing({}, missing("userId")),
        FetchUser: gated("ValidateBody"),
        FallbackUser: untested(user(1)),
        FetchUserPosts: untested(posts),
      },
      FetchAdminData: gated("FetchUser"),
    },
  },
  {
    ...{ ...at("transforms", "transforms/demo"), effects: [get("/users")] },
    gives: {
      FetchUsers: untested(
        Array.from({ length: 10 }, (_, i) => ({
          fullName: `User ${i + 1}`,
          contactEmail: `u${i + 1}@example.com`,
          address: { city: `City ${i + 1}` },
        })),
      ),
    },
  },
  filters("filters", "sunt", 0, 2),
  filters("filters by a quote", '"aut"', 0),
  filters("filters by what is no pattern", ".*"),
  filters("filters by a marker that is none", "a|env::PATH|"),
  {
    ...{ ...at("wants a title", "transforms/filter"), status: 400 },
    gives: { ReadParams: failing({}, missing("title")), FetchAndFilter: gated("ReadParams") },
  },
  {
    ...{ ...at("counts what nobody reads: there is no expose_metrics", "metrics/demo"), effects: [get("/users")] },
    gives: { FetchUsers: untested(users), TrackListRequest: {}, TrackUserCount: {} },
  },
  {
    ...{
      ...at("counts nothing when there is nothing", "metrics/demo"),
      status: 500,
      effects: [get("/users")],
      services: [{ path: "/users", status: 404, body: { error: "no stub" } }],
    },
    gives: { FetchUsers: none(404), TrackListRequest: gated("FetchUsers"), TrackUserCount: gated("FetchUsers") },
  },
]);
