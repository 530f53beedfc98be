import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultLimits } from "#runtime/process/host.ts";
import type { Json } from "#runtime/value/json.ts";
import { type Got, type Sent, send } from "../../harness/sockets.ts";
import { ask, type Call, comparable } from "./calls.ts";
import { rowCounts, type Service, serving, type Way, type World, ways } from "./serving.ts";

/** A request that a pack cannot serve, and the status that the specification has for it. */
interface Bad {
  readonly what: string;
  readonly path: string;
  readonly method?: string;
  readonly body: Json;
  readonly status: number;
}

/**
 * The differences between the databases: SQLite compares any two values, and reads a number as far as the NUL behind it; PostgreSQL refuses
 * a text that is no number, and the action fails.
 */
export interface Typing {
  readonly noNumber: number;
  readonly nul: number;
}

const injections = [
  "1 OR 1=1",
  "1; DROP TABLE users; --",
  "'; DROP TABLE users; --",
  "1) UNION SELECT password_hash FROM users --",
  "\\'; --",
  "$1",
  "?1",
];

/** Bodies that reach the pipeline, and are told apart by its tests or by the database. */
function badBodies({ noNumber, nul }: Typing): readonly Bad[] {
  const get = (what: string, id: Json, status: number): Bad => ({ what: `get: ${what}`, path: "/api/users/get", body: { id }, status });
  return [
    get("an unknown id", 999, 404),
    get("an id below all", -1, 404),
    get("an id beyond 64 bits", 1e30, noNumber),
    get("half an id", 1.5, noNumber),
    get("a word", "abc", noNumber),
    get("an object", { $gt: 0 }, noNumber),
    get("a list", [1, 2], noNumber),
    get("true", true, noNumber === 404 ? 200 : noNumber),
    get("nothing", null, 400),
    ...injections.map((text) => get(text, text, noNumber)),
    { what: "no body", path: "/api/users/get", body: {}, status: 400 },
    { what: "a body that is a list", path: "/api/users/get", body: [{ id: 1 }], status: 400 },
    { what: "a body that is a text", path: "/api/users/get", body: "id", status: 400 },
    { what: "a body that is a number", path: "/api/users/get", body: 1, status: 400 },
    { what: "an inherited name in place of the id", path: "/api/users/get", body: { constructor: 1, toString: 2 }, status: 400 },
    { what: "create: no password", path: "/api/users/create", body: { email: "a@b", username: "a" }, status: 400 },
    { what: "create: an empty name", path: "/api/users/create", body: { email: "a@b", username: "", password: "x" }, status: 400 },
    {
      what: "create: a password that is an object",
      path: "/api/users/create",
      body: { email: "a@b", username: "a", password: { $ne: 1 } },
      status: 400,
    },
    {
      what: "create: a password that bcrypt would cut",
      path: "/api/users/create",
      body: { email: "a@b", username: "a", password: "x".repeat(73) },
      status: 400,
    },
    { what: "post: a user who is nobody", path: "/api/posts/create", body: { user_id: 99, title: "t" }, status: 500 },
    {
      what: "post: a status that is SQL",
      path: "/api/posts/create",
      body: { user_id: 1, title: "t", status: "x'); DELETE FROM users; --" },
      status: 500,
    },
    { what: "delete: SQL for an id", method: "DELETE", path: "/api/users/delete", body: { id: "1 OR 1=1" }, status: noNumber },
    { what: "delete: an unknown id", method: "DELETE", path: "/api/comments/delete", body: { id: 999 }, status: 404 },
    { what: "a NUL in an id", path: "/api/users/get", body: { id: "1\0" }, status: nul },
  ];
}

const json = { "content-type": "application/json" };

/** A request that the service answers with an error of its own. */
interface Refused extends Sent {
  readonly what: string;
  readonly path: string;
  readonly status: number;
  readonly error: string;
  readonly message?: string;
}

/** Requests that never reach the pipeline. */
const refused: readonly Refused[] = [
  ...['{"id":', "{id: 1}", '{"id": 01}', "'1'", '{"id": 1} x', "\u0000", '["a",]', "NaN"].map((body) => ({
    ...{ what: `malformed JSON ${JSON.stringify(body)}`, path: "/api/users/get", method: "POST", headers: json, body },
    ...{ status: 400, error: "invalid_json" },
  })),
  {
    ...{ what: "lists in lists without end", path: "/api/users/get", method: "POST", headers: json, body: "[".repeat(10_000) },
    ...{ status: 400, error: "invalid_json", message: "nested too deeply: more than 128 levels" },
  },
  {
    ...{ what: "bytes that are no UTF-8", path: "/api/users/get", method: "POST", headers: json, body: Buffer.from([0x22, 0xff, 0x22]) },
    ...{ status: 400, error: "invalid_json" },
  },
  {
    ...{ what: "a body beyond the limit", path: "/api/posts/create", method: "POST", headers: json, body: `"${"x".repeat(70_000)}"` },
    ...{ status: 413, error: "payload_too_large" },
  },
  { what: "another method", path: "/api/users/get", status: 405, error: "method_not_allowed" },
  { what: "another path", path: "/api/users/get/1", method: "POST", status: 404, error: "not_found" },
  { what: "a path that climbs", path: "/api/../../etc/passwd", status: 404, error: "not_found" },
  { what: "a query that is no UTF-8", path: "/api/users?a=%ff", status: 400, error: "invalid_param" },
];

/**
 * Sends all of it to a seeded service on both ways: the promised status, nothing of the inside, no row changed, and the service lives on.
 */
export function survivesBadInput(open: () => Promise<World>, typing: Typing): void {
  const shown: Record<Way, string[]> = { compiled: [], interpreted: [] };
  const bad = badBodies(typing);

  describe.each(ways)("bad input, %s", (way) => {
    let world: World;
    let service: Service;
    beforeAll(async () => {
      world = await open();
      service = await serving(world.texts, way, { variables: world.variables, limits: { ...defaultLimits, maxBodyBytes: 65_536 } });
      await ask(service.url, { method: "POST", path: "/api/seed" });
    });
    afterAll(async () => {
      await service.close();
      await world.close();
    });

    async function expectUnhurt(got: Got): Promise<void> {
      expect(got.text).not.toMatch(/sqlite|postgres|select |constraint|syntax|\.ya?ml|\n\s+at |password_hash|hashed_pw|\$2b/i);
      expect(await rowCounts(world)).toEqual([3, 5, 5]);
      expect((await send(service.url, "/livez")).status).toBe(200);
    }

    test.each(bad)("$what: $status", async ({ method = "POST", path, body, status }) => {
      const got = await ask(service.url, { method, path, body });
      expect(got.status, got.text).toBe(status);
      shown[way].push(comparable(got));
      await expectUnhurt({ ...got, text: got.text.replaceAll(JSON.stringify(body), "") });
    });

    test.each(refused)("$what: $status $error", async ({ path, status, error, message, what: _what, ...sent }) => {
      const got = await send(service.url, path, sent);
      expect([got.status, got.text]).toEqual([status, JSON.stringify({ error, message })]);
      await expectUnhurt(got);
    });

    test.each(injections)("what looks like SQL is stored as text: %s", async (text) => {
      const created = await ask(service.url, call("POST", "/api/comments/create", { post_id: 1, user_id: 1, body: text }));
      const { id, body } = JSON.parse(created.text).data.CreateComment.data;
      expect(body).toBe(text);
      await ask(service.url, call("DELETE", "/api/comments/delete", { id }));
      await expectUnhurt({ ...created, text: "" });
    });

    test("nothing of this was a mistake of ours", () => {
      expect(service.log.filter((line) => line.startsWith("critical"))).toEqual([]);
    });
  });

  test("both ways answer bad input alike", () => {
    expect(shown.compiled).toHaveLength(bad.length);
    expect(shown.interpreted).toEqual(shown.compiled);
  });
}

const call = (method: string, path: string, body: Json): Pick<Call, "method" | "path" | "body"> => ({ method, path, body });
