import { existsSync } from "node:fs";
import fc from "fast-check";
import { matchers, transforms } from "#generated/features.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { casesOf, type Kind, loadFeature } from "../feature-cases.ts";
import { caseInterface } from "../feature-config.ts";
import { refusals } from "../feature-paths.ts";
import { fixtureFile } from "../folders.ts";
import { marked } from "../marked.ts";
import { looseText, marker, path, type Reads, value } from "./markers.ts";

// Random configs that compile, with every part of the language that needs no service. They need not make sense.

/** One use of a feature, as a config writes it: taken from its cases, so that a new feature is drawn as soon as it has some. */
type Use = readonly [feature: string, args: Json];

/** The parts from which a configuration is drawn. */
export interface Palette {
  readonly transforms: readonly Use[];
  readonly matchers: readonly Use[];
}

/** Uses that `check` accepts, of features that are quick and need nothing from outside. */
export async function palette(): Promise<Palette> {
  return { transforms: await usesOf("transforms", Object.keys(transforms)), matchers: await usesOf("matchers", Object.keys(matchers)) };
}

async function usesOf(kind: Kind, features: readonly string[]): Promise<readonly Use[]> {
  // Features without cases are left out here; the tests of features report them.
  const known = features.filter((feature) => existsSync(fixtureFile(kind, feature, "cases.yaml")));
  const uses = await Promise.all(known.map((feature) => usesOfFeature(kind, feature)));
  return uses.flat();
}

/** Arguments that need no marker and that `check` accepts. */
async function usesOfFeature(kind: Kind, name: string): Promise<readonly Use[]> {
  const { effect = "pure", async, schema } = await loadFeature(kind, name);
  if (effect !== "pure" || async) return [];
  const forms = casesOf(kind, name).map((one, i) => ({ one, form: caseInterface({ kind, name, schema }, one, i, "needed") }));
  const refused = refusals(forms.map(({ form }) => form));
  const accepted = forms.filter(({ form }) => form.leaves.length === 0 && !refused.has(form.name));
  return accepted.map(({ one }): Use => [name, marked(one.args, schema, "", "needed").value]);
}

/** Names of actions; some are also identifiers of printed modules. */
const names = ["First", "x-y", "data", "act", "check", "Last"] as const;

/** A config with one interface, `run`. */
export function randomConfig(from: Palette): fc.Arbitrary<JsonObject> {
  return fc.integer({ min: 1, max: names.length }).chain((length) => {
    const declared = names.slice(0, length);
    const actions = fc.tuple(...declared.map((name, i) => action(name, { actions: declared.slice(0, i) }, from)));
    return fc.tuple(actions, interfaceParts({ actions: declared }, from)).map(([list, rest]) => ({
      name: "random",
      global: {
        variables: { V: "a|env::E|", L: { max: 5, list: ["x", "a|var::V|"] } },
        databases: { main: { driver: "sqlite", conn_string: "sqlite::memory:" } },
      },
      interfaces: { run: { method: "POST", ...rest, actions: list } },
    }));
  });
}

function interfaceParts(reads: Reads, from: Palette): fc.Arbitrary<JsonObject> {
  const code = fc.constantFrom(200, 404, 418, 503);
  const response = fc.record(
    {
      custom_body: bodyText(reads),
      headers: fc.record({ "x-a": marker(reads), "content-type": fc.constant("text/x") }, { requiredKeys: [] }),
      http_code_on_error: code,
      http_code_fallback: code,
      http_code_fallback_strategy: fc.constantFrom("last_action", "last_action_with_error", "any_action"),
      http_code_inherit_error: fc.subarray([...reads.actions]),
    },
    { requiredKeys: [] },
  );
  return fc.record({ response, assert: assertion(reads, from), show_error_detail: fc.boolean(), silence: rarely }, { requiredKeys: [] });
}

const rarely = fc.integer({ min: 0, max: 9 }).map((n) => n === 0);

function action(name: string, reads: Reads, from: Palette): fc.Arbitrary<JsonObject> {
  const self = { actions: [...reads.actions, name] };
  const policy = fc.record(
    {
      assert: assertion(self, from),
      post_transforms: fc.array(transform(from), { minLength: 1, maxLength: 3 }),
      ...Object.fromEntries(hides.map((flag) => [flag, rarely])),
      ...Object.fromEntries(moments.map((moment) => [moment, fc.array(logLine(self), { minLength: 1, maxLength: 2 })])),
      retry: fc.record({ attempts: fc.constant(2), delay: fc.constant(2), jitter: fc.constant("none") }),
      response_on_success: shortReply(self),
      response_on_error: shortReply(self),
    },
    { requiredKeys: [] },
  );
  return fc.tuple(source(reads, from), gates(reads, from), policy).map(([data, gate, rest]) => ({ name, ...data, ...gate, ...rest }));
}

const hides = ["hide_action", "hide_data_on_success", "hide_data_on_error", "hide_data_on_empty", "hide_errors"] as const;
const moments = ["pre_log", "success_log", "post_log", "error_log", "retry_log"] as const;

const logLine = (reads: Reads): fc.Arbitrary<JsonObject> =>
  fc.record({ level: fc.constantFrom("debug", "info", "warning", "error"), msg: looseText(reads) });

/** Text of a body that never begins like JSON, because `check` would then require valid JSON. */
const bodyText = (reads: Reads): fc.Arbitrary<string> => looseText(reads).map((text) => (/^\s*[[{]/.test(text) ? `text ${text}` : text));

/** The part of an action that gives its data. All delays are equal, so that actions end in the order in which they began, on every path. */
function source(reads: Reads, from: Palette): fc.Arbitrary<JsonObject> {
  return fc.oneof(
    fc.record({ input: marker(reads) }),
    fc.record({ input: marker(reads), input_fallbacks: fc.array(marker(reads), { minLength: 1, maxLength: 2 }) }),
    fc.record({ json_output: value(reads) }),
    fc.record({ json_output: marker(reads).map((inside) => `{"value": ${inside}, "text": "<${inside}>"}`) }),
    fc.constant({ delay: 2 }),
    fc.constant({}),
    fc.tuple(marker(reads), marker(reads)).map(([bare, bound]) => ({
      database: "main",
      query: `SELECT ${bare} AS bare, ? AS bound, '${bare}' AS quoted`,
      params: [bound],
    })),
    call(reads),
    stateOperation(reads),
    lookup(reads, from),
  );
}

/** A call of an upstream. The path holds the status of the answer, which mostly is 200. */
function call(reads: Reads): fc.Arbitrary<JsonObject> {
  const status = fc.oneof({ weight: 3, arbitrary: fc.constant(200) }, fc.constantFrom(201, 204, 302, 404, 429, 503));
  const request = fc.record(
    {
      url: fc.tuple(status, looseText(reads)).map(([code, text]) => `http://upstream/${code}/${text.replaceAll("\n", "")}`),
      method: fc.constantFrom("POST", "PUT", "delete"),
      headers: fc.record({ "x-a": marker(reads), "X-B": looseText(reads) }, { requiredKeys: [] }),
      body: fc.oneof(value(reads), marker(reads)),
      bearer_auth: marker(reads),
      expect_status: fc.constantFrom<Json[]>([200, 404], "2xx", [503]),
      data_type: fc.constantFrom("text", "json"),
    },
    { requiredKeys: ["url"] },
  );
  return request.map((http) => ({ http }));
}

function stateOperation(reads: Reads): fc.Arbitrary<JsonObject> {
  const key = fc.oneof(fc.constant("k"), marker(reads));
  const operation = fc.oneof(
    fc.record({ get: fc.record({ key, default: marker(reads) }, { requiredKeys: ["key"] }) }),
    fc.record({
      set: fc.record({ key, value: value(reads), expected_version: fc.constantFrom(0, 1) }, { requiredKeys: ["key", "value"] }),
    }),
    fc.record({ advance: fc.record({ key, value: marker(reads) }) }),
    fc.record({ delete: fc.record({ key }) }),
    fc.record({ seen: fc.record({ key, id: marker(reads) }) }),
  );
  return operation.map((state) => ({ state }));
}

/** A loop that runs one item at a time, because items that run in parallel end in no fixed order. */
function lookup(reads: Reads, from: Palette): fc.Arbitrary<JsonObject> {
  // An action of the loop that has the name of an outer action hides it, so that the outer one cannot be read.
  const outer = reads.actions.filter((name) => name !== "First" && name !== "Second");
  const inside: fc.Arbitrary<Json> = fc
    .tuple(plain("First", { actions: outer }, from), plain("Second", { actions: [...outer, "First"] }, from))
    .map((list) => [...list]);
  return fc.record(
    {
      lookup: fc.oneof(fc.constant("a|body::list|"), marker(reads)),
      actions: inside,
      lookup_concurrency: fc.constant(1),
      lookup_partition: fc.boolean(),
      lookup_inherit: fc.record({ inherited: value(reads) }),
    },
    { requiredKeys: ["lookup", "actions", "lookup_concurrency"] },
  );
}

/** An action of a loop. */
function plain(name: string, reads: Reads, from: Palette): fc.Arbitrary<JsonObject> {
  const data = fc.oneof(fc.record({ input: marker(reads) }), fc.record({ json_output: value(reads) }), call(reads), stateOperation(reads));
  const rest = fc.record(
    {
      assert: assertion({ actions: [...reads.actions, name] }, from),
      post_transforms: fc.array(transform(from), { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: [] },
  );
  return fc.tuple(data, rest).map(([source, more]) => ({ name, ...source, ...more }));
}

function gates({ actions }: Reads, from: Palette): fc.Arbitrary<JsonObject> {
  if (actions.length === 0) return fc.constant({});
  const some = fc.subarray([...actions], { minLength: 1 });
  const condition = fc.oneof(
    some.map((list): Json => list),
    fc.constant<Json>(["previous"]),
    some.chain((list) => fc.integer({ min: 1, max: list.length }).map((at_least): Json => ({ actions: list, at_least }))),
    some.map((list): Json => ({ actions: list, http_code_on_error: 409 })),
  );
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    fc.record({ depends_on: fc.oneof(condition, fc.constant<Json>([])) }),
    fc.record({ run_when_succeeded: condition }),
    fc.record({ run_when_failed: condition }),
    fc.record({ run_on_assertion: assertion({ actions }, from) }),
    fc.record(
      { run_when_succeeded: condition, depends_on: condition, run_on_assertion: assertion({ actions }, from) },
      { requiredKeys: [] },
    ),
  );
}

function transform({ transforms }: Palette): fc.Arbitrary<JsonObject> {
  return fc.constantFrom(...transforms).map(([feature, args]) => ({ [feature]: args }));
}

function assertion(reads: Reads, from: Palette): fc.Arbitrary<JsonObject> {
  return fc.record(
    {
      tests: fc.array(test(reads, from), { minLength: 1, maxLength: 3 }),
      error_message: looseText(reads),
      success_message: looseText(reads),
      http_code_on_error: fc.constantFrom(400, 422),
      http_code_on_success: fc.constantFrom(201, 202),
    },
    { requiredKeys: ["tests"] },
  );
}

/** A test of an action. Half of the operands are markers, whose values have any type. */
function test(reads: Reads, { matchers }: Palette): fc.Arbitrary<JsonObject> {
  const written = fc.constantFrom(...matchers).map(([feature, operand]): JsonObject => ({ [feature]: operand }));
  const dynamic = fc
    .tuple(fc.constantFrom("is_equal_to", "is_not_equal_to", "is_less_than", "contains", "starts_with", "like", "regex"), marker(reads))
    .map(([feature, operand]): JsonObject => ({ [feature]: operand }));
  const selector = fc.oneof(
    fc.constant({}),
    path.map((value) => ({ value })),
    marker(reads).map((value) => ({ value })),
    marker(reads).map((action_value) => ({ action_value })),
    ...(reads.actions.length === 0 ? [] : [fc.record({ action: fc.constantFrom(...reads.actions), value: path })]),
  );
  const options = fc.record(
    {
      name: fc.constant("named"),
      case_insensitive: fc.boolean(),
      hide_errors: rarely,
      error_message: looseText(reads),
      http_code_on_error: fc.constantFrom(401, 403),
    },
    { requiredKeys: [] },
  );
  return fc.tuple(selector, options, fc.oneof(written, dynamic)).map(([what, how, matcher]) => ({ ...what, ...how, ...matcher }));
}

function shortReply(reads: Reads): fc.Arbitrary<JsonObject> {
  return fc.record(
    {
      http_code: fc.constantFrom(200, 202, 418),
      body: bodyText(reads),
      headers: fc.record({ "x-short": marker(reads) }),
    },
    { requiredKeys: [] },
  );
}
