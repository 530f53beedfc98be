import { createHmac } from "node:crypto";
import { expect } from "vitest";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import type { UpstreamRule } from "../harness/peers/upstream.ts";
import { gated, passed, time, untested } from "./played/calls.ts";
import { type Effect, idOf, now, plays, refused, type Step } from "./played/play.ts";

// The calls of the README of slack-interactivity, and the clicks that Slack sends: a form with JSON in it, signed over its bytes.

const SLACK_SIGNING_SECRET = "canary-slack-1a2b3c";
const SLACK_BOT_TOKEN = "xoxb-canary-4d5e6f";
const seconds = String(Math.floor(now / 1000));

const title = 'Deploy "v2.1"\nto prod \\ ü';
const channel = "C0123456789";
/** The ids of the approvals that the second and the third step ask for. */
const [first, second] = [idOf(2), idOf(3)] as const;

const button = (action_id: string, style: string, text: string, value: string): Json => ({
  ...{ type: "button", action_id, style },
  ...{ text: { type: "plain_text", text }, value },
});
const posted = (id: string, words = title): readonly Effect[] => [
  {
    to: "POST slack.com/api/chat.postMessage",
    headers: { authorization: `Bearer ${SLACK_BOT_TOKEN}`, "content-type": "application/json; charset=utf-8" },
    body: {
      ...{ channel, text: `Approval requested: ${words}` },
      blocks: [
        { type: "section", text: { type: "mrkdwn", text: `*Approval requested*\n${words}` } },
        {
          ...{ type: "actions", block_id: "approval_actions" },
          elements: [button("approve", "primary", "Approve", id), button("reject", "danger", "Reject", id)],
        },
      ],
    },
  },
];
const request = (does: string, body: Json): Pick<Step, "does" | "method" | "path" | "body"> => ({
  does,
  method: "POST",
  path: "/slack/approvals",
  body,
});
const message: Json = { ok: true, channel, ts: "1700000000.000100" };
const answered = (body: Json) => untested({ status: 200, headers: expect.any(Object), body });
const asked = (does: string, id: string, words: string): Step => ({
  ...{ ...request(does, { title: words, channel, requested_by: "alice" }), effects: posted(id, words) },
  gives: {
    ...{ ValidateBody: passed, CreateApproval: untested({ id }), PostMessage: answered(message), CheckPosted: passed },
    ...{ RecordMessage: untested({ id }), Respond: untested({ approval_id: id, posted: true }) },
  },
});
const unasked = (does: string, body: JsonObject): Step => ({
  ...{ ...request(does, body), status: 400 },
  gives: {
    ValidateBody: refused(body, "title and channel are required"),
    ...{ CreateApproval: gated("ValidateBody"), PostMessage: gated("CreateApproval"), CheckPosted: gated("PostMessage") },
    ...{ RecordMessage: gated("CheckPosted"), Respond: gated("RecordMessage") },
  },
});

interface Signing {
  readonly secret?: string;
  readonly time?: string;
  readonly signature?: (digest: string) => string;
}

/** The request that Slack sends for a click; its forms write a blank as `+`. */
function click(
  does: string,
  payload: unknown,
  { secret = SLACK_SIGNING_SECRET, time = seconds, signature = (digest) => digest }: Signing = {},
): Step {
  const text = new URLSearchParams({ payload: typeof payload === "string" ? payload : JSON.stringify(payload) }).toString();
  const digest = `v0=${createHmac("sha256", secret).update(`v0:${seconds}:${text}`).digest("hex")}`;
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    "x-slack-request-timestamp": time,
    "x-slack-signature": signature(digest),
  };
  return { does, method: "POST", path: "/slack/interactions", headers, text };
}

const clicked = (action_id: string, value: string, username = "bob & co") => ({
  ...{ type: "block_actions", user: { username }, response_url: "https://hooks.slack.com/actions/T/1/canary?a=b" },
  actions: [{ action_id, value, type: "button" }],
});
const replaced = (words: string, status: string, by: string): readonly Effect[] => [
  {
    ...{ to: "POST hooks.slack.com/actions/T/1/canary?a=b", headers: { "content-type": "application/json" } },
    body: {
      ...{ replace_original: true, text: `${words} — ${status} by ${by}` },
      blocks: [{ type: "section", text: { type: "mrkdwn", text: `*${words}*\n${status} by ${by}` } }],
    },
  },
];
const known = { ReadHeaders: {}, VerifySignature: passed };
interface Decision {
  readonly action_id: string;
  readonly status: string;
  readonly by?: string;
  readonly pressedBy?: string;
  readonly changed: boolean;
  readonly words?: string;
}
const decided = (
  does: string,
  { action_id, status, by = "bob & co", pressedBy = by, changed, words = title }: Decision,
  id = first,
): Step => {
  const payload = clicked(action_id, id, pressedBy);
  const action = { approval_id: id, action_id, response_url: payload.response_url, slack_user: pressedBy };
  return {
    ...{ ...click(does, payload), effects: replaced(words, status, by) },
    gives: {
      ...{ ...known, ParsePayload: untested({ payload: JSON.stringify(payload), interaction: payload }) },
      ...{ ReadAction: untested({ ...action, decision: action_id === "approve" ? "approved" : "rejected" }), ValidateAction: passed },
      ...{ RecordDecision: untested({ id, title: words, status, decided_by: by, changed }), UpdateMessage: answered("ok") },
      Respond: untested({ approval_id: id, status, changed, updated: true }),
    },
  };
};
const after = (from: string): Readonly<Record<string, unknown>> => {
  const all = ["VerifySignature", "ParsePayload", "ReadAction", "ValidateAction", "RecordDecision", "UpdateMessage", "Respond"];
  return Object.fromEntries(
    all.slice(all.indexOf(from)).map((name, i, list) => [name, gated(list[i - 1] ?? all[all.indexOf(from) - 1] ?? "")]),
  );
};
const forged = (does: string, signing: Signing): Step => ({
  ...{ ...click(does, clicked("approve", first), signing), status: 401 },
  gives: { ReadHeaders: {}, VerifySignature: refused(expect.any(Object), "Invalid Slack signature"), ...after("ParsePayload") },
  holds: undecided,
});
const undecided = { "SELECT status, count(*)::int AS n FROM slack_approvals GROUP BY status": [{ status: "pending", n: 2 }] };
const rejects: readonly UpstreamRule[] = [
  { method: "POST", path: "/api/chat.postMessage", body: { ok: false, error: "channel_not_found" } },
];
const listed = (id: string, words: string, status: string, by: string, at: unknown) => ({
  ...{ id, title: words, requested_by: "alice", status, decided_by: by, decided_at: at, created_at: time },
});

plays(
  {
    ...{ pack: "slack-interactivity", postgres: true, variables: { SLACK_SIGNING_SECRET, SLACK_BOT_TOKEN } },
    services: [
      { method: "POST", path: "/api/chat.postMessage", body: message },
      { method: "POST", path: "/actions/T/1/canary", body: "ok" },
    ],
  },
  [
    {
      ...{ does: "makes its table", method: "POST", path: "/api/seed" },
      gives: { CreateTable: {}, CreateIndexCreated: {}, CreateIndexStatus: {}, Respond: untested({ status: "seeded" }) },
    },
    asked("asks for an approval, quotes and all", first, title),
    {
      ...{
        ...request("answers 502 when Slack says no with 200", { title, channel }),
        effects: posted(second),
        status: 502,
        services: rejects,
      },
      gives: {
        ...{
          ValidateBody: passed,
          CreateApproval: untested({ id: second }),
          PostMessage: answered({ ok: false, error: "channel_not_found" }),
        },
        CheckPosted: refused(
          { status: 200, headers: expect.any(Object), body: { ok: false, error: "channel_not_found" } },
          "Slack rejected the message",
        ),
        ...{ RecordMessage: gated("CheckPosted"), Respond: gated("RecordMessage") },
      },
      holds: {
        "SELECT id, message_ts AS ts FROM slack_approvals ORDER BY id": [
          { id: first, ts: "1700000000.000100" },
          { id: second, ts: "" },
        ],
      },
    },
    unasked("wants a title", { channel }),
    unasked("wants a channel", { title, channel: "" }),
    forged("refuses another secret", { secret: "guess" }),
    forged("refuses another time", { time: `${seconds}1` }),
    forged("refuses a digest without its version", { signature: (digest) => digest.slice(3) }),
    forged("refuses a digest of nothing", { signature: () => "v0=" }),
    decided("approves", { action_id: "approve", status: "approved", changed: true }),
    decided("keeps the first decision when another button is pressed", {
      action_id: "reject",
      status: "approved",
      pressedBy: "eve",
      changed: false,
    }),
    decided(
      "rejects, by whom has a name of SQL",
      { action_id: "reject", status: "rejected", by: "x'); DROP TABLE slack_approvals; --", changed: true },
      second,
    ),
    {
      ...{ ...click("wants a button", { type: "view_submission", user: { username: "bob" } }), status: 400 },
      gives: {
        ...{
          ...known,
          ParsePayload: untested(expect.objectContaining({ interaction: { type: "view_submission", user: { username: "bob" } } })),
        },
        ReadAction: untested({ approval_id: null, action_id: null, response_url: null, slack_user: "bob", decision: "rejected" }),
        ValidateAction: refused(expect.any(Object), "payload did not carry a button action"),
        ...after("RecordDecision"),
      },
    },
    {
      ...{ ...click("fails on an approval that nobody has asked for", clicked("approve", "none")), status: 500 },
      gives: {
        ...{ ...known, ParsePayload: untested(expect.any(Object)), ReadAction: untested(expect.any(Object)), ValidateAction: passed },
        ...{ RecordDecision: { data: null, error: "action failed" }, ...after("UpdateMessage") },
      },
    },
    {
      ...{ ...click("fails on a payload that is no JSON", "{type: [}"), status: 500 },
      gives: { ...known, ParsePayload: { data: null, error: "action failed" }, ...after("ReadAction") },
    },
    {
      ...{ does: "lists, newest first", path: "/slack/approvals/list?limit=10" },
      gives: {
        ReadParams: {},
        ListApprovals: untested(
          [
            listed(second, title, "rejected", "x'); DROP TABLE slack_approvals; --", time),
            listed(first, title, "approved", "bob & co", time),
          ].map((row, i) => ({ ...row, ...(i === 0 ? { requested_by: "" } : {}) })),
        ),
      },
    },
    {
      ...{ does: "refuses a page that is SQL", path: "/slack/approvals/list?limit=1%20OFFSET%20x", status: 500 },
      gives: { ReadParams: {}, ListApprovals: { data: null, error: "action failed" } },
    },
  ],
);
