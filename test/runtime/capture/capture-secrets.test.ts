import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { longestText } from "#runtime/capture/bounded.ts";
import { ask, compiled, process, recorded } from "../../harness/captured.ts";
import { stub } from "../../harness/sockets.ts";
import { both, newStore, removeStore, store } from "./capture-store.ts";

// Secrets, which a record must not hold (spec/language 7.8, spec/surfaces 16).

beforeEach(newStore);
afterEach(removeStore);

describe("data that an action hides", () => {
  const hidden = (option: string): string => `
name: hidden
interfaces:
  t:
    output: cli
    capture: all
    actions:
      - name: A
        ${option}: true
        input: a|body|
        post_transforms: [{ keep_attributes: [n] }]
      - name: B
        ${option}: true
        input: a|body|
        assert: { tests: [{ value: never, is_not_null: true }] }
`;

  test.each([
    [
      "hide_action",
      [
        ["name", "status", "ms"],
        ["name", "status", "ms", "at", "errors"],
      ],
    ],
    [
      "hide_data_on_success",
      [
        ["name", "status", "ms"],
        ["name", "status", "ms", "at", "data", "errors"],
      ],
    ],
    [
      "hide_data_on_error",
      [
        ["name", "status", "ms", "data"],
        ["name", "status", "ms", "at", "errors"],
      ],
    ],
    [
      "hide_errors",
      [
        ["name", "status", "ms", "input", "data"],
        ["name", "status", "ms", "at", "data", "errors"],
      ],
    ],
  ])("%s", async (option, keys) => {
    const config = await compiled(hidden(option));
    await process({ env: store.env }, async (host) => void (await ask(host, config, "t", { body: { n: 1, m: 2 } })));
    const [run] = await recorded(store.env);
    expect(run?.actions.map((action) => Object.keys(action))).toEqual(keys);
  });
});

test("a failed test of what nobody should read does not quote it", async () => {
  const made = await compiled(`
name: quotes
interfaces:
  t:
    output: cli
    capture: errors
    params: { api_token: { validate: { regex: "^x+$" } } }
    actions:
      - name: A
        input: a|body|
        assert: { tests: [{ value: login.password, regex: "^x+$" }, { value: a|body::login.password|, is_equal_to: x }, { value: name, is_equal_to: x }] }
`);
  const body = { login: { password: "hunter2" }, name: "Ada" };
  await process({ env: store.env }, async (host) => {
    await ask(host, made, "t", { body, params: { api_token: "hunter2" } });
    await ask(host, made, "t", { body, params: { api_token: "x" } });
  });
  const [second, first] = await recorded(store.env);
  expect(first?.errors).toEqual(["api_token::regex: ***"]);
  expect(second?.actions[0]?.errors).toEqual([
    "login.password::regex: ***",
    "a|body::login.password|::is_equal_to: ***",
    expect.stringContaining("Ada"),
  ]);
  expect(JSON.stringify([first, second])).not.toContain("hunter2");
});

test.each(both)("a value under the name of a secret is hidden under every other name, too (%s)", async (_, interpret) => {
  const service = await stub((response, request) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ url: request.url, token: "srv-token-123", plain: "see srv-token-123" })),
  );
  const made = await compiled(
    `
name: echoes
interfaces:
  t:
    method: POST
    capture: all
    actions:
      - { name: Order, input: a|body|, post_transforms: [{ add_attribute: { copy: a|params::my_token| } }] }
      - { name: Call, http: { url: "a|env::UPSTREAM|/echo?x=a|body::card_token|" } }
      - { name: Compared, input: a|body|, assert: { tests: [{ value: note, is_equal_to: x }] } }
`,
    { interpret },
  );
  const body = { sku: "A-1", card_token: "4111222233334444", note: "card 4111222233334444", nested: { apiKey: "k1234567" } };
  await process({ env: { ...store.env, UPSTREAM: service.url } }, async (host) => {
    await ask(host, made, "t", { trigger: "http", method: "POST", params: { my_token: "tok-7654321" }, body });
  });
  await service.close();
  const [run] = await recorded(store.env);
  expect(run?.actions[0]).toMatchObject({ data: { sku: "A-1", note: "card ***", copy: "***" } });
  expect(run?.actions[1]).toMatchObject({ data: { body: { url: "/echo?x=***", plain: "see ***" } } });
  expect(JSON.stringify(run)).not.toMatch(/4111222233334444|srv-token-123|tok-7654321|k1234567/);
});

test("a secret in JSON that a caller sends as a text is hidden in the text, too", async () => {
  const made = await compiled(`
name: texts
interfaces:
  t: { method: POST, capture: all, actions: [{ name: A, json_output: { copy: "a|body|" } }] }
`);
  await process({ env: store.env }, async (host) => {
    const headers = { "content-type": "text/plain" };
    await ask(host, made, "t", { trigger: "http", method: "POST", headers, body: '{"Token": "sns-token-55", "n": 1}' });
  });
  const [run] = await recorded(store.env);
  expect(run?.request.body).toBe('{"Token": "***", "n": 1}');
  expect(JSON.stringify(run)).not.toContain("sns-token-55");
});

test.each(both)("credentials in headers are hidden where a pipeline has found them (%s)", async (_, interpret) => {
  const made = await compiled(
    `
name: credentials
interfaces:
  t:
    method: POST
    capture: all
    actions:
      - { name: Proof, input: a|headers|, assert: { tests: [{ value: authorization, is_authorization: true }] } }
      - { name: Regex, json_output: { all: "a|headers::authorization|" }, post_transforms: [{ extract_with_regex: { value: all, expr: "^[A-Za-z]+ (.*)$", keys: [found] } }] }
      - { name: Found, json_output: { Bearer: "a|body::other|", jar: "a|headers::cookie|" } }
`,
    { interpret },
  );
  const bearer = "eyJhbGciOi-42_x.abcdef";
  const basic = Buffer.from("ada:correct horse").toString("base64");
  await process({ env: store.env }, async (host) => {
    const headers = { authorization: `Bearer ${bearer}`, cookie: `sid=s3ss10n-1; other="quoted%20one"` };
    const body = { other: "another-bearer", note: `see ${bearer} and s3ss10n-1, quoted one` };
    await ask(host, made, "t", { trigger: "http", method: "POST", headers, body });
    await ask(host, made, "t", {
      ...{ trigger: "http", method: "POST", headers: { authorization: `basic ${basic}` } },
      body: { note: `${basic} correct horse` },
    });
  });
  const runs = await recorded(store.env);
  expect(runs.map(({ request }) => request.body)).toEqual([{ note: "*** ***" }, { other: "another-bearer", note: "see *** and ***, ***" }]);
  expect(runs[1]?.actions[2]?.data).toMatchObject({ Bearer: "***" });
  expect(JSON.stringify(runs)).not.toMatch(/eyJhbGci|s3ss10n|quoted one|correct horse/);
});

test.each(both)("texts of XML under the names of secrets are hidden in the text, too (%s)", async (_, interpret) => {
  const service = await stub((response) =>
    response
      .writeHead(200, { "content-type": "application/soap+xml; charset=utf-8" })
      .end("<r><sessionToken>answered-77</sessionToken></r>"),
  );
  const made = await compiled(
    `
name: xml
interfaces:
  t:
    method: POST
    capture: all
    actions:
      - { name: Read, input: a|body|, post_transforms: [{ parse_xml: { json_path: $ } }] }
      - { name: Call, http: { url: "a|env::UPSTREAM|/" } }
`,
    { interpret },
  );
  const body = `<login id="ada-lovelace"><password>p&amp;ss-w0rd</password><token t="attr-token"><part>inner-token</part></token></login>`;
  await process({ env: { ...store.env, UPSTREAM: service.url } }, async (host) => {
    for (const text of [body, `${body}<`]) {
      const headers = { "content-type": "text/xml" };
      await ask(host, made, "t", { trigger: "http", method: "POST", headers, body: text });
    }
  });
  await service.close();
  const text = JSON.stringify(await recorded(store.env));
  expect(text).toContain("ada-lovelace");
  expect(text).not.toMatch(/attr-token|inner-token|answered-77|ss-w0rd/);
});

describe("secrets", () => {
  const canary = 'canary/5f2 "é"+x';
  const upstream = "canary-of-upstream-88c1";
  const config = `
name: canaries
global:
  secrets:
    own: { kind: local, data: a|env::CANARY| }
interfaces:
  t:
    method: POST
    capture: all
    show_error_detail: true
    actions:
      - { name: Knows, json_output: { sent: "a|secret::own|", n: 1 }, post_transforms: [{ keep_attributes: [n] }] }
      - { name: Asks, http: { url: "a|env::UPSTREAM|/", headers: { x-a: "a|secret::own->url_encode|" } } }
      - { name: Fails, http: { url: "http://127.0.0.1:1/a|secret::own|" } }
      - { name: Compared, json_output: x, assert: { tests: [{ value: a|secret::own|, is_equal_to: a|body::text| }] } }
      - { name: Echo, input: a|body|, post_transforms: [{ add_attribute: { more: a|body::text| } }] }
`;

  test.each(both)(
    "in bodies, headers, answers of upstreams and errors are never stored, however they are written (%s)",
    async (_, interpret) => {
      const forms = {
        text: `x ${canary} y`,
        url: encodeURIComponent(canary),
        base64: Buffer.from(`user:${canary}`).toString("base64"),
        hex: Buffer.from(canary).toString("hex"),
        json: JSON.stringify({ canary }),
        [canary]: 1,
        // Across the place where a text is cut.
        long: "y".repeat(longestText - 5) + canary,
        shrinking: canary.repeat(1000),
      };
      const service = await stub((response) =>
        response
          .writeHead(200, { "content-type": "application/json", "x-leak": encodeURIComponent(canary) })
          .end(JSON.stringify({ ...forms, list: [{ access_token: upstream }, { cookie: upstream }], nested: { Authorization: upstream } })),
      );
      const made = await compiled(config, { interpret });
      await process({ env: { ...store.env, CANARY: canary, UPSTREAM: service.url } }, async (host) => {
        const headers = { "x-own": canary, "user-agent": forms.base64, accept: forms.url, "x-api-key": upstream, cookie: `a=${upstream}` };
        await ask(host, made, "t", { trigger: "http", method: "POST", headers, params: { q: forms.url, api_key: upstream }, body: forms });
      });
      await service.close();
      const [run] = await recorded(store.env);
      expect(run?.actions.map(({ status }) => status)).toEqual(["succeeded", "succeeded", "failed", "failed", "succeeded"]);
      const files = readdirSync(store.folder).map((name) => readFileSync(join(store.folder, name), "utf8"));
      expect(files.join("")).toContain("***");
      for (const [name, form] of Object.entries({ ...forms, canary, upstream })) {
        if (name === "long" || name === "shrinking" || typeof form !== "string") continue;
        expect(files.filter((text) => text.includes(form) || text.includes(JSON.stringify(form).slice(1, -1))).length, name).toBe(0);
      }
      // Not half of it, either: what the cut of a text has left, and what it looks like in Base64.
      for (const part of [canary.slice(0, 9), Buffer.from(canary).toString("base64").slice(0, 16)])
        expect(files.filter((text) => text.includes(JSON.stringify(part).slice(1, -1))).length, part).toBe(0);
    },
  );
});
