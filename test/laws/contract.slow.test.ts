import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import type { InterfacePlan } from "#runtime/plan/index.ts";
import { reply } from "#runtime/run/end/reply.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import { isObject, type Json, type JsonObject } from "#runtime/value/json.ts";
import { planned, printOne } from "../harness/compile.ts";
import { echoHost } from "../harness/echo-host.ts";
import { evaluate } from "../harness/evaluate.ts";
import { palette } from "../harness/random/config.ts";
import { seed } from "../harness/rules/words.ts";
import { emptyRequest } from "../harness/run-once.ts";

// The published schema of a value accepts the same values as the run of the interface, for every matcher and every origin of the value.

/** Largest number of uses of one matcher, and number of values that are tested with each use. */
const [mostUses, values] = [2, 14];

/** A way in which a value comes to the tests of an interface, and where its schema is published. */
interface Origin {
  readonly interface: (use: JsonObject) => JsonObject;
  readonly published: (plan: InterfacePlan) => Json | undefined;
  /** The request that brings the value; with undefined it brings no value. */
  readonly request: (value: Json | undefined) => { readonly params?: JsonObject; readonly body?: Json };
  /** The value to validate against the schema. A client that has read the schema sends a text as the type that the schema names. */
  readonly seen: (value: Json, type: Json | undefined) => Json;
  readonly isText?: true;
  /** Matchers for which the origin is tested; all when absent. */
  readonly about?: ReadonlySet<string>;
}

const ordering: ReadonlySet<string> = new Set([
  ...["is_less_than", "is_less_than_or_equal_to", "is_greater_than", "is_greater_than_or_equal_to", "is_between"],
]);

const echo = [{ name: "Ran", json_output: { done: true } }];
const inQuery = (value: Json | undefined): { readonly params: JsonObject } => ({ params: value === undefined ? {} : { v: value } });
const inBody = (value: Json | undefined): { readonly body: Json } => ({ body: value === undefined ? {} : { v: value } });

const origins: Readonly<Record<string, Origin>> = {
  query: {
    interface: (use) => ({ method: "GET", params: { v: { validate: use } }, actions: echo }),
    published: ({ contract }) => contract.params,
    request: inQuery,
    seen: asType,
    isText: true,
  },
  route: {
    interface: (use) => ({ method: "GET", actions: [{ name: "A", assert: { tests: [{ value: "a|params::v|", ...use }] } }] }),
    published: ({ contract }) => contract.params,
    request: inQuery,
    seen: asType,
    isText: true,
  },
  argument: {
    interface: (use) => ({ method: "GET", mcp: { enabled: true }, params: { v: { validate: use } }, actions: echo }),
    published: ({ mcp }) => mcp?.inputSchema,
    // The trigger passes scalars as texts, and passes no other values.
    request: (value) => inQuery(value === undefined || value === null || typeof value === "object" ? undefined : String(value)),
    seen: (value) => value,
  },
  body: {
    interface: (use) => ({ method: "POST", actions: [{ name: "A", input: "a|body|", assert: { tests: [{ value: "v", ...use }] } }] }),
    published: ({ contract }) => contract.input,
    request: inBody,
    seen: (value) => value,
  },
  declared: {
    interface: (use) => ({
      method: "POST",
      accepts: { schema: { type: "object", properties: { v: { type: "number" } }, required: ["v"] } },
      actions: [{ name: "A", input: "a|body|", assert: { tests: [{ value: "v", ...use }] } }],
    }),
    published: ({ contract }) => contract.input,
    request: inBody,
    seen: (value) => value,
    about: ordering,
  },
};

/** The value that a client means by a text when the schema has this type. */
function asType(value: Json, type: Json | undefined): Json {
  if (typeof value !== "string") return value;
  const read = type === "number" || type === "integer" || type === "boolean" ? parsed(value) : undefined;
  const isRead = type === "integer" ? Number.isInteger(read) : typeof read === type;
  return isRead && read !== undefined ? read : value;
}

function parsed(text: string): Json | undefined {
  try {
    return text.trim() === text ? (JSON.parse(text) as Json) : undefined; // JSON.parse gives nothing but JSON
  } catch {
    return undefined;
  }
}

const words = ["", "a", "ab", "A1!", "5", "-3", "1e1", "010", " 5", "2.5", "true", "null", "x".repeat(40), "1.2.3"];
const others: readonly Json[] = [0, 5, -3, 2.5, 1e3, true, false, null, [], ["a"], ["a", "b", 3], {}, { a: 1 }];

/** Random values for a matcher: usual ones, and values from or near its operand. */
function valuesFor(operand: Json, { isText }: Origin): fc.Arbitrary<Json | undefined> {
  const parts: readonly Json[] = isObject(operand) ? [operand, ...Object.values(operand)] : [operand];
  const named = parts.flatMap((one): Json[] => (Array.isArray(one) ? [one, ...one] : [one]));
  const near = named.flatMap((one): Json[] => (typeof one === "number" ? [one - 1, one, one + 1] : [one]));
  const text = fc.constantFrom(...words, ...near.filter((one) => typeof one !== "object").map(String));
  if (isText) return fc.option(fc.oneof({ weight: 3, arbitrary: text }, fc.string({ maxLength: 6 })), { nil: undefined, freq: 12 });
  return fc.option(fc.oneof(text, fc.constantFrom<Json>(...others, ...near)), { nil: undefined, freq: 12 });
}

/** A value that only one of schema and run accepts. */
interface Difference {
  readonly from: string;
  readonly use: string;
  readonly value: Json | undefined;
  /** True when the run accepts the value and the schema does not; false in the opposite case. */
  readonly isAccepted: boolean;
}

const wordless: ReadonlySet<string> = new Set([
  ...[
    "compare_value",
    "expression",
    "is_authorization",
    "is_valid_hmac",
    "is_valid_jwt",
    "is_valid_totp",
    "verify_signature",
    "verify_bcrypt",
  ],
  ...["semver_matches", "size_limit", "not_contains"],
]);

const isScalar = (value: Json | undefined): boolean => typeof value !== "object" && value !== undefined;

/** Reasons for intended differences. When the schema of a parameter accepts more than the run, only the first two reasons apply. */
const reasons: readonly (readonly [reason: string, holds: (one: Difference) => boolean])[] = [
  ["JSON Schema has no words for what the matcher means: a description says it", ({ use, isAccepted }) => wordless.has(use) && !isAccepted],
  ["the author's own schema says the type, and the tests the rest", ({ from, isAccepted }) => from === "declared" && !isAccepted],
  [
    "whatever is tested is published as required, also where nothing passes",
    ({ value, isAccepted }) => (value ?? null) === null && isAccepted,
  ],
  ["the trigger of tools brings scalars only: anything else is absent", ({ from, value }) => from === "argument" && !isScalar(value)],
  [
    "an argument becomes text, whatever scalar it is",
    ({ from, value, isAccepted }) => from === "argument" && isScalar(value) && isAccepted,
  ],
  [
    "a bound without a type is published for numbers, and also passes the length of a text or list (PW451)",
    ({ from, use, value, isAccepted }) => from === "body" && ordering.has(use) && typeof value !== "number" && isAccepted,
  ],
  [
    "matchers of text are published for texts, and take numbers and more, too",
    ({ from, use, value, isAccepted }) =>
      from === "body" &&
      /^(?:not_)?(?:starts|ends)_with$|^i?like$|^regex$|^is_not_empty$/.test(use) &&
      typeof value !== "string" &&
      isAccepted,
  ],
  [
    "membership is published with one keyword for each type, and without a type",
    ({ use, value, isAccepted }) => use === "contains" && typeof value !== "string" && !Array.isArray(value) && !isAccepted,
  ],
];

test(`every matcher in every origin, seed ${seed}`, async () => {
  const uses = Object.values(Object.groupBy((await palette()).matchers, ([name]) => name)).flatMap((one) => (one ?? []).slice(0, mostUses));
  const cases = Object.entries(origins).flatMap(([from, origin]) =>
    uses.filter(([use]) => origin.about?.has(use) ?? true).map(([use, operand]) => ({ from, origin, use, operand })),
  );
  const interfaces = Object.fromEntries(cases.map(({ origin, use, operand }, i) => [`i${i}`, origin.interface({ [use]: operand })]));
  const plan = planned(stringify({ name: "law", interfaces }, { lineWidth: 0, aliasDuplicateObjects: false }));
  const config = await evaluate((await printOne(plan, { interpret: true })).code);
  const host = echoHost({ clock: Date.UTC(2024, 1, 29), log: () => undefined });
  const ajv = new Ajv2020({ strict: false, formats: { uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i } });
  const found = new Set<string>();
  for (const [i, { from, origin, use, operand }] of cases.entries()) {
    const target = plan.plans[0]?.interfaces.find(({ name }) => name === `i${i}`);
    const served = config.interfaces.find(({ name }) => name === `i${i}`);
    if (target === undefined || served === undefined) throw new Error(`i${i} was not planned`);
    const schema = origin.published(target) ?? {};
    const valid = ajv.compile(isObject(schema) ? schema : {});
    const type = typeIn(schema);
    for (const value of fc.sample(valuesFor(operand, origin), { numRuns: values, seed })) {
      const run = new LiveRun(host, config, served, { ...emptyRequest, ...origin.request(value) });
      run.start();
      await run.finish();
      const isAccepted = (await reply(run)).status < 400;
      const isValid = valid(value === undefined ? {} : { v: origin.seen(value, type) }) === true;
      const isMeant = reasons.some(([, holds]) => holds({ from, use, value, isAccepted }));
      if (isAccepted === isValid || isMeant) continue;
      found.add(
        `${from} ${use}: ${JSON.stringify(operand)} of ${JSON.stringify(value)}: ${isAccepted ? "run" : "schema"} accepts ${JSON.stringify(schema)}`,
      );
    }
  }
  await host.close();
  expect([...found].sort()).toEqual([]);
});

function typeIn(schema: Json): Json | undefined {
  const properties = isObject(schema) ? schema.properties : undefined;
  const member = isObject(properties) ? properties.v : undefined;
  return isObject(member) ? member.type : undefined;
}
