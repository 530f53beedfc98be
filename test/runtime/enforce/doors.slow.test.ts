import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { actions, drivers, secretStores } from "#generated/features.ts";
import type { MailServers } from "#runtime/features/actions/email/mailer.ts";
import type { SftpServers } from "#runtime/features/actions/sftp/servers.ts";
import type { Host, Resource } from "#runtime/process/host.ts";
import { stubbedAccounts } from "#runtime/testing/stubbed-outside.ts";
import { capabilityKinds } from "../../../compiler/5-analyse/capabilities/index.ts";
import { offlineHost } from "../../harness/offline-host.ts";
import { createFile } from "../../harness/peers/sqlite-file.ts";
import { upstream } from "../../harness/peers/upstream.ts";
import { runOnce } from "../../harness/run-once.ts";
import type { Stub } from "../../harness/sockets.ts";
import type { Door } from "./doors/door.ts";
import { doors } from "./doors/index.ts";
import { bothWays, heldTo } from "./held.ts";

// Each door refuses what the manifest does not list, on both paths and before anything has left, and lets pass what it lists.

let world: Stub;
let folder: string;
beforeAll(async () => {
  const json = { "content-type": "application/json" };
  world = await upstream([
    { path: "/moved", status: 302, headers: { location: "http://evil.example/" } },
    { path: "/pages", body: { next: "http://evil.example/", rows: [] }, headers: json },
    { path: "/key", body: "vaulted" },
    { path: "/", body: "{}", headers: json },
    { path: "/orders", body: "{}", headers: json },
  ]);
  folder = mkdtempSync(join(tmpdir(), "pipewright-doors-"));
  writeFileSync(join(folder, "form.txt"), "form");
  writeFileSync(join(folder, "key.txt"), "key");
  createFile(join(folder, "shop.db"), "CREATE TABLE orders (id INTEGER); CREATE TABLE users (id INTEGER); INSERT INTO users VALUES (7)");
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Mails that have left. */
let mails = 0;
beforeEach(() => {
  mails = 0;
  world.seen.length = 0;
});

interface Logged {
  readonly level: string;
  readonly msg: string;
  readonly at: unknown;
}

function hostFor(log: Logged[]): Host {
  const env = {
    FILE: join(folder, "shop.db"),
    FORM: join(folder, "form.txt"),
    KEY_FILE: join(folder, "key.txt"),
    CIPHER: join(folder, "no.txt"),
    TABLE: "users",
    ONE: "1",
    TWO: "2",
    KUBERNETES_SERVICE_HOST: "cluster.example",
    PIPEWRIGHT_ALLOW_COMMANDS: "true",
  };
  const host = offlineHost(
    { env, log: (level, msg, fields = {}) => log.push({ level, msg, at: fields.at }) },
    Number(new URL(world.url).port),
  );
  const sendMail = async () => {
    mails += 1;
    return { messageId: "m", accepted: [], rejected: [], envelope: { from: "", to: [] } };
  };
  const servers = { get: () => ({ pool: { sendMail }, begun: new Set() }), close: () => undefined } as unknown as MailServers; // all that an action uses of it
  const files: SftpServers = { perform: async () => null, close: () => undefined };
  const stubs = new Map<string, unknown>([
    ["email", servers],
    ["sftp", files],
    ["google accounts", stubbedAccounts],
  ]);
  const resource = <R extends Resource>(key: string, open: () => R): R =>
    stubs.has(key) ? (stubs.get(key) as R) : host.resource(key, open); // each stub has the type of its key
  return { ...host, resource };
}

const yaml = (global: string, list: string, beside = ""): string =>
  `name: shop\n${global}interfaces:\n  a:\n    method: POST\n    show_error_detail: true\n    actions:\n${list.replace(/^/gm, "      ")}\n  ${beside}\n`;

async function outcome(
  { global = "", reviewed, changed, changedGlobal = global, beside, body = "{}" }: Door,
  isChanged: boolean,
  interpret: boolean,
) {
  const before = yaml(global, reviewed, beside);
  const config = await heldTo(before, isChanged ? yaml(changedGlobal, changed, beside) : before, interpret);
  const log: Logged[] = [];
  const host = hostFor(log);
  try {
    const { outcomes } = await runOnce(config, "a", { body: JSON.parse(body) }, host);
    return { last: outcomes.at(-1), log };
  } finally {
    await host.close();
  }
}

describe.each(doors)("$name", (door) => {
  test.each(bothWays)("%s: what is not listed is refused", async (_, interpret) => {
    const { last, log } = await outcome(door, true, interpret);
    expect(JSON.stringify([last?.error, last?.data])).toContain(`manifest: ${door.refused}`);
    expect(mails).toBe(0);
    expect(world.seen.map(({ headers }) => headers.host).filter((host) => host?.includes("evil"))).toEqual([]);
    const record = log.find(({ msg }) => msg.startsWith("PW910 ") && msg.includes(`manifest: ${door.refused}`));
    expect(record).toMatchObject({ level: "error", at: expect.stringMatching(/^shop\.yaml:\d+:\d+$/) });
    expect(JSON.stringify(log)).not.toContain("geheim");
  });

  test.each(bothWays)("%s: what is listed passes", async (_, interpret) => {
    const { last, log } = await outcome(door, false, interpret);
    expect(last?.error ?? "").not.toContain("manifest");
    expect(log.filter(({ msg }) => msg.includes("manifest"))).toEqual([]);
  });
});

test("there is a door for everything that reaches outside", () => {
  /** These actions touch this process alone. */
  const inside = ["delay", "emit_metric", "filter", "wait_for_callback"];
  const reaching = Object.entries(actions).flatMap(([name, { effect }]) => (effect === "pure" || inside.includes(name) ? [] : [name]));
  const wanted = [...reaching, ...Object.keys(drivers), ...Object.keys(secretStores), ...capabilityKinds, "is_valid_jwt"];
  expect(wanted.filter((name) => !doors.some(({ of }) => of.includes(name)))).toEqual([]);
});
