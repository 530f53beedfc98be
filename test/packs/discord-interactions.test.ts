import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { expect } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { gated, passed, untested } from "./played/calls.ts";
import { now, plays, refused, type Step, skipped } from "./played/play.ts";

// The interactions of the README of discord-interactions, signed as Discord signs them: Ed25519 over time and body.

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const stranger = generateKeyPairSync("ed25519").privateKey;
const DISCORD_PUBLIC_KEY = publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("hex");
const seconds = String(Math.floor(now / 1000));

interface Signing {
  readonly key?: KeyObject;
  /** A time in place of the one that was signed. */
  readonly time?: string;
  readonly signature?: (hex: string) => string;
}

function interaction(does: string, body: Json, { key = privateKey, time = seconds, signature = (hex) => hex }: Signing = {}): Step {
  const text = JSON.stringify(body);
  const hex = sign(null, Buffer.from(seconds + text), key).toString("hex");
  const headers = { "content-type": "application/json", "x-signature-ed25519": signature(hex), "x-signature-timestamp": time };
  return { does, method: "POST", path: "/discord/interactions", headers, text };
}

const stats = (username: string): Json => ({
  ...{ type: 2, guild_id: "g-1", channel_id: "c-1", data: { name: "stats" } },
  member: { user: { username } },
});
const reply = (content: string): Pick<Step, "answers"> => ({ answers: { type: 4, data: { content } } });
const logged =
  "SELECT interaction_type AS type, command_name AS command, user_name AS name, guild_id AS guild FROM discord_interactions ORDER BY created_at";
const row = (name: string, command = "stats", guild = "g-1", type = 2) => ({ type, command, name, guild });

const injection = "kav'); DROP TABLE discord_interactions; --";
const quoted = '"}, "flags": 64, "x": {"y": "a|env::PATH|\n';
const rows = [row("kav"), row(injection), row(quoted), row("", "", "", 3)];

const stopped = {
  Pong: gated("VerifySignature"),
  LogInteraction: gated("VerifySignature"),
  CountEvents: gated("LogInteraction"),
  Respond: gated("CountEvents"),
};
const forged = (does: string, signing: Signing): Step => ({
  ...{ ...interaction(does, stats("kav"), signing), status: 401 },
  gives: { ReadHeaders: {}, VerifySignature: refused(expect.any(Object), "invalid request signature"), ...stopped },
  holds: { [logged]: rows },
});

plays({ pack: "discord-interactions", postgres: true, variables: { DISCORD_PUBLIC_KEY } }, [
  {
    ...{ does: "makes its table", method: "POST", path: "/api/seed" },
    gives: { CreateTable: {}, CreateIndex: {}, Reset: {}, Respond: untested({ status: "seeded" }) },
  },
  { ...interaction("answers a ping, and does not record it", { type: 1 }), answers: '{ "type": 1 }', holds: { [logged]: [] } },
  { ...interaction("records a command", stats("kav")), ...reply("1 interactions recorded — latest /stats from kav") },
  { ...interaction("records SQL as text", stats(injection)), ...reply(`2 interactions recorded — latest /stats from ${injection}`) },
  {
    ...interaction("answers JSON and markers as text", stats(quoted)),
    ...reply(`3 interactions recorded — latest /stats from ${quoted}`),
    holds: { [logged]: rows.slice(0, 3) },
  },
  { ...interaction("records what has no name", { type: 3 }), ...reply("4 interactions recorded — latest /unknown from unknown") },
  forged("refuses another key", { key: stranger }),
  forged("refuses another time", { time: String(Number(seconds) + 1) }),
  forged("refuses a time that was not signed", { time: `${seconds}0` }),
  forged("refuses a changed signature", { signature: (hex) => hex.replace(/^../, (first) => (first === "00" ? "01" : "00")) }),
  forged("refuses no signature", { signature: () => "" }),
  forged("refuses the signature of the README", { signature: () => "deadbeef" }),
  forged("refuses what is no hex", { signature: () => "z".repeat(128) }),
  forged("refuses a longer one", { signature: (hex) => `${hex}00` }),
  {
    ...{ does: "refuses who has not signed", method: "POST", path: "/discord/interactions", body: stats("kav"), status: 401 },
    gives: { ReadHeaders: {}, VerifySignature: refused(expect.any(Object), "invalid request signature"), ...stopped },
    holds: { [logged]: rows },
  },
  {
    ...{ ...interaction("refuses a type that is no number", { type: "x" }), status: 500, holds: { [logged]: rows } },
    gives: {
      ...{ ReadHeaders: {}, VerifySignature: passed, Pong: skipped("custom_value::is_equal_to: expected target x not equal to 1") },
      ...{ LogInteraction: { data: null, error: "action failed" }, CountEvents: gated("LogInteraction"), Respond: gated("CountEvents") },
    },
  },
]);

plays({ pack: "discord-interactions", title: "discord-interactions without a key", postgres: true, variables: {} }, [
  {
    ...{ ...interaction("lets nobody in", { type: 1 }), status: 401 },
    gives: { ReadHeaders: {}, VerifySignature: refused(expect.any(Object), "invalid request signature"), ...stopped },
  },
]);
