import { createHmac } from "node:crypto";
import { expect } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { packFile } from "./packs.ts";
import { gated, passed, untested } from "./played/calls.ts";
import { failing, now, plays, refused, type Step } from "./played/play.ts";

// The deliveries of the README of stripe-webhooks-db-slack, signed as Stripe signs them: `t=…,v1=…` over time and body, also twice and too
// late.

const pack = "stripe-webhooks-db-slack";
const STRIPE_WEBHOOK_SECRET = "whsec_canary_5b6a7f";
const seconds = Math.floor(now / 1000);

interface Signing {
  readonly secret?: string;
  /** Seconds since 1970. */
  readonly at?: number;
  /** Whole header; undefined leaves it out. */
  readonly header?: (digest: string, at: number) => string | undefined;
}

function delivery(does: string, event: Json, signing: Signing = {}): Step {
  const { secret = STRIPE_WEBHOOK_SECRET, at = seconds, header = (digest, time) => `t=${time},v1=${digest},v0=00` } = signing;
  // Stripe sends its events indented.
  const text = JSON.stringify(event, null, 2);
  const signature = header(createHmac("sha256", secret).update(`${at}.${text}`).digest("hex"), at);
  const headers = {
    "content-type": "application/json; charset=utf-8",
    ...(signature === undefined ? {} : { "stripe-signature": signature }),
  };
  return { does, method: "POST", path: "/stripe/webhook", headers, text };
}

const paid = { id: "evt_1", type: "invoice.paid", data: { object: { id: "in_1", amount_paid: 1250, note: 'O\'Neil "& Söhne"\n' } } };
const hostile = { id: "evt_'); DROP TABLE stripe_events; --", type: '"}], "text": "<!channel>', data: { $ne: 1, __proto__x: [] } };
const notified = ({ id, type }: { readonly id: string; readonly type: string }): Pick<Step, "effects"> => ({
  effects: [
    {
      ...{ to: "POST hooks.slack.com/services/T/B/x", headers: { "content-type": "application/json" } },
      body: {
        text: `Stripe: \`${type}\``,
        attachments: [{ color: "#4CAF50", fields: [{ title: "Event ID", value: id, short: true }] }],
      },
    },
  ],
});
const stored = "SELECT stripe_event_id AS id, event_type AS type, payload FROM stripe_events e ORDER BY e.id";
const row = (event: { readonly id: string; readonly type: string }) => ({ id: event.id, type: event.type, payload: event as Json });
const verified = { ParseSignature: passed, VerifySignature: passed };
const slack = untested({ status: 200, headers: expect.any(Object), body: "ok" });
const accepted = { ...verified, ParseEvent: passed, StoreEvent: {}, NotifySlack: slack };
const none = { [stored]: [row(paid)] };

const stopped = { ParseEvent: gated("VerifySignature"), StoreEvent: gated("ParseEvent"), NotifySlack: gated("StoreEvent") };
// The data of an action that has failed is not hidden by hide_data_on_success; it has the digest that was sent, which is no secret of ours.
const parts = expect.objectContaining({ timestamp: expect.stringMatching(/^\d+$/), v1_signature: expect.stringMatching(/^[0-9a-f]+$/) });
const forged = (does: string, signing: Signing): Step => ({
  ...{ ...delivery(does, paid, signing), status: 401, holds: none },
  gives: { ParseSignature: passed, VerifySignature: refused(parts, "Invalid Stripe webhook signature"), ...stopped },
});
/** The data of the headers stays hidden; the assert before the expression has passed. */
const unparsed = (does: string, header: Signing["header"]): Step => ({
  ...{ ...delivery(does, paid, header === undefined ? {} : { header }), status: 401, holds: none },
  gives: { ParseSignature: { ...passed, error: "action failed" }, VerifySignature: gated("ParseSignature"), ...stopped },
});

const steps: readonly Step[] = [
  { ...delivery("stores an event and tells of it", paid), ...notified(paid), gives: accepted, holds: none },
  { ...delivery("stores an event once, however often it comes", paid), ...notified(paid), gives: accepted, holds: none },
  forged("refuses another secret", { secret: "guess" }),
  forged("refuses another time under the same digest", { header: (digest, at) => `t=${at + 1},v1=${digest}` }),
  unparsed("refuses the old scheme", (digest, at) => `t=${at},v0=${digest}`),
  unparsed("refuses a header of nothing", () => "x"),
  forged("refuses a cut digest", { header: (digest, at) => `t=${at},v1=${digest.slice(0, 63)}` }),
  {
    ...{ ...delivery("refuses who has not signed", paid, { header: () => undefined }), status: 401, holds: none },
    gives: {
      ParseSignature: { error: "Missing Stripe-Signature header" },
      ...{ VerifySignature: gated("ParseSignature"), ...stopped },
    },
  },
  {
    // The expression of the pack takes the first digest only; Stripe sends the one of the newer secret first.
    ...delivery("takes the first of two digests", paid, { header: (digest, at) => `t=${at},v1=${digest},v1=${"0".repeat(64)}` }),
    ...{ ...notified(paid), gives: accepted, holds: none },
  },
  {
    ...{ ...delivery("refuses an event without a type", { id: "evt_2" }), status: 500, holds: none },
    gives: {
      ...verified,
      ParseEvent: failing({ id: "evt_2" }, "type::is_not_null: expected to not be null"),
      ...{ StoreEvent: gated("ParseEvent"), NotifySlack: gated("StoreEvent") },
    },
  },
  {
    ...delivery("stores hostile text as text", hostile),
    ...notified(hostile),
    gives: accepted,
    holds: { [stored]: [row(paid), row(hostile)] },
  },
  {
    ...{ ...delivery("keeps the event when Slack is down", { ...paid, id: "evt_3" }), ...notified({ ...paid, id: "evt_3" }), status: 500 },
    services: [{ method: "POST", path: "/services/T/B/x", status: 500, body: "down" }],
    gives: {
      ...accepted,
      NotifySlack: refused(
        { status: 500, headers: expect.any(Object), body: "down" },
        "http status 500 is not in expect_status (2xx, 304); to accept it set expect_status: [2xx, 500]",
      ),
    },
    holds: { "SELECT count(*)::int AS n FROM stripe_events": [{ n: 3 }] },
  },
];

const setting = {
  ...{ pack, postgres: true as const, schema: () => packFile(pack, "schema.sql") },
  variables: { STRIPE_WEBHOOK_SECRET, SLACK_WEBHOOK_URL: "https://hooks.slack.com/services/T/B/x" },
  services: [{ method: "POST", path: "/services/T/B/x", body: "ok" }],
};

plays(setting, [
  ...steps,
  {
    ...delivery("takes an old delivery, as long as nobody asks for its age", paid, { at: seconds - 86_400 }),
    ...notified(paid),
    gives: accepted,
  },
]);

// The addition of the README against replays: a test of the age.
const aged = (text: string): string =>
  text.replace(
    /^( +)- value: v1_signature$/m,
    (line, indent) =>
      `${indent}- expression: "a|ParseSignature::timestamp| > a|timestamp:s-300|"\n${indent}  error_message: too old\n${line}`,
  );
const late = (does: string, at: number): Step => ({
  ...{ ...delivery(does, paid, { at }), status: 401 },
  gives: {
    ParseSignature: passed,
    VerifySignature: refused(parts, "Invalid Stripe webhook signature"),
    ...stopped,
  },
});

plays({ ...setting, title: `${pack} with the age of a delivery`, edit: aged }, [
  { ...delivery("takes a fresh one", paid), ...notified(paid), gives: accepted },
  { ...delivery("takes one of almost five minutes", paid, { at: seconds - 299 }), ...notified(paid), gives: accepted },
  late("refuses one of five minutes", seconds - 300),
  late("refuses one of yesterday", seconds - 86_400),
]);
