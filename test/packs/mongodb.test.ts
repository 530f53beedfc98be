import { compare } from "bcryptjs";
import { SignJWT } from "jose";
import { BSON } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { type MongoPeer, mongoPeer } from "../harness/peers/mongo-peer.ts";
import { send } from "../harness/sockets.ts";
import { packFolder, packTexts } from "./packs.ts";
import { ask, type Call, comparable, expectPromised, gated, passed, tested, time, untested } from "./played/calls.ts";
import { type Service, serving, type Way, ways } from "./played/serving.ts";
import { jwtSecret } from "./played/worlds.ts";

// The calls of the README of mongodb-atlas-backend-rest-api, bad input and an outage, on both ways against a peer that speaks the protocol
// of MongoDB.

const pack = "mongodb-atlas-backend-rest-api";

const sign = (secret: string): Promise<string> =>
  new SignJWT({ sub: "alice", username: "alice", exp: 9_999_999_999 })
    .setProtectedHeader({ alg: "HS256" })
    .sign(new TextEncoder().encode(secret));
const [token, forged] = [await sign(jwtSecret), await sign("another-secret-of-the-same-length-000")];

const id = expect.stringMatching(/^[0-9a-f]{24}$/);
const post = (path: string, body: Json): Pick<Call, "method" | "path" | "body"> => ({ method: "POST", path, body });
const get = (path: string): Pick<Call, "method" | "path"> => ({ method: "GET", path });

const alice = {
  ...{ _id: id, username: "alice", email: "alice@example.com", isActive: true, roles: ["admin", "member"] },
  ...{ profile: { firstName: "Alice", lastName: "Anderson", age: 31 }, createdAt: "2026-01-05T09:00:00Z" },
};
const jane = {
  ...{ _id: id, username: "jane", email: "jane@example.com", isActive: true, roles: ["member"], profile: {}, createdAt: time },
};
const hello: JsonObject = {
  ...{ slug: "hello-mongo", title: "Hello Mongo", body: "First post. $set: 1", status: "published", author: "jane", category: "tutorials" },
};
const helloStored = { _id: id, ...hello, tags: [], rating: 0, createdAt: time };
const studies: JsonObject = { slug: "case-studies", name: "Case Studies", description: "Real-world builds." };
const byStatus = [
  { count: 1, status: "archived" },
  { count: 1, status: "draft" },
  { count: 4, status: "published" },
];
/** Lists are compared by the names in them. */
const names = (key: string, ...expected: readonly string[]) =>
  untested(expected.map((value) => expect.objectContaining({ _id: id, [key]: value })));

const calls: readonly Call[] = [
  {
    ...{ does: "seeds", ...post("/api/seed", null) },
    gives: {
      ...Object.fromEntries(["Users", "Posts", "Categories"].map((name) => [`Clear${name}`, {}])),
      ...Object.fromEntries(["Users", "Categories", "Posts"].map((name) => [`Insert${name}`, {}])),
      SeedSummary: tested(byStatus),
    },
  },
  {
    ...{ does: "lists users, newest first", ...get("/api/users") },
    gives: { ListUsers: names("username", "dave", "carol", "bob", "alice") },
  },
  { ...{ does: "gets a user", ...post("/api/users/get", { username: "alice" }) }, gives: { ValidateBody: passed, GetUser: tested(alice) } },
  {
    ...{ does: "creates a user", ...post("/api/users/create", { username: "jane", email: "jane@example.com", password: "Secret1!" }) },
    gives: { ValidateBody: passed, HashPassword: {}, CreateUser: {}, FetchCreated: untested(jane) },
  },
  {
    ...{ does: "updates a user", method: "PUT", path: "/api/users/update", body: { username: "jane", email: "j@example.com" } },
    gives: { ValidateBody: passed, UpdateUser: passed, FetchUpdated: untested({ ...jane, email: "j@example.com", updatedAt: time }) },
  },
  {
    ...{ does: "updates nobody", method: "PUT", path: "/api/users/update", body: { username: "nobody", email: "x" }, status: 404 },
    gives: {
      ValidateBody: passed,
      UpdateUser: { data: { matched_count: 0, modified_count: 0, upserted_id: null }, error: "User not found" },
      FetchUpdated: gated("UpdateUser"),
    },
  },
  {
    ...{ does: "deletes a user", method: "DELETE", path: "/api/users/delete", body: { username: "jane" } },
    gives: { ValidateBody: passed, DeleteUser: tested({ deleted: 1 }) },
  },
  {
    ...{ does: "deletes nobody", method: "DELETE", path: "/api/users/delete", body: { username: "jane" }, status: 404 },
    gives: { ValidateBody: passed, DeleteUser: { data: { deleted: 0 }, error: "User not found" } },
  },
  {
    ...{ does: "lists published posts", ...get("/api/posts") },
    gives: {
      ListPosts: names(
        "slug",
        ...["why-document-databases", "aggregation-pipelines-explained", "mongodb-rest-api-in-minutes", "getting-started-with-airpipe"],
      ),
    },
  },
  {
    ...{ does: "creates a post", ...post("/api/posts/create", hello) },
    gives: { ValidateBody: passed, CreatePost: {}, FetchCreated: untested(helloStored) },
  },
  {
    ...{ does: "gets a post", ...post("/api/posts/get", { slug: "hello-mongo" }) },
    gives: { ValidateBody: passed, GetPost: tested(helloStored) },
  },
  {
    ...{ does: "gets no post", ...post("/api/posts/get", { slug: "none" }), status: 404 },
    gives: { ValidateBody: passed, GetPost: { data: null, error: "Post not found" } },
  },
  {
    ...{ does: "updates a post", method: "PUT", path: "/api/posts/update" },
    body: { slug: "hello-mongo", title: "Edited", body: "$title", status: "draft" },
    gives: {
      ValidateBody: passed,
      UpdatePost: passed,
      FetchUpdated: untested({ ...helloStored, title: "Edited", body: "$title", status: "draft", updatedAt: time }),
    },
  },
  {
    ...{ does: "lists all posts", ...get("/api/posts/all") },
    gives: { ListAllPosts: untested(expect.arrayContaining([expect.objectContaining({ slug: "hello-mongo", status: "draft" })])) },
  },
  {
    ...{ does: "deletes a post", method: "DELETE", path: "/api/posts/delete", body: { slug: "hello-mongo" } },
    gives: { ValidateBody: passed, DeletePost: tested({ deleted: 1 }) },
  },
  {
    ...{ does: "lists categories by name", ...get("/api/categories") },
    gives: { ListCategories: names("slug", "announcements", "guides", "showcase", "tutorials") },
  },
  {
    ...{ does: "creates a category", ...post("/api/categories/create", studies) },
    gives: { ValidateBody: passed, CreateCategory: {}, FetchCreated: untested({ _id: id, ...studies, postCount: 0, createdAt: time }) },
  },
  {
    ...{ does: "gets a category", ...post("/api/categories/get", { slug: "guides" }) },
    gives: { ValidateBody: passed, GetCategory: tested(expect.objectContaining({ name: "Guides", postCount: 2 })) },
  },
  {
    ...{ does: "deletes a category", method: "DELETE", path: "/api/categories/delete", body: { slug: "case-studies" } },
    gives: { ValidateBody: passed, DeleteCategory: tested({ deleted: 1 }) },
  },
  { ...{ does: "counts posts by status", ...get("/api/analytics/posts-by-status") }, gives: { PostsByStatus: untested(byStatus) } },
  {
    ...{ does: "rates categories", ...get("/api/analytics/posts-by-category") },
    gives: {
      PostsByCategory: untested([
        { posts: 2, category: "guides", avgRating: 4.45 },
        { posts: 2, category: "tutorials", avgRating: 4.85 },
      ]),
    },
  },
  {
    ...{ does: "ranks tags", ...get("/api/analytics/popular-tags") },
    gives: {
      PopularTags: untested(
        expect.arrayContaining([
          { count: 3, tag: "mongodb" },
          { count: 2, tag: "airpipe" },
        ]),
      ),
    },
  },
  {
    ...{ does: "ranks authors", ...get("/api/analytics/author-activity") },
    gives: { AuthorActivity: untested(expect.arrayContaining([{ posts: 2, author: "bob", avgRating: 2.3 }])) },
  },
  { ...{ does: "knows its user", ...post("/api/me", { token }) }, gives: { ValidateToken: passed, GetCurrentUser: tested(alice) } },
  {
    ...{ does: "knows a forged token", ...post("/api/me", { token: forged }), status: 401 },
    gives: { ValidateToken: { data: { token: forged }, error: "Invalid or missing token" }, GetCurrentUser: gated("ValidateToken") },
  },
];

/** Data that would be an operator, were it read as one: refused, where it stands for a condition or a change; data, where it is stored. */
const hostile: readonly {
  readonly what: string;
  readonly call: Pick<Call, "method" | "path" | "body">;
  readonly error: string;
  readonly action: string;
}[] = [
  { what: "any user", call: post("/api/users/get", { username: { $ne: null } }), action: "GetUser", error: "operator key '$ne' in data" },
  { what: "code", call: post("/api/users/get", { username: { $where: "1" } }), action: "GetUser", error: "operator key '$where' in data" },
  {
    what: "a pattern",
    call: post("/api/users/get", { username: [{ $regex: "." }] }),
    action: "GetUser",
    error: "operator key '$regex' in data",
  },
  {
    what: "every document",
    call: { method: "DELETE", path: "/api/users/delete", body: { username: { $exists: true } } },
    action: "DeleteUser",
    error: "operator key '$exists' in data",
  },
  {
    what: "a change inside a value",
    call: { method: "PUT", path: "/api/users/update", body: { username: "alice", email: { deep: [{ $set: 1 }] } } },
    action: "UpdateUser",
    error: "operator key '$set' in data",
  },
];

describe.skipIf(packFolder(pack) === undefined)(pack, () => {
  const shown: Record<Way, string[]> = { compiled: [], interpreted: [] };

  describe.each(ways)("%s", (way) => {
    let peer: MongoPeer;
    let service: Service;
    beforeAll(async () => {
      peer = await mongoPeer();
      const MONGODB_URI = `${peer.address}/?serverSelectionTimeoutMS=2000&appName=canary-of-the-address`;
      service = await serving(packTexts(pack), way, { variables: { MONGODB_URI, JWT_SECRET: jwtSecret } });
    });
    afterAll(async () => {
      await service?.close();
      await peer?.close();
    });
    const users = (): Json => JSON.parse(BSON.EJSON.stringify(peer.collections.get("appdb.users") ?? []));

    test.each(calls)("$does", async (call) => {
      const got = await ask(service.url, call);
      expectPromised(call, got);
      shown[way].push(comparable(got).replace(/"(_id|createdAt|updatedAt)":"[^"]*"/g, '"$1":"…"'));
    });

    test("only a hash of the password is kept, of cost 12, and no endpoint gives it", async () => {
      await ask(service.url, post("/api/users/create", { username: "z", email: "z@example.com", password: "Secret1!" }));
      const stored = peer.collections.get("appdb.users")?.at(-1);
      expect(stored?.passwordHash).toMatch(/^\$2b\$12\$/);
      expect(await compare("Secret1!", String(stored?.passwordHash))).toBe(true);
      for (const call of [get("/api/users"), post("/api/users/get", { username: "z" })])
        expect((await ask(service.url, call)).text).not.toContain("$2b$");
    });

    test.each(hostile)("no caller gets $what", async ({ call, action, error }) => {
      const before = users();
      const got = await ask(service.url, call);
      expect([got.status, JSON.parse(got.text).data[action].error]).toEqual([expect.any(Number), error]);
      expect(got.status).toBeGreaterThanOrEqual(400);
      expect(users()).toEqual(before);
      shown[way].push(comparable(got));
    });

    test("operators and typed values in what is stored are data", async () => {
      const body = { $set: { x: 1 }, at: { $date: "2024-01-01" }, __proto__x: 1 };
      const created = await ask(service.url, post("/api/posts/create", { ...hello, slug: "data", body }));
      expect(JSON.parse(created.text).data.FetchCreated.data.body).toEqual(body);
      expect(peer.collections.get("appdb.posts")?.at(-1)?.body).toMatchObject({ at: { $date: "2024-01-01" } });
    });

    test("the server is gone for a while: calls fail, /readyz says so, and both recover", async () => {
      await peer.down();
      const got = await ask(service.url, get("/api/users"));
      expect([got.status, JSON.parse(got.text).data.ListUsers.error]).toEqual([500, "action failed"]);
      const ready = await send(service.url, "/readyz");
      expect([ready.status, ready.text]).toEqual([503, '{"status":"unready"}']);
      expect((await send(service.url, "/livez")).status).toBe(200);
      await peer.up();
      expect((await ask(service.url, get("/api/users"))).status).toBe(200);
      expect((await send(service.url, "/readyz")).status).toBe(200);
    });

    test("the log names the reasons, and no secret", () => {
      const log = service.log.join("\n");
      expect(log).toMatch(/error PW906 database: \S/);
      expect(log).not.toMatch(/critical|mongodb:\/\/|canary-of-the-address/);
      for (const secret of [jwtSecret, token, "Secret1!", "$2b$12$"]) expect(log).not.toContain(secret);
    });
  });

  test("both ways give the same answers", () => {
    expect(shown.compiled).toHaveLength(calls.length + hostile.length);
    expect(shown.interpreted).toEqual(shown.compiled);
  });
});
