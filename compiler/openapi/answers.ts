import type { BodyPlan } from "#runtime/plan/index.ts";
import { isObject, type Json, type JsonObject, put } from "#runtime/value/json.ts";
import type { AnalysedInterface } from "../5-analyse/analysed.ts";
import { present } from "../present.ts";
import { type Content, contentOf, namedType, refused, typeOf } from "./content.ts";
import { failureText } from "./failure-texts.ts";
import { admitting, openApiSchema } from "./schema.ts";
import { deniedOf, endsShort, failuresOf, mayGoOn, refusalsOf, shortsOf, statusesOf, statusOfShort, withoutShorts } from "./statuses.ts";
import { actionReplies, testReplies, withoutReplies } from "./test-replies.ts";

/** The answers of an interface by their statuses (spec/surfaces 7). */
export function responses(plan: AnalysedInterface): JsonObject {
  const { good, bad } = statusesOf(plan);
  const out: JsonObject = {};
  for (const code of good) {
    const body = plan.respond === "early" ? { content: { "application/json": { schema: accepted } } } : succeeded(plan, code);
    put(out, String(code), { description: success(code), ...body });
  }
  if (mayGoOn(plan)) put(out, "202", good.includes(202) ? { description: success(202) } : { description: success(202), ...goingOn(plan) });
  for (const code of bad) put(out, String(code), failed(plan, code));
  return out;
}

/** Statuses whose answers have no body. */
export const empties: ReadonlySet<number> = new Set([204, 205, 304]);

/** The body of a success: the body of the interface, or of an action that ends the run at once. */
function succeeded(plan: AnalysedInterface, code: number): JsonObject {
  if (plan.silence || empties.has(code)) return {};
  const isUsual = !endsShort(plan) && statusesOf(withoutShorts(plan)).good.includes(code);
  return contentOf([...(isUsual ? [usual(plan)] : []), ...shorts(plan, code)]);
}

/**
 * The answer of a failure. A failure of the run has the body that the author has set; a refusal before the run has the body of the service.
 */
function failed(plan: AnalysedInterface, code: number): JsonObject {
  const run = withoutShorts(plan);
  const { error_body, custom_body } = plan.response;
  const body = error_body ?? custom_body;
  const isOfRun = failuresOf(withoutReplies(run)).includes(code);
  const ofRun: Content = { type: typeOf(body, plan), media: { schema: body === undefined ? failure : {} } };
  const replies = testReplies(plan, code).map((reply): Content => ({ type: typeOf(reply, plan), media: { schema: {} } }));
  const refusal = refusalsOf(plan).includes(code) ? [{ type: "application/json", media: { schema: failure } }] : [];
  const all = [
    ...refusal,
    ...denied(plan, code),
    ...(plan.silence ? [] : [...(isOfRun ? [ofRun] : []), ...replies, ...shorts(plan, code)]),
  ];
  const isService = all.length > 0 && all.every(({ type, media }) => type === "application/json" && media.schema === failure);
  return isService ? refused(code) : { description: failureText(code), ...contentOf(all) };
}

/** A denial by the network policy. */
function denied(plan: AnalysedInterface, code: number): readonly Content[] {
  if (!deniedOf(plan).includes(code)) return [];
  const { body, headers = {} } = plan.network?.on_deny ?? {};
  if (body === undefined) return [{ type: "application/json", media: { schema: failure } }];
  const type = namedType({ op: "lit", value: { ...headers } }) ?? (typeof body === "string" ? "text/plain" : "application/json");
  return [{ type, media: { schema: {} } }];
}

/**
 * Answers of actions that end the run at once (spec/language 7.4). Without a body they have the body of a failed test, else the envelope.
 */
function shorts(plan: AnalysedInterface, code: number): readonly Content[] {
  return shortsOf(plan)
    .filter(({ short }) => statusOfShort(short) === code)
    .flatMap(({ short, action, isOfSuccess }) => {
      const { headers, body } = short;
      // If the success of the action ends the run, the tests of the action itself have passed.
      const replies = body === undefined ? actionReplies(plan, isOfSuccess ? action : undefined) : [];
      return [body, ...replies].map((one) => {
        const type = namedType(headers) ?? unnamedType(one);
        return { type, media: { schema: schemaOfShort(type, code, one, plan) } };
      });
    });
}

const unnamedType = (body: BodyPlan | undefined): string => (body?.as === "text" ? "text/plain" : "application/json");

/** The schema of such an answer. A schema that the author has declared applies to all successes. */
function schemaOfShort(type: string, code: number, body: BodyPlan | undefined, plan: AnalysedInterface): JsonObject {
  if (plan.contract.produced && code < 400 && type === typeOf(undefined, plan)) return usual(plan).media.schema;
  return body === undefined ? envelope : {};
}

/** The answer of `respond: early` (spec/language 7.7). */
const accepted: JsonObject = {
  type: "object",
  required: ["accepted", "request_id"],
  properties: { accepted: { type: "boolean" }, request_id: { type: "string", format: "uuid" } },
};

/** The answer of a durable run that continues without its caller (spec/surfaces 14). */
const goingOn = ({ silence }: AnalysedInterface): JsonObject =>
  silence
    ? {}
    : {
        content: {
          "application/json": {
            schema: { ...accepted, properties: { ...(accepted.properties as JsonObject), waiting: { type: "boolean" } } },
          },
        },
      };

function success(code: number): string {
  if (code === 202) return "It has been accepted, and goes on.";
  return code < 300 ? "The outcome of the actions." : "The answer of the interface.";
}

/** The body of a success: the declared or tested schema, else the envelope of the actions. */
function usual(plan: AnalysedInterface): Content {
  const { output, output_example: example } = plan.contract;
  const custom = plan.response.custom_body;
  // An example of the author may show another body than the envelope. Then only the example is known.
  const unsaid = custom === undefined && (example === undefined || isEnvelope(example)) ? envelope : {};
  const schema = output === undefined ? unsaid : admitting(openApiSchema(output), example);
  return { type: typeOf(custom, plan), media: { schema, ...present({ example }) } };
}

const isEnvelope = (example: Json): boolean =>
  isObject(example) && isObject(example.data) && Object.values(example.data).every((entry) => isObject(entry) && "data" in entry);

const envelope: JsonObject = { $ref: "#/components/schemas/Outcome" };
const failure: JsonObject = { $ref: "#/components/schemas/Error" };
