import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import type { Json } from "#runtime/value/json.ts";
import { packFile, packFolder } from "./packs.ts";
import { passed, tested, time, untested } from "./played/calls.ts";
import { plays, type Step } from "./played/play.ts";

// The snippets that READMEs offer for their configs are added as they stand there.

interface Action {
  readonly name: string;
}

/** The actions of the first block of the README that has this line. */
function actionsOf(pack: string, line: string): Action[] {
  const blocks = [...packFile(pack, "README.md").matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
  const found = parse(blocks.find((text) => text.includes(line)) ?? "null");
  return Array.isArray(found) ? found : found.actions;
}

/** The config with other actions in an interface; one that it does not have is new. */
const within =
  (name: string, change: (actions: readonly Action[]) => readonly Action[], more: object = {}) =>
  (text: string): string => {
    const { interfaces, ...config } = parse(text);
    const target = interfaces[name] ?? { output: "http" };
    return stringify({ ...config, ...more, interfaces: { ...interfaces, [name]: { ...target, actions: change(target.actions ?? []) } } });
  };

const post = (does: string, path: string, body: Json, more: Partial<Step> = {}): Step => ({ does, method: "POST", path, body, ...more });
/** The steps of a pack. Without the pack one skipped test stands in their place, because a file without tests fails. */
const given = (pack: string, run: () => void): void => {
  if (packFolder(pack) === undefined) describe.skip(pack, () => test("is played", () => {}));
  else run();
};

given("gdpr-data-export-deletion", () => {
  const pack = "gdpr-data-export-deletion";
  const guard = actionsOf(pack, "- name: ValidateApiKey");
  const edit = within("gdpr/requests", (actions) => [
    ...guard,
    ...actions.map((each) => ({ ...each, run_when_succeeded: ["ValidateApiKey"] })),
  ]);
  const asks = (does: string, key?: string): Step => ({
    ...{ does, path: "/gdpr/requests", status: 403, ...(key === undefined ? {} : { headers: { "x-api-key": key } }) },
    gives: {
      ValidateApiKey: { data: expect.any(Object), errors: [expect.stringMatching(/^x-api-key::is_equal_to: expect/)] },
      ListRequests: { data: null, error: "action 'ValidateApiKey' did not succeed" },
    },
  });
  const schema = () => packFile(pack, "schema.sql");
  plays({ pack, title: `${pack} behind a key`, postgres: true, schema, edit, variables: { GDPR_API_KEY: "canary-gdpr-1" } }, [
    asks("refuses no key"),
    asks("refuses another key", "canary-gdpr-2"),
    asks("refuses an empty key", ""),
    {
      does: "takes the key",
      path: "/gdpr/requests",
      headers: { "x-api-key": "canary-gdpr-1" },
      gives: { ValidateApiKey: passed, ListRequests: untested([]) },
    },
  ]);
  plays({ pack, title: `${pack} behind a key that is not set`, postgres: true, schema, edit }, [
    asks("refuses no key"),
    asks("refuses an empty key", ""),
  ]);
});

given("durable-api-polling", () => {
  const pack = "durable-api-polling";
  const [cursor, fetch, advance] = actionsOf(pack, "- name: Cursor");
  const process = { name: "Process", run_when_succeeded: ["Fetch"], json_output: { max_updated_at: "a|Fetch::[-1].updated_at|" } };
  const seen = actionsOf(pack, "- name: Seen");
  const edit = (text: string): string =>
    within("seen", () => seen)(within("poll", () => [cursor, fetch, process, advance].flatMap((each) => each ?? []))(text));
  const polls = (does: string, items: Json, since: string, got: Json, at: unknown): Step => ({
    ...{
      does,
      path: "/poll",
      services: [{ path: "/orders", body: items }],
      effects: [{ to: `GET shop.example/orders?updated_since=${since}` }],
    },
    gives: {
      ...{ Cursor: untested(got), Fetch: untested(items), Process: untested({ max_updated_at: at }) },
      Advance: untested({ version: expect.any(Number), value: at }),
    },
  });
  const [first, later] = ["2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"];
  const sees = (does: string, id: Json, was_new: boolean): Step => ({
    ...{ does, path: "/seen", body: { id } },
    gives: { Seen: untested({ was_new }) },
  });
  plays({ pack, title: `${pack} by a cursor`, edit, variables: { SOURCE_URL: "https://shop.example/orders" } }, [
    polls("begins where nothing is", [{ updated_at: first }], "", { value: "1970-01-01T00:00:00Z", version: 0, found: false }, first),
    polls(
      "goes on from there",
      [{ updated_at: first }, { updated_at: later }],
      encodeURIComponent(first),
      { value: first, version: 1, found: true },
      later,
    ),
    // A cursor never goes back.
    {
      ...polls(
        "goes back for nobody",
        [{ updated_at: first }],
        encodeURIComponent(later),
        { value: later, version: 2, found: true },
        first,
      ),
      gives: {
        ...{ Cursor: untested({ value: later, version: 2, found: true }), Fetch: untested([{ updated_at: first }]) },
        ...{ Process: untested({ max_updated_at: first }), Advance: untested({ version: 2, value: later }) },
      },
    },
    sees("sees something new", "o-1", true),
    sees("sees it again", "o-1", false),
    sees("sees another", "o-2", true),
  ]);
});

given("stripe-webhooks-db-slack", () => {
  const pack = "stripe-webhooks-db-slack";
  const handle = actionsOf(pack, "- name: HandleCheckoutCompleted");
  const STRIPE_WEBHOOK_SECRET = "whsec_canary_handle";
  const event = (does: string, type: string, object: Json): Step => {
    const text = JSON.stringify({ id: `evt ${does}`, type, data: { object } });
    const digest = createHmac("sha256", STRIPE_WEBHOOK_SECRET).update(`1.${text}`).digest("hex");
    return {
      does,
      method: "POST",
      path: "/stripe/webhook",
      text,
      headers: { "content-type": "application/json", "stripe-signature": `t=1,v1=${digest}` },
    };
  };
  const done = { ParseSignature: passed, VerifySignature: passed, ParseEvent: passed, StoreEvent: {} };
  const orders = "SELECT stripe_session_id AS session, status FROM orders ORDER BY id";
  const row = (session: string, status: string) => ({ session, status });
  plays(
    {
      ...{ pack, title: `${pack} with orders`, postgres: true, variables: { STRIPE_WEBHOOK_SECRET } },
      schema: () =>
        `${packFile(pack, "schema.sql")}
         CREATE TABLE orders (id SERIAL PRIMARY KEY, stripe_session_id TEXT, status TEXT);
         INSERT INTO orders (stripe_session_id, status) VALUES ('cs_1', 'open'), ('cs_2', 'open')`,
      edit: within("stripe/webhook", (actions) => [...actions.filter(({ name }) => name !== "NotifySlack"), ...handle]),
    },
    [
      {
        ...event("marks an order as paid", "checkout.session.completed", { id: "cs_1" }),
        gives: { ...done, HandleCheckoutCompleted: untested([{ id: 1 }]) },
        holds: { [orders]: [row("cs_1", "paid"), row("cs_2", "open")] },
      },
      {
        ...event("leaves it for another event", "invoice.paid", { id: "cs_2" }),
        gives: {
          ...done,
          HandleCheckoutCompleted: {
            data: null,
            errors: ["type::is_equal_to: expected target invoice.paid not equal to checkout.session.completed"],
          },
        },
        holds: { [orders]: [row("cs_1", "paid"), row("cs_2", "open")] },
      },
      {
        ...event("marks none for SQL", "checkout.session.completed", { id: "x' OR '1'='1" }),
        gives: { ...done, HandleCheckoutCompleted: untested([]) },
        holds: { [orders]: [row("cs_1", "paid"), row("cs_2", "open")] },
      },
    ],
  );
});

given("lead-capture", () => {
  const pack = "lead-capture";
  const [CLEARBIT_API_KEY, HUBSPOT_API_KEY] = ["canary-clearbit", "canary-hubspot"];
  const more = [...actionsOf(pack, "- name: EnrichLead"), ...actionsOf(pack, "- name: CreateHubSpotContact")];
  const lead = { email: "x+y@b.c", name: 'A "B"\n', company: null };
  const reply = (status: number, body: Json) => untested({ status, headers: expect.any(Object), body });
  plays(
    {
      ...{ pack, title: `${pack} with enrichment`, postgres: true, variables: { CLEARBIT_API_KEY, HUBSPOT_API_KEY } },
      schema: () => packFile(pack, "schema.sql"),
      edit: within("leads/capture", (actions) => [...actions.filter(({ name }) => !/^(?:NotifySlack|TrackLead)$/.test(name)), ...more]),
      services: [
        { path: "/v2/combined/find", body: { person: null } },
        { method: "POST", path: "/crm/v3/objects/contacts", status: 201, body: { id: "1" } },
      ],
    },
    [
      post("asks one service and tells another", "/leads/capture", lead, {
        together: true,
        effects: [
          { to: "GET person.clearbit.com/v2/combined/find?email=x%2By%40b.c", headers: { authorization: `Bearer ${CLEARBIT_API_KEY}` } },
          {
            ...{ to: "POST api.hubapi.com/crm/v3/objects/contacts", headers: { authorization: `Bearer ${HUBSPOT_API_KEY}` } },
            body: { properties: { email: lead.email, firstname: lead.name, company: "" } },
          },
        ],
        gives: {
          ...{ ValidateBody: passed, StoreLead: untested({ id: 1, ...lead, source: null, created_at: time }) },
          ...{ EnrichLead: reply(200, { person: null }), CreateHubSpotContact: reply(201, { id: "1" }) },
        },
      }),
    ],
  );
});

given("llm-gateway", () => {
  const pack = "llm-gateway";
  const ANTHROPIC_API_KEY = "canary-anthropic";
  const [call] = actionsOf(pack, "anthropic-version");
  const answer: Json = { content: [{ type: "text", text: "Hi." }] };
  const swapped = (each: Action): Action => {
    const { http, ...rest } = each as unknown as { http: object };
    const given = call as unknown as { http: object };
    return { ...rest, name: each.name, http: { ...http, ...given.http } } as Action;
  };
  plays(
    {
      ...{
        pack,
        title: `${pack} with another provider`,
        variables: { ANTHROPIC_API_KEY, LLM_MODEL: "claude", SYSTEM_PROMPT: 'Be "brief"' },
      },
      edit: within("ai/complete", (actions) => actions.map((each) => (each.name === "CallLLM" ? swapped(each) : each))),
      services: [{ method: "POST", path: "/v1/messages", body: answer }],
    },
    [
      post(
        "completes",
        "/ai/complete",
        { message: '"}], "x": [{"' },
        {
          effects: [
            {
              ...{
                to: "POST api.anthropic.com/v1/messages",
                headers: { "x-api-key": ANTHROPIC_API_KEY, "anthropic-version": "2023-06-01" },
              },
              body: { model: "claude", max_tokens: 1024, system: 'Be "brief"', messages: [{ role: "user", content: '"}], "x": [{"' }] },
            },
          ],
          gives: {
            ...{ ValidateBody: passed, CallLLM: tested({ status: 200, headers: expect.any(Object), body: answer }) },
            ...{ ExtractResponse: untested(answer), TrackCompletion: {} },
          },
        },
      ),
    ],
  );
});
