import type { Door } from "./door.ts";

const databases = (settings: string): string => `global:\n  databases:\n    main: { ${settings} }\n`;
const sqlite = databases('driver: sqlite, conn_string: "sqlite:a|env::FILE|"');
const query = (sql: string, more = ""): string => `- name: A\n  database: main\n  query: ${JSON.stringify(sql)}${more}`;
const mongo = databases('driver: mongodb, conn_string: "mongodb://docs.example/shop?serverSelectionTimeoutMS=1"');
const documents = (fields: string): string => `- name: A\n  database: main\n  document_operation: { ${fields} }`;
const state = (fields: string): string => `- name: A\n  state: { ${fields} }`;

/** Doors of databases and of the state. */
export const stores: readonly Door[] = [
  {
    name: "a table",
    of: ["database", "sqlite", "tables"],
    global: sqlite,
    reviewed: query("SELECT id FROM orders"),
    changed: query("SELECT id FROM users"),
    refused: "table 'users' (select) of database 'main' is not listed for interface 'a'",
  },
  {
    name: "a statement",
    of: ["database"],
    global: sqlite,
    reviewed: query("SELECT id FROM orders"),
    changed: query("DELETE FROM orders RETURNING id"),
    refused: "table 'orders' (delete) of database 'main' is not listed for interface 'a'",
  },
  {
    name: "a statement that cannot be read",
    of: ["database"],
    global: sqlite,
    reviewed: query("SELECT id FROM orders"),
    changed: query("ATTACH 'other.db' AS other"),
    refused: "any table of database 'main', which a statement may touch that cannot be read, is not listed for interface 'a'",
  },
  {
    name: "a table that a value of the environment names",
    of: ["database"],
    global: sqlite,
    reviewed: query("SELECT id FROM orders"),
    changed: query("SELECT id FROM a|env::TABLE->raw|"),
    refused: "table 'users' (select) of database 'main' is not listed for interface 'a'",
  },
  {
    name: "the file of a database",
    of: ["sqlite", "files"],
    global: sqlite,
    changedGlobal: databases('driver: sqlite, conn_string: "sqlite::memory:"'),
    reviewed: query("SELECT id FROM orders"),
    changed: query("SELECT id FROM orders"),
    refused: "file 'sqlite::memory:' is not listed for configuration 'shop'",
  },
  ...["postgres", "mysql", "mssql"].map(
    (driver): Door => ({
      name: `the server of a database: ${driver}`,
      of: [driver],
      global: databases(`driver: ${driver}, host: 127.0.0.1, port: 1, dbname: shop, user: u, pass: p`),
      changedGlobal: databases(`driver: ${driver}, conn_string: "${driver}://u:geheim@evil.example/shop"`),
      reviewed: query("SELECT id FROM orders"),
      changed: query("SELECT id FROM orders"),
      refused: "host 'evil.example' is not listed for configuration 'shop'",
    }),
  ),
  {
    name: "the server of documents",
    of: ["mongodb"],
    global: mongo,
    changedGlobal: databases('driver: mongodb, conn_string: "mongodb://evil.example/shop?serverSelectionTimeoutMS=1"'),
    reviewed: documents("collection: orders, operation: estimatedDocumentCount"),
    changed: documents("collection: orders, operation: estimatedDocumentCount"),
    refused: "host 'evil.example' is not listed for configuration 'shop'",
  },
  {
    name: "a collection",
    of: ["document_operation", "mongodb"],
    global: mongo,
    reviewed: documents("collection: orders, operation: find, filter: {}"),
    changed: documents("collection: users, operation: find, filter: {}"),
    refused: "table 'users' (find) of database 'main' is not listed for interface 'a'",
  },
  {
    name: "a collection that a stage reads",
    of: ["document_operation"],
    global: mongo,
    reviewed: documents('collection: orders, operation: aggregate, pipeline: [{ $lookup: { from: posts, as: "x" } }]'),
    changed: documents('collection: orders, operation: aggregate, pipeline: [{ $facet: { a: [{ $lookup: { from: users, as: "x" } }] } }]'),
    refused: "table 'users' (find) of database 'main' is not listed for interface 'a'",
  },
  ...(
    [
      ["get", "get: { key: other }"],
      ["set", "set: { key: other, value: 1 }"],
      ["advance", "advance: { key: other, value: 1 }"],
      ["delete", "delete: { key: other }"],
      ["seen", "seen: { key: other, id: 1 }"],
    ] as const
  ).map(
    ([verb, fields]): Door => ({
      name: `a key of the state: ${verb}`,
      of: ["state"],
      reviewed: state(fields.replace("other", "cursor")),
      changed: state(fields),
      refused: `key of the state 'other' (${verb}) of 'shop' is not listed for interface 'a'`,
    }),
  ),
  {
    name: "another operation on a key of the state",
    of: ["state"],
    reviewed: state("get: { key: cursor }"),
    changed: state("set: { key: cursor, value: 1 }"),
    refused: "key of the state 'cursor' (set) of 'shop' is not listed for interface 'a'",
  },
  {
    name: "a namespace of the state",
    of: ["state"],
    reviewed: state("get: { key: cursor }"),
    changed: state("get: { key: cursor, namespace: billing }"),
    refused: "key of the state 'cursor' (get) of 'billing' is not listed for interface 'a'",
  },
  {
    name: "a marker of the state",
    of: ["state"],
    reviewed: "- name: A\n  input: a|state::cursor|",
    changed: "- name: A\n  input: a|state::billing.total|",
    refused: "key of the state 'total' (get) of 'billing' is not listed for interface 'a'",
  },
  {
    name: "identities that were seen",
    of: ["only_new"],
    reviewed: "- name: A\n  input: a|body::list|\n  only_new: { key: orders }",
    changed: "- name: A\n  input: a|body::list|\n  only_new: { key: users }",
    body: '{"list":[{"id":1}]}',
    refused: "key of the state 'users' (seen) of 'shop' is not listed for interface 'a'",
  },
];
