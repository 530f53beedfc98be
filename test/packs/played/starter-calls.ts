import { expect } from "vitest";
import { type Call, firstPost, gated, passed, tested, time, untested } from "./calls.ts";

// The calls of the two REST API starters: the same endpoints on two databases.

/** The differences between the sample data of the two. */
export interface Starter {
  /** The action that empties the tables. */
  readonly clears: string;
  /** The name of the product, as the seed spells it. */
  readonly product: string;
  /** The seed numbers posts and comments as it lists them. Where it joins, the database numbers them as it likes. */
  readonly numbered: boolean;
}

const get = (path: string) => ({ method: "GET", path });
const post = (path: string, body: Call["body"] & object) => ({ method: "POST", path, body });
const put = (path: string, body: Call["body"] & object) => ({ method: "PUT", path, body });
const remove = (path: string, id: number | string) => ({ method: "DELETE", path, body: { id } });

const validated = { ValidateBody: passed };

const user = (id: number, name: string) => ({ id, email: `${name}@example.com`, username: name, created_at: time });

const seed = ({ clears }: Starter): Call => ({
  does: "creates the tables and loads the sample data",
  method: "POST",
  path: "/api/seed",
  gives: {
    ...{ CreateUsersTable: {}, CreatePostsTable: {}, CreateCommentsTable: {}, CreateIndexes: {} },
    ...{ [clears]: {}, InsertUsers: {}, InsertPosts: {}, InsertComments: {} },
    SeedSummary: untested({ users: 3, posts: 5, comments: 5 }),
  },
  rows: [3, 5, 5],
});

/** Every endpoint once or more, on the sample data; `token` is one for the user with the id 1. */
export function seededCalls(starter: Starter, token: string): readonly Call[] {
  const { product, numbered } = starter;
  const seeded = (id: number): unknown => (numbered ? id : expect.any(Number));
  const listed = (id: unknown, title: string, status: string, author: string) => ({ id, title, status, created_at: time, author });
  const first = listed(seeded(1), `Getting Started with ${product}`, "published", "alice");
  const second = listed(seeded(2), "Draft: Advanced Patterns", "draft", "alice");
  const third = listed(seeded(3), "My First Post", "published", "bob");
  const fourth = listed(seeded(4), "REST APIs Made Easy", "published", "bob");
  const fifth = listed(seeded(5), "Archived Post", "archived", "carol");
  const opened = { ...first, body: `${product} lets you build APIs from config files.`, updated_at: time, comment_count: 2 };
  const hello = { title: "Hello World", status: "published" };
  return [
    seed(starter),
    {
      does: "lists users, without their hashes",
      ...get("/api/users"),
      order: "newest first",
      gives: { ListUsers: untested([user(1, "alice"), user(2, "bob"), user(3, "carol")]) },
    },
    { does: "lists published posts", ...get("/api/posts"), order: "newest first", gives: { ListPosts: untested([first, third, fourth]) } },
    {
      does: "lists all posts",
      ...get("/api/posts/all"),
      order: "newest first",
      gives: { ListAllPosts: untested([fifth, second, first, third, fourth]) },
    },
    {
      does: "creates a user",
      ...post("/api/users/create", { email: "jane@example.com", username: "jane", password: "Secret1!" }),
      gives: { ...validated, HashPassword: {}, CreateUser: untested(user(4, "jane")) },
      rows: [4, 5, 5],
    },
    {
      does: "refuses a second user with the same address",
      ...post("/api/users/create", { email: "jane@example.com", username: "jane2", password: "Secret1!" }),
      status: 500,
      gives: { ...validated, HashPassword: {}, CreateUser: { data: null, error: "action failed" } },
      rows: [4, 5, 5],
    },
    {
      does: "gets a user",
      ...post("/api/users/get", { id: 4 }),
      gives: { ...validated, GetUser: tested({ ...user(4, "jane"), updated_at: time }) },
    },
    {
      does: "updates one field of a user and leaves the other",
      ...put("/api/users/update", { id: 4, email: "new@example.com" }),
      gives: { ...validated, UpdateUser: tested({ id: 4, email: "new@example.com", username: "jane", updated_at: time }) },
    },
    {
      does: "creates a post",
      ...post("/api/posts/create", { user_id: 1, ...hello, body: "First post." }),
      gives: { ...validated, CreatePost: untested({ id: 6, user_id: 1, ...hello, created_at: time }) },
      rows: [4, 6, 5],
    },
    {
      does: "creates a post that is a draft unless it says otherwise",
      ...post("/api/posts/create", { user_id: 4, title: "Notes" }),
      gives: { ...validated, CreatePost: untested({ id: 7, user_id: 4, title: "Notes", status: "draft", created_at: time }) },
      rows: [4, 7, 5],
    },
    {
      does: "gets a post with its author and comment count",
      ...post("/api/posts/get", { id: firstPost }),
      gives: { ...validated, GetPost: tested(opened) },
    },
    {
      does: "gets a post without text or comments",
      ...post("/api/posts/get", { id: 7 }),
      gives: { ...validated, GetPost: tested({ ...listed(7, "Notes", "draft", "jane"), body: null, updated_at: time, comment_count: 0 }) },
    },
    {
      does: "updates a post",
      ...put("/api/posts/update", { id: 7, title: "Updated title", status: "published" }),
      gives: { ...validated, UpdatePost: tested({ id: 7, title: "Updated title", status: "published", updated_at: time }) },
    },
    {
      does: "refuses a status that the schema does not know",
      ...put("/api/posts/update", { id: 7, status: "lost" }),
      status: 500,
      gives: { ...validated, UpdatePost: { data: null, error: "action failed" } },
    },
    {
      does: "lists the comments of a post",
      ...post("/api/comments/list", { post_id: firstPost }),
      order: "oldest first",
      gives: {
        ...validated,
        ListComments: untested([
          { id: seeded(2), body: "Bookmarked this.", created_at: time, author: "carol" },
          { id: seeded(1), body: "Really helpful, thanks Alice!", created_at: time, author: "bob" },
        ]),
      },
    },
    {
      does: "adds a comment",
      ...post("/api/comments/create", { post_id: firstPost, user_id: 2, body: "Great post!" }),
      gives: { ...validated, CreateComment: untested({ id: 6, post_id: seeded(1), user_id: 2, body: "Great post!", created_at: time }) },
      rows: [4, 7, 6],
    },
    {
      does: "refuses a comment on a post that does not exist",
      ...post("/api/comments/create", { post_id: 99, user_id: 2, body: "Great post!" }),
      status: 500,
      gives: { ...validated, CreateComment: { data: null, error: "action failed" } },
      rows: [4, 7, 6],
    },
    {
      does: "deletes a comment",
      ...remove("/api/comments/delete", 6),
      gives: { ...validated, DeleteComment: tested({ id: 6 }) },
      rows: [4, 7, 5],
    },
    {
      does: "tells the owner of a token who he is",
      ...post("/api/me", { token }),
      gives: { ValidateToken: passed, GetCurrentUser: tested(user(1, "alice")) },
    },
    {
      does: "asks for a token",
      ...post("/api/me", {}),
      status: 401,
      gives: { ValidateToken: { data: {}, error: "Invalid or missing token" }, GetCurrentUser: gated("ValidateToken") },
    },
    {
      does: "deletes a post, and its comments with it",
      ...remove("/api/posts/delete", firstPost),
      gives: { ...validated, DeletePost: tested({ id: seeded(1) }) },
      rows: [4, 6, 3],
    },
    {
      does: "deletes a user, and with him his posts and their comments",
      ...remove("/api/users/delete", 2),
      gives: { ...validated, DeleteUser: tested({ id: 2 }) },
      rows: [3, 4, 0],
    },
    {
      does: "does not find who is deleted",
      ...post("/api/users/get", { id: 2 }),
      status: 404,
      gives: { ...validated, GetUser: { data: [], error: "User not found" } },
    },
    { ...seed(starter), does: "starts again with the same data and ids" },
    { does: "knows the first post again", ...post("/api/posts/get", { id: firstPost }), gives: { ...validated, GetPost: tested(opened) } },
  ];
}

/** The walk through empty tables, made by schema.sql: the first of everything has the id 1. */
export const emptyCalls: readonly Call[] = [
  {
    does: "creates the first user",
    ...post("/api/users/create", { email: "alice@example.com", username: "alice", password: "Secret1!" }),
    gives: { ...validated, HashPassword: {}, CreateUser: untested(user(1, "alice")) },
    rows: [1, 0, 0],
  },
  {
    does: "creates the first post",
    ...post("/api/posts/create", { user_id: 1, title: "Hello World", body: "My first post.", status: "published" }),
    gives: { ...validated, CreatePost: untested({ id: 1, user_id: 1, title: "Hello World", status: "published", created_at: time }) },
    rows: [1, 1, 0],
  },
  {
    does: "adds the first comment",
    ...post("/api/comments/create", { post_id: 1, user_id: 1, body: "Great post!" }),
    gives: { ...validated, CreateComment: untested({ id: 1, post_id: 1, user_id: 1, body: "Great post!", created_at: time }) },
    rows: [1, 1, 1],
  },
  {
    does: "lists the published post",
    ...get("/api/posts"),
    gives: { ListPosts: untested([{ id: 1, title: "Hello World", status: "published", created_at: time, author: "alice" }]) },
  },
];
