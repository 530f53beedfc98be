import { expect } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { gated, tested, untested } from "./played/calls.ts";
import { plays, refused, type Step } from "./played/play.ts";

// The packs that fetch and reshape: batch-enrich and rss-digest.

const ENRICH_API_KEY = "canary-key-0f1e2d3c";
const contacts: Json = [{ email: "ann@example.com" }, { email: "b&x=1#/../ü", name: "Bea" }, {}];
const asked = (query: string) => ({
  to: `GET api.example.com/enrich?email=${query}`,
  headers: { authorization: `Bearer ${ENRICH_API_KEY}` },
});
const item = (data: unknown, more: object = {}) => ({ data: { EnrichOne: { data, ...more, "time.ms": expect.any(Number) } } });
const enrich = (does: string, body: Json): Pick<Step, "does" | "method" | "path" | "body"> => ({
  does,
  method: "POST",
  path: "/contacts/enrich",
  body,
});
const required = (data: Json) => ({
  ReadBody: refused(data, "contacts array is required"),
  Enrich: gated("ReadBody"),
  Respond: gated("Enrich"),
});

plays({ pack: "batch-enrich", variables: { ENRICH_API_KEY }, services: [{ path: "/enrich", body: { company: "Acme" } }] }, [
  {
    ...enrich("enriches each contact", { contacts }),
    together: true,
    effects: [asked(""), asked("ann%40example.com"), asked("b%26x%3D1%23%2F..%2F%C3%BC")],
    gives: {
      ReadBody: tested({ contacts }),
      Enrich: untested([item({ company: "Acme" }), item({ company: "Acme" }), item({ company: "Acme" })]),
      Respond: untested({ status: "enriched", contacts }),
    },
  },
  {
    ...enrich("says how many failed, and keeps the others", { contacts: contacts.slice(0, 2) }),
    ...{ together: true, status: 500, effects: [asked("ann%40example.com"), asked("b%26x%3D1%23%2F..%2F%C3%BC")] },
    services: [{ path: "/enrich?email=ann%40example.com", status: 404, body: { error: "unknown" } }],
    gives: {
      ReadBody: tested({ contacts: contacts.slice(0, 2) }),
      Enrich: {
        data: [
          item(
            { status: 404, headers: expect.any(Object), body: { error: "unknown" } },
            { error: "http status 404 is not in expect_status (2xx, 304); to accept it set expect_status: [2xx, 404]" },
          ),
          item({ company: "Acme" }),
        ],
        error: "1 of 2 items failed",
      },
      Respond: gated("Enrich"),
    },
  },
  { ...enrich("refuses an empty list", { contacts: [] }), status: 400, gives: required({ contacts: [] }) },
  { ...enrich("refuses none", {}), status: 400, gives: required({}) },
  { ...enrich("refuses a body that is a text", "contacts"), status: 400, gives: required("contacts") },
  {
    ...enrich("refuses what is no list", { contacts: { email: "x" } }),
    status: 500,
    gives: {
      ReadBody: tested({ contacts: { email: "x" } }),
      Enrich: { data: null, error: "lookup expects an array, got object" },
      Respond: gated("Enrich"),
    },
  },
  {
    ...enrich("does not read broken JSON", null),
    text: '{"contacts":[',
    headers: { "content-type": "application/json" },
    status: 400,
    answers: { error: "invalid_json" },
  },
]);

const feed = (items: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>News</title>${items}</channel></rss>`;
const news = (n: number, extra = ""): string =>
  `<item><title>News &amp; ${n}</title><link>https://news.example/${n}?a=1&amp;b=2</link>${extra}</item>`;
const latest = (does: string, body: string, data: unknown): Step => ({
  ...{ does, path: "/feed/latest", services: [{ path: "/rss", headers: { "content-type": "application/rss+xml" }, body }] },
  effects: [{ to: "GET news.example/rss?n=5" }],
  gives: { FetchFeed: untested(data) },
});
const latin = `<?xml version="1.0" encoding="ISO-8859-1"?><rss><channel><item><title>Café</title></item><item><title>ü</title></item></channel></rss>`;
const read = (n: number, extra: object = {}) => ({ title: `News & ${n}`, link: `https://news.example/${n}?a=1&b=2`, ...extra });
const broken = (does: string, body: string, error = "action failed"): Step => ({
  ...latest(does, body, null),
  ...{ status: 500, gives: { FetchFeed: { data: null, error } } },
});

plays({ pack: "rss-digest", variables: { RSS_FEED_URL: "https://news.example/rss?n=5" } }, [
  latest("lists the items", feed(news(1) + news(2)), [read(1), read(2)]),
  latest("keeps markup and markers as text", feed(news(1, "<description><![CDATA[<b>a|env::PATH|</b>]]></description>") + news(2)), [
    read(1, { description: "<b>a|env::PATH|</b>" }),
    read(2),
  ]),
  latest("gives one item as it is", feed(news(1)), read(1)),
  {
    ...latest("reads the encoding of the feed", "", [{ title: "Café" }, { title: "ü" }]),
    services: [{ path: "/rss", base64: Buffer.from(latin, "latin1").toString("base64") }],
  },
  broken("fails on a feed without items", feed("")),
  broken("fails on another document", "<html><body>moved</body></html>"),
  broken("fails on what is no XML", "<rss><channel>", "http response: invalid XML: line 1: <channel> is not closed"),
  broken(
    "expands no entities",
    `<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss><channel><item>&x;</item></channel></rss>`,
    "http response: invalid XML: entity declarations are not allowed",
  ),
  {
    ...{ does: "passes on that the feed is gone", path: "/feed/latest", status: 500, effects: [{ to: "GET news.example/rss?n=5" }] },
    services: [{ path: "/rss", status: 410 }],
    gives: {
      FetchFeed: {
        data: { status: 410, headers: expect.any(Object), body: null },
        error: "http status 410 is not in expect_status (2xx, 304); to accept it set expect_status: [2xx, 410]",
      },
    },
  },
]);
