import { createHmac } from "node:crypto";
import { expect } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { gated, passed, tested, untested } from "./played/calls.ts";
import { type Effect, failing, plays, refused, type Step } from "./played/play.ts";

// The events of the README of github-webhooks-discord, signed as GitHub signs them. The README sends some without a signature, which its
// config refuses.

const GITHUB_WEBHOOK_SECRET = "canary-gh-9d8c7b";
const DISCORD_WEBHOOK_URL = "https://discord.com/api/webhooks/123/canary-path";

const sign = (text: string, secret = GITHUB_WEBHOOK_SECRET, algorithm = "sha256"): string =>
  `${algorithm}=${createHmac(algorithm, secret).update(text).digest("hex")}`;
const event = (
  does: string,
  path: string,
  name: string,
  body: Json,
  signature?: string,
): Pick<Step, "does" | "method" | "path" | "headers" | "text"> => {
  const text = JSON.stringify(body);
  const headers = {
    "content-type": "application/json",
    "x-github-event": name,
    "x-github-delivery": "d-1",
    "x-hub-signature-256": signature ?? sign(text),
  };
  return { does, method: "POST", path: `/github/${path}`, headers, text };
};
const posted = (embed: Json): readonly Effect[] => [
  { to: "POST discord.com/api/webhooks/123/canary-path", headers: { "content-type": "application/json" }, body: { embeds: [embed] } },
];
/** Discord answers 204 and nothing else. */
const taken = untested({ status: 204, headers: expect.any(Object), body: null });

const push = { ref: "refs/heads/main", compare: "https://github.com/org/repo/compare/a...b", pusher: { name: "octocat" } };
const pull = {
  action: "opened",
  number: 42,
  pull_request: { number: 42, title: 'Fix "it"\n`x`', html_url: "https://github.com/org/repo/pull/42" },
};
const issue = {
  action: "opened",
  issue: { number: 7, title: '"}],"content":"@everyone', html_url: "https://github.com/org/repo/issues/7" },
};
const debug = {
  action: "created",
  repository: { full_name: "org/repo", html_url: "https://github.com/org/repo" },
  sender: { login: "octocat" },
};

const checked = { VerifySignature: passed, CheckEventType: passed };
const forged = (does: string, signature: string): Step => {
  const step = event(does, "push", "push", push, signature);
  const { "content-type": type, ...others } = step.headers ?? {};
  const data = expect.objectContaining({ ...others, "content-type": type });
  return {
    ...{ ...step, status: 401 },
    gives: {
      VerifySignature: refused(data, "Invalid webhook signature"),
      ...{ CheckEventType: gated("VerifySignature"), ParsePush: gated("CheckEventType"), NotifyDiscord: gated("ParsePush") },
    },
  };
};
const unsigned: Step = {
  ...{ does: "refuses what is not signed, as the README sends it", method: "POST", path: "/github/push", body: push, status: 401 },
  gives: {
    VerifySignature: refused(expect.not.objectContaining({ "x-hub-signature-256": expect.anything() }), "Invalid webhook signature"),
    ...{ CheckEventType: gated("VerifySignature"), ParsePush: gated("CheckEventType"), NotifyDiscord: gated("ParsePush") },
  },
};

plays(
  {
    pack: "github-webhooks-discord",
    variables: { GITHUB_WEBHOOK_SECRET, DISCORD_WEBHOOK_URL },
    services: [{ method: "POST", path: "/api/webhooks/123/canary-path", status: 204 }],
  },
  [
    {
      ...event("tells of a push", "push", "push", push),
      effects: posted({ title: "🚀 New push", description: "Branch: `refs/heads/main`", url: push.compare, color: 3066993 }),
      gives: { ...checked, ParsePush: tested(push), NotifyDiscord: taken },
    },
    {
      ...event("tells of a pull request, quotes and all", "pull-request", "pull_request", pull),
      effects: posted({ title: "🔀 PR #42 opened", description: 'Fix "it"\n`x`', url: pull.pull_request.html_url, color: 15844367 }),
      gives: { ...checked, ParsePR: tested(pull), NotifyDiscord: taken },
    },
    {
      ...event("tells of an issue that would be JSON", "issues", "issues", issue),
      effects: posted({ title: "🐛 Issue #7 opened", description: issue.issue.title, url: issue.issue.html_url, color: 15158332 }),
      gives: { ...checked, ParseIssue: tested(issue), NotifyDiscord: taken },
    },
    {
      ...event("shows what else comes", "debug", "issue_comment", debug),
      effects: posted({
        title: "🔍 [debug] issue_comment — created",
        description: "**Repo:** org/repo\n**Sender:** octocat\n**Delivery:** `d-1`\n**Issue:** \n**PR:** \n**Ref:** \n**Comment:** ",
        ...{ url: "https://github.com/org/repo", color: 7506394 },
      }),
      gives: { VerifySignature: passed, ShowHeaders: {}, ShowBody: {}, NotifyDiscord: taken },
    },
    {
      ...event("answers 200 to a ping, and tells nobody", "push", "ping", { zen: "Keep it simple", hook_id: 1 }),
      gives: {
        VerifySignature: passed,
        CheckEventType: failing(
          expect.objectContaining({ "x-github-event": "ping" }),
          "x-github-event::is_equal_to: expected target ping not equal to push",
        ),
      },
    },
    {
      ...{ ...event("fails on a push without a branch", "push", "push", { compare: "x" }), status: 500 },
      gives: {
        ...checked,
        ParsePush: failing({ compare: "x" }, "ref::is_not_null: expected to not be null"),
        NotifyDiscord: gated("ParsePush"),
      },
    },
    {
      // The README sends a pull request without `pull_request`, which its config wants.
      ...{
        ...event("fails on the pull request of the README", "pull-request", "pull_request", { action: "opened", number: 42 }),
        status: 500,
      },
      gives: {
        ...checked,
        ParsePR: failing({ action: "opened", number: 42 }, "pull_request.number::is_not_null: expected to not be null"),
        NotifyDiscord: gated("ParsePR"),
      },
    },
    {
      ...{ ...event("fails when Discord does", "push", "push", push), status: 500 },
      services: [{ method: "POST", path: "/api/webhooks/123/canary-path", status: 404, body: { code: 10015 } }],
      effects: posted({ title: "🚀 New push", description: "Branch: `refs/heads/main`", url: push.compare, color: 3066993 }),
      gives: {
        ...{ ...checked, ParsePush: tested(push) },
        NotifyDiscord: refused(
          { status: 404, headers: expect.any(Object), body: { code: 10015 } },
          "http status 404 is not in expect_status (2xx, 304); to accept it set expect_status: [2xx, 404]",
        ),
      },
    },
    unsigned,
    forged("refuses another secret", sign(JSON.stringify(push), "guess")),
    forged("refuses another body", sign(JSON.stringify({ ...push, ref: "refs/heads/x" }))),
    forged("refuses the same body in other bytes", sign(JSON.stringify(push, null, 1))),
    forged("refuses another algorithm", sign(JSON.stringify(push), GITHUB_WEBHOOK_SECRET, "sha1")),
    forged("refuses a digest without its prefix", sign(JSON.stringify(push)).slice(7)),
    forged("refuses half a digest", sign(JSON.stringify(push)).slice(0, 39)),
    forged("refuses no digest", "sha256="),
    forged("refuses a long one", `sha256=${"a".repeat(4000)}`),
    {
      ...{
        ...event("reads the body of a good signature only as JSON", "push", "push", push),
        text: "{",
        status: 400,
        answers: { error: "invalid_json" },
      },
    },
  ],
);
