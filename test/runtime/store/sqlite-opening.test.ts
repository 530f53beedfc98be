import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SqliteStore } from "#runtime/store/sqlite-store.ts";
import { Failure } from "#runtime/value/failure.ts";
import { unusable } from "#runtime/value/unusable.ts";
import { starting } from "../../harness/starting.ts";
import { runIn } from "../../harness/terminal.ts";

// A file of SQLite that cannot be opened: a start says why, and what to do (spec/command-line 4).

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pipewright-opening-"));
  mkdirSync(join(folder, "place"));
  writeFileSync(join(folder, "text"), "no folder");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const faults = [
  ["missing/store.db", (at: string) => `the folder ${join(at, "missing")} does not exist; make it, or name a file elsewhere`],
  ["place", () => "it is a folder; name a file in it"],
  ["text/store.db", (at: string) => `${join(at, "text")} is no folder; name a file in a folder`],
] as const;

const configs = {
  "durable runs": "interfaces: { order: { method: POST, durable: true, actions: [{ name: A, json_output: 1 }] } }",
  state: "interfaces: { order: { method: POST, actions: [{ name: A, state: { set: { key: a, value: 1 } } }] } }",
};

describe.each(faults)("%s", (path, reason) => {
  const needOf = (): string => `the store ${join(folder, path)} cannot be opened: ${reason(folder)}`;
  const env = () => ({ PIPEWRIGHT_DATABASE_URL: `sqlite:${join(folder, path)}` });

  test("is refused", () => {
    expect(() => new SqliteStore(join(folder, path), 1_000_000, Date.now)).toThrow(needOf());
  });

  for (const [use, interfaces] of Object.entries(configs)) {
    test(`keeps ${use} from starting`, async () => {
      expect(await starting(false).unmet(`name: shop\n${interfaces}`, { env: env() })).toEqual([needOf()]);
    });
  }
});

test.each(Object.entries(configs))("serve ends with what to do: %s", async (_, interfaces) => {
  const path = join(folder, "place");
  writeFileSync(join(folder, "shop.yaml"), `name: shop\n${interfaces}\n`);
  const env = { PIPEWRIGHT_DATABASE_URL: `sqlite:${path}`, PIPEWRIGHT_METRICS_BIND: "off" };
  const ended = await runIn(env, folder, "serve", "shop.yaml", "--address", "127.0.0.1", "--port", "0");
  const need = `the store ${path} cannot be opened: it is a folder; name a file in it`;
  expect([ended.status, ended.err]).toEqual([78, `pipewright: cannot start:\n  - ${need}\n`]);
});

test("run says why", async () => {
  const path = join(folder, "place");
  const text = "name: shop\ninterfaces: { order: { durable: true, output: cli, actions: [{ name: A, json_output: 1 }] } }\n";
  writeFileSync(join(folder, "shop.yaml"), text);
  const ended = await runIn({ PIPEWRIGHT_DATABASE_URL: `sqlite:${path}` }, folder, "run", "order", "shop.yaml");
  expect(ended.status).toBe(78);
  expect(ended.err).toBe(`pipewright: the store ${path} cannot be opened: it is a folder; name a file in it\n`);
});

test("lists of runs say why", async () => {
  const path = join(folder, "place");
  const ended = await runIn({ PIPEWRIGHT_DATABASE_URL: `sqlite:${path}` }, folder, "runs", "list", "--durable");
  expect(ended.status).toBe(78);
  expect(ended.err).toContain(`the store ${path} cannot be opened: it is a folder; name a file in it`);
});

test("an error that has nothing to do with a store is none of its refusals", () => {
  expect(unusable(new Failure("state", "state is not available", { cause: new Error("reset") }))).toBeUndefined();
  expect(unusable(new TypeError("a bug"))).toBeUndefined();
});

test("a file whose address is right is opened", () => {
  new SqliteStore(join(folder, "place", "store.db"), 1_000_000, Date.now).close();
});
