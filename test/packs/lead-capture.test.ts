import { expect } from "vitest";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { gated, passed, tested, time, untested } from "./played/calls.ts";
import { anyOrder, failing, plays, refused, type Step } from "./played/play.ts";

// The calls of the README of lead-capture.

const jane = {
  ...{ email: "founder@startup.com", name: "Jane Smith", company: "Startup Inc", source: "landing_page" },
  message: "Interested in the enterprise plan",
};
const hostile = { email: "x'--@a.b", name: '*"}, {"x": "', company: "a\nb\\", source: "<!channel>", message: "'); DROP TABLE leads; --" };
const capture = (does: string, body: Json): Pick<Step, "does" | "method" | "path" | "body"> => ({
  does,
  method: "POST",
  path: "/leads/capture",
  body,
});
const field = (title: string, value: string, short: boolean) => ({ title, value, short });
const told = ({
  email,
  name = "",
  company = "",
  source = "",
  message = "",
}: Readonly<Record<string, string>>): NonNullable<Step["effects"]> => [
  {
    ...{ to: "POST hooks.slack.com/services/T/B/x", headers: { "content-type": "application/json" } },
    body: {
      text: `🎯 New lead: *${name}* (${email})`,
      attachments: [
        { color: "#2196F3", fields: [field("Company", company, true), field("Source", source, true), field("Message", message, false)] },
      ],
    },
  },
];
const stored = (id: number, { email, name = null, company = null, source = null }: JsonObject) => ({
  id,
  email,
  name,
  company,
  source,
  created_at: time,
});
const slack = (status: number, body: string) => ({ status, headers: expect.any(Object), body });
const captured = (does: string, id: number, lead: Readonly<Record<string, string>>): Step => ({
  ...{ ...capture(does, lead), effects: told(lead) },
  gives: { ValidateBody: passed, StoreLead: untested(stored(id, lead)), NotifySlack: untested(slack(200, "ok")), TrackLead: {} },
});
const noEmail = (does: string, body: Json, ...errors: readonly string[]): Step => ({
  ...{ ...capture(does, body), status: 400 },
  gives: {
    ValidateBody: failing(body, ...errors),
    StoreLead: gated("ValidateBody"),
    NotifySlack: gated("StoreLead"),
    TrackLead: gated("StoreLead"),
  },
});
const gets = (does: string, id: Json, status: number, entry: unknown): Step => ({
  ...{ does, method: "POST", path: "/leads/get", body: { id }, status },
  gives: { ValidateBody: passed, GetLead: entry },
});
const pattern = "^[^@]+@[^@]+\\.[^@]+$";
const failed = { data: null, error: "action failed" };

plays(
  {
    ...{ pack: "lead-capture", postgres: true, variables: { SLACK_WEBHOOK_URL: "https://hooks.slack.com/services/T/B/x" } },
    services: [{ method: "POST", path: "/services/T/B/x", body: "ok" }],
  },
  [
    {
      ...{ does: "seeds", method: "POST", path: "/leads/seed" },
      gives: { CreateLeadsTable: {}, CreateIndexes: {}, TruncateLeads: {}, InsertLeads: {}, SeedSummary: untested({ leads_inserted: 8 }) },
    },
    captured("captures", 9, jane),
    captured("captures only an e-mail", 10, { email: "a@b.c" }),
    captured("captures hostile text as text", 11, hostile),
    noEmail(
      "wants an e-mail",
      { name: "x" },
      "email::is_not_null: expected to not be null",
      "email::is_not_empty: expected to not be empty",
      `email::regex: expected target null not matching ${pattern}`,
    ),
    noEmail("wants a whole one", { email: "a@b" }, `email::regex: expected target a@b not matching ${pattern}`),
    noEmail("wants one", { email: ["a@b.c"] }, `email::regex: expected target ["a@b.c"] not matching ${pattern}`),
    {
      // Two actions follow the stored lead; the last of them decides (spec/language 7.3).
      ...{
        ...capture("keeps the lead when Slack is down", jane),
        effects: told(jane),
        services: [{ method: "POST", path: "/services/T/B/x", status: 500, body: "down" }],
      },
      gives: {
        ...{ ValidateBody: passed, StoreLead: untested(stored(12, jane)) },
        NotifySlack: refused(
          slack(500, "down"),
          "http status 500 is not in expect_status (2xx, 304); to accept it set expect_status: [2xx, 500]",
        ),
        TrackLead: {},
      },
    },
    gets("gets one", 9, 200, tested({ ...stored(9, jane), message: jane.message, properties: null })),
    gets("gets one by a text", "11", 200, tested({ ...stored(11, hostile), message: hostile.message, properties: null })),
    gets("gets none", 99, 404, refused([], "Lead not found")),
    gets("fails on SQL", "1 OR 1=1", 500, failed),
    gets("fails on an object", { $gt: 0 }, 500, failed),
    gets("fails on half a lead", 1.5, 500, failed),
    {
      ...{ does: "wants to know which", method: "POST", path: "/leads/get", body: {}, status: 400 },
      gives: { ValidateBody: failing({}, "id::is_not_null: expected to not be null"), GetLead: gated("ValidateBody") },
    },
    {
      ...{ does: "lists", path: "/leads" },
      gives: {
        ListLeads: untested(
          expect.arrayContaining([
            { ...stored(9, jane), message: jane.message },
            { ...stored(11, hostile), message: hostile.message },
          ]),
        ),
      },
    },
    {
      ...{ does: "counts by source", path: "/leads/summary" },
      gives: {
        SummaryBySource: untested(
          anyOrder(
            ...[
              ["landing_page", 4],
              ["product_hunt", 2],
              ["referral", 2],
              ["webinar", 1],
              ["google_ads", 1],
              [null, 1],
              ["<!channel>", 1],
            ].map(([source, count]) => ({ source, count })),
          ),
        ),
      },
    },
  ],
);
