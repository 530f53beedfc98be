import { expect, test } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { operation, pick } from "./documented.ts";

// The answers that the API document describes are those that the service gives (spec/surfaces 7).

const outcome = { $ref: "#/components/schemas/Outcome" };
const error = { $ref: "#/components/schemas/Error" };

/** The media types of each status with their schemas. */
function answers(interfaces: string): Json {
  const responses = pick(operation(`a: { method: GET, ${interfaces} }`, "/a") ?? null, "responses");
  const mediaOf = (one: Json): Json => {
    const reference = pick(one, "$ref");
    if (reference !== undefined) return { "application/json": error };
    const content = Object.entries((pick(one, "content") ?? {}) as Record<string, Json>);
    return Object.fromEntries(content.map(([type, media]) => [type, pick(media, "schema") ?? null]));
  };
  return Object.fromEntries(Object.entries((responses ?? {}) as Record<string, Json>).map(([code, one]) => [code, mediaOf(one)]));
}

/** An action whose failed tests end the run, or whose success does. */
const ending = (tests: string, end: string): string => `actions: [{ name: A, input: a|params|, assert: { tests: [${tests}] }, ${end} }]`;

const failing = (tests: string, rest = ""): string => `actions: [{ name: A, input: a|params|, assert: { tests: [${tests}] } }]${rest}`;

test.each<[string, string, Json]>([
  [
    "an action that ends the run",
    "actions: [{ name: A, response_on_success: { http_code: 201, body: hello, headers: { content-type: text/html } } }]",
    { "201": { "text/html": {} } },
  ],
  [
    "an action that may end the run",
    "actions: [{ name: A, response_on_success: { body: hello } }, { name: B, json_output: 1 }]",
    { "200": { "application/json": outcome, "text/plain": {} } },
  ],
  [
    "an action that may end the run with JSON",
    "actions: [{ name: A, response_on_success: { body: '{\"z\": 1}' } }, { name: B, json_output: 1 }]",
    { "200": { "application/json": {} } },
  ],
  [
    "an action that ends the run when it fails",
    "actions: [{ name: A, response_on_error: { http_code: 410, body: gone } }]",
    { "200": { "application/json": outcome }, "410": { "text/plain": {} } },
  ],
  [
    "an action that ends the run with a declared answer",
    "produces: { schema: { type: object } }, actions: [{ name: A, response_on_success: { body: '{\"z\": 1}' } }]",
    { "200": { "application/json": { type: "object" } } },
  ],
  [
    "a test with a body",
    failing("{ value: x, is_uuid: true, http_code_on_error: 409, http_response: plain no }"),
    { "200": { "application/json": outcome }, "409": { "text/plain": {} } },
  ],
  [
    "a test with a body, and another without",
    failing(
      "{ value: x, is_uuid: true, http_code_on_error: 409, http_response: plain no }, { value: y, is_uuid: true, http_code_on_error: 409 }",
    ),
    { "200": { "application/json": outcome }, "409": { "application/json": error, "text/plain": {} } },
  ],
  [
    "an action without a body of its own that ends the run when a test with a body fails",
    ending("{ value: x, is_uuid: true, http_code_on_error: 409, http_response: '{\"no\": 1}' }", "response_on_error: { http_code: 410 }"),
    { "200": { "application/json": outcome }, "410": { "application/json": {} } },
  ],
  [
    "an action without a body of its own that ends the run when a test with a text fails",
    ending("{ value: x, is_uuid: true, http_response: no }", "response_on_error: { http_code: 410 }"),
    { "200": { "application/json": outcome }, "410": { "application/json": outcome, "text/plain": {} } },
  ],
  [
    "an action that ends the run with a type of its own when a test with a text fails",
    ending("{ value: x, is_uuid: true, http_response: no }", "response_on_error: { http_code: 410, headers: { content-type: text/csv } }"),
    { "200": { "application/json": outcome }, "410": { "text/csv": {} } },
  ],
  [
    "an action without a body of its own that ends the run behind one whose test may have failed",
    "actions: [{ name: A, input: a|params|, assert: { tests: [{ value: x, is_uuid: true, http_response: no }] } }, { name: B, response_on_success: { http_code: 201 } }]",
    { "201": { "application/json": outcome, "text/plain": {} } },
  ],
  [
    "an action whose success ends the run: its own tests have passed",
    ending("{ value: x, is_uuid: true, http_response: no }", "response_on_success: { http_code: 201 }"),
    { "201": { "application/json": outcome } },
  ],
  [
    "a type that only the run knows",
    "response: { custom_body: a|A|, headers: { Content-Type: a|params::type| } }, actions: [{ name: A, response_on_error: { http_code: 410, body: gone, headers: { content-type: 'a|params::type|' } } }]",
    { "200": { "*/*": {} }, "410": { "*/*": {} } },
  ],
  [
    "a type of which the run knows only a parameter",
    "response: { custom_body: text, headers: { content-type: text/csv; charset=a|params::set| } }, actions: []",
    { "200": { "text/csv": {} } },
  ],
  [
    "a header without a value, which is not sent",
    "response: { custom_body: text, headers: { content-type: null } }, actions: []",
    { "200": { "text/plain": {} } },
  ],
  [
    "a failure with the body of the interface and a type that only the run knows",
    failing(
      "{ value: x, is_uuid: true, http_code_on_error: 409 }",
      ", response: { error_body: no, headers: { content-type: 'a|params::type|' } }",
    ),
    { "200": { "*/*": outcome }, "409": { "*/*": {} } },
  ],
  [
    "a failure with the body of the interface",
    failing("{ value: x, is_uuid: true, http_code_on_error: 409 }", ", response: { custom_body: done }"),
    { "200": { "text/plain": {} }, "409": { "text/plain": {} } },
  ],
  [
    "a denial with a text",
    "network: { rate_limit: { requests: 1 }, on_deny: { status: 451, body: no } }, actions: []",
    { "200": { "application/json": outcome }, "451": { "text/plain": {} } },
  ],
  [
    "a denial with JSON",
    "network: { rate_limit: { requests: 1 }, on_deny: { body: { no: 1 } } }, actions: []",
    { "200": { "application/json": outcome }, "403": { "application/json": {} } },
  ],
  [
    "a status without a body",
    "assert: { http_code_on_success: 204, tests: [{ value: x, is_null: true }] }, actions: [{ name: A, input: a|params| }]",
    { "204": {} },
  ],
  [
    "a write of a version",
    "actions: [{ name: A, state: { set: { key: k, value: 1, expected_version: a|params::v| } } }]",
    { "200": { "application/json": outcome }, "409": { "application/json": error } },
  ],
  ["a write of any version", "actions: [{ name: A, state: { set: { key: k, value: 1 } } }]", { "200": { "application/json": outcome } }],
  [
    "a write of a version whose failure has a status",
    "response: { http_code_on_error: 412 }, actions: [{ name: A, state: { set: { key: k, value: 1, expected_version: 1 } } }]",
    { "200": { "application/json": outcome }, "412": { "application/json": error } },
  ],
  ["silence", failing("{ value: x, is_uuid: true, http_code_on_error: 409 }", ", silence: true"), { "200": {}, "409": {} }],
])("%s", (_, interfaces, expected) => {
  expect(answers(interfaces)).toEqual(expected);
});
