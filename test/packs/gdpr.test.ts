import { expect } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { gated, passed, tested, time, untested } from "./played/calls.ts";
import { anyOrder, failing, plays, refused, type Step } from "./played/play.ts";

// The calls of the README of gdpr-data-export-deletion.

const post = (does: string, path: string, body: Json, status = 200): Pick<Step, "does" | "method" | "path" | "body" | "status"> => ({
  ...{ does, method: "POST", path: `/gdpr/${path}`, body, status },
});
/** PostgreSQL writes times inside JSON with their offset. */
const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+[+-]\d\d:\d\d$/);
const alice = {
  ...{ id: 1, email: "alice@example.com", username: "alice", password_hash: "hashed_pw_1", created_at: at, updated_at: at },
};
const anonymous = { ...alice, email: "deleted_1@deleted.invalid", username: "deleted_1", password_hash: "DELETED" };
const byAlice = { id: 1, body: "Thanks Bob!", created_at: at };
const owned = {
  posts: anyOrder(
    { id: expect.any(Number), user_id: 1, title: "My first post", body: "Hello from Alice!", created_at: at },
    { id: expect.any(Number), user_id: 1, title: "On privacy", body: "Why GDPR matters.", created_at: at },
  ),
};
const comments = [{ ...byAlice, id: expect.any(Number), user_id: 1, post_id: expect.any(Number) }];
const exports = (does: string, body: Json, data: unknown): Step => ({
  ...post(does, "export", body),
  gives: { ValidateBody: passed, ExportUserData: tested(data), LogExportRequest: {} },
});
const log = "SELECT user_id::int AS user, request_type AS type, requested_by AS by FROM gdpr_requests ORDER BY id";
const seeded = [
  { user: 3, type: "export", by: "support@example.com" },
  { user: 3, type: "deletion", by: "dpo@example.com" },
];
const asked = [
  { user: 1, type: "export", by: "support@example.com" },
  { user: 1, type: "export", by: null },
];
const injected = "x'); DELETE FROM gdpr_users; --";
const erased = [{ user: 1, type: "deletion", by: injected }];
const counts =
  "SELECT (SELECT count(*)::int FROM gdpr_users) AS users, (SELECT count(*)::int FROM gdpr_posts) AS posts, (SELECT count(*)::int FROM gdpr_comments) AS comments";
const before = { [counts]: [{ users: 3, posts: 3, comments: 3 }] };
const missing = "user_id::is_not_null: expected to not be null";
const failed = { data: null, error: "action failed" };

const export404 = (does: string, user_id: Json, status: number, entry: unknown): Step => ({
  ...{ ...post(does, "export", { user_id }, status), holds: before },
  gives: { ValidateBody: passed, ExportUserData: entry, LogExportRequest: gated("ExportUserData") },
});
const keeps = (does: string, user_id: Json, status: number, entry: unknown): Step => ({
  ...{ ...post(does, "delete", { user_id }, status), holds: before },
  gives: { ValidateBody: passed, AnonymiseUser: entry, DeletePosts: gated("AnonymiseUser"), LogDeletionRequest: gated("DeletePosts") },
});

const tables = [
  "CreateUsersTable",
  "CreatePostsTable",
  "CreateCommentsTable",
  "CreateGdprRequestsTable",
  "TruncateTables",
  "InsertUsers",
  "InsertPosts",
  "InsertComments",
  "InsertGdprRequests",
];

plays({ pack: "gdpr-data-export-deletion", postgres: true }, [
  {
    ...{ does: "seeds", method: "POST", path: "/gdpr/seed", holds: { ...before, [log]: seeded } },
    gives: {
      ...Object.fromEntries(tables.map((name) => [name, {}])),
      SeedSummary: untested({ gdpr_users: 3, gdpr_posts: 3, gdpr_comments: 3, gdpr_requests: 2 }),
    },
  },
  exports("exports what belongs to a user", { user_id: 1, requested_by: "support@example.com" }, { user: alice, ...owned, comments }),
  exports("exports by a text, for nobody in particular", { user_id: "1" }, { user: alice, ...owned, comments }),
  export404("exports nobody", 99, 404, refused([], "User not found")),
  export404("exports nobody by SQL", "1 OR 1=1", 500, failed),
  export404("exports nobody by an object", { $gt: 0 }, 500, failed),
  export404("exports nobody beyond 64 bits", 1e30, 500, failed),
  {
    ...post("wants to know whom", "export", { requested_by: "x" }, 400),
    gives: {
      ValidateBody: failing({ requested_by: "x" }, missing),
      ExportUserData: gated("ValidateBody"),
      LogExportRequest: gated("ExportUserData"),
    },
  },
  keeps("deletes nobody", 99, 404, refused([], "User not found")),
  keeps("deletes nobody by SQL", "1 OR 1=1", 500, failed),
  keeps("deletes nobody by a list", [1, 2], 500, failed),
  {
    ...post("wants to know whom to delete", "delete", {}, 400),
    gives: {
      ValidateBody: failing({}, missing),
      AnonymiseUser: gated("ValidateBody"),
      DeletePosts: gated("AnonymiseUser"),
      LogDeletionRequest: gated("DeletePosts"),
    },
  },
  {
    ...post("deletes, and notes who asked", "delete", { user_id: 1, requested_by: injected }),
    gives: { ValidateBody: passed, AnonymiseUser: tested({ id: 1 }), DeletePosts: {}, LogDeletionRequest: {} },
    // Comments of others on the posts go with them; those on posts of others stay.
    holds: { [counts]: [{ users: 3, posts: 1, comments: 1 }], [log]: [...seeded, ...asked, ...erased] },
  },
  exports("has forgotten the user", { user_id: 1 }, { user: anonymous, posts: [], comments }),
  {
    ...{ does: "lists all requests", path: "/gdpr/requests" },
    gives: {
      ListRequests: untested(
        anyOrder(
          ...[...seeded, ...asked, ...erased, { user: 1, type: "export", by: null }].map(({ user, type, by }, i) => ({
            ...{ id: i + 1, user_id: user, request_type: type, requested_by: by, requested_at: time },
          })),
        ),
      ),
    },
  },
]);
