import type { BodyPlan, Expr } from "#runtime/plan/index.ts";
import { isObject, type Json, type JsonObject, own, put } from "#runtime/value/json.ts";
import type { AnalysedInterface } from "../5-analyse/analysed.ts";
import { failureText } from "./failure-texts.ts";
import { parameterSchema } from "./parameter-schema.ts";
import { admitting, openApiSchema } from "./schema.ts";
import { securityOf } from "./security.ts";
import { failuresOf, mayGoOn, statusesOf } from "./statuses.ts";

/** The interface and the texts of which an operation of the document is made. */
export interface OperationInput {
  readonly plan: AnalysedInterface;
  readonly config: string;
  /** Upper case. */
  readonly method: string;
  /** Names of the segments of the path, as the document calls them. */
  readonly path: readonly string[];
  readonly id: string;
}

/** One interface under one method (spec/surfaces 7). */
export function operation(input: OperationInput): JsonObject {
  const { plan, config, id } = input;
  const { summary, description, notes, tags = [config] } = plan.about ?? {};
  const parameters = parametersOf(input);
  const body = takesBody(input.method) ? requestBody(plan) : undefined;
  const security = securityOf(plan);
  return {
    operationId: id,
    summary: summary ?? plan.name,
    description: [description ?? summary ?? plan.name, notes].filter((part) => part !== undefined).join("\n\n"),
    tags: [...tags],
    ...(security.length === 0 ? {} : { security: [Object.fromEntries(security.map((name) => [name, []]))] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responses(plan),
  };
}

const takesBody = (method: string): boolean => !["GET", "HEAD", "DELETE"].includes(method);

/** The parameters of the path first, in its order; those of the query as the tests name them. */
function parametersOf({ plan, path, method }: OperationInput): JsonObject[] {
  const { params } = plan.contract;
  const schemas = isObject(params) ? own(params, "properties") : undefined;
  const properties = isObject(schemas) ? schemas : {};
  const required = isObject(params) && Array.isArray(params.required) ? params.required : [];
  const names = routeNames(plan.route ?? "");
  const examples = takesBody(method) || !isObject(plan.contract.input_example) ? {} : plan.contract.input_example;
  const inPath = names.map((name, i) =>
    parameter(path[i] ?? name, "path", own(properties, name), { required: true, example: own(examples, name) }),
  );
  const inQuery = Object.entries(properties)
    .filter(([name]) => !names.includes(name))
    .map(([name, schema]) => {
      const isRequired = required.includes(name) && !(isObject(schema) && schema.default !== undefined);
      return parameter(name, "query", schema, { required: isRequired, example: own(examples, name) });
    });
  return [...inPath, ...inQuery];
}

interface Facts {
  readonly required: boolean;
  readonly example: Json | undefined;
}

function parameter(name: string, where: "path" | "query", schema: Json | undefined, { required, example }: Facts): JsonObject {
  const { description, ...rest } = parameterSchema(schema ?? {});
  return {
    name,
    in: where,
    ...(description === undefined ? {} : { description }),
    ...(required ? { required: true } : {}),
    schema: rest,
    ...(example === undefined ? {} : { example }),
  };
}

/** Names of the parameters of a route, `*rest` included. */
export function routeNames(route: string): readonly string[] {
  return route.split("/").flatMap((segment) => /^[:*](.+)$/.exec(segment)?.[1] ?? []);
}

/** Undefined where nobody says anything of a body and nothing reads it. */
function requestBody({ contract, uses }: AnalysedInterface): JsonObject | undefined {
  const { input, input_example: example } = contract;
  if (input === undefined && example === undefined && !uses.body) return undefined;
  const demanded = isObject(input) && (Array.isArray(input.required) || input.type === "array");
  return {
    ...(demanded ? { required: true } : {}),
    content: {
      "application/json": {
        schema: admitting(openApiSchema(input ?? unsaid(example)), example),
        ...(example === undefined ? {} : { example }),
      },
    },
  };
}

/** A body of which nothing is known but its example is an object (spec/surfaces 6.1). */
const unsaid = (example: Json | undefined): JsonObject =>
  example === undefined || isObject(example) ? { type: "object", properties: {} } : {};

function responses(plan: AnalysedInterface): JsonObject {
  const { good, bad } = statusesOf(plan);
  const out: JsonObject = {};
  for (const code of good) {
    const body = plan.respond === "early" ? { content: { "application/json": { schema: accepted } } } : content(plan);
    put(out, String(code), { description: success(code), ...body });
  }
  if (mayGoOn(plan)) put(out, "202", good.includes(202) ? { description: success(202) } : { description: success(202), ...goingOn(plan) });
  const { error_body } = plan.response;
  for (const code of bad) put(out, String(code), error_body === undefined ? refused(code) : ofErrors(error_body, code, plan));
  return out;
}

/** One component for each status: its text says which of them it is. */
const refused = (code: number): JsonObject => ({ $ref: `#/components/responses/Error${code}` });

/** A failure of the run has the body of the author; one status may also be that of a refusal, which the run does not see. */
function ofErrors(body: BodyPlan, code: number, plan: AnalysedInterface): JsonObject {
  if (!failuresOf(plan).includes(code)) return refused(code);
  if (plan.silence) return { description: failureText(code) };
  return { description: failureText(code), content: { [typeOf(body, plan)]: { schema: {} } } };
}

const typeOf = (body: BodyPlan | undefined, { response }: AnalysedInterface): string =>
  namedType(response.headers) ?? (body?.as === "text" ? "text/plain" : "application/json");

/** The answer of `respond: early` (spec/language 7.7). */
const accepted: JsonObject = {
  type: "object",
  required: ["accepted", "request_id"],
  properties: { accepted: { type: "boolean" }, request_id: { type: "string", format: "uuid" } },
};

/** The answer of a durable run that goes on without its caller (spec/surfaces 14). */
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

/** The body of a success: as it is declared or tested, else the envelope of the actions. */
function content(plan: AnalysedInterface): JsonObject {
  const { output, output_example: example } = plan.contract;
  const custom = plan.response.custom_body;
  if (plan.silence) return {};
  const type = typeOf(custom, plan);
  // An example of the author need not show the envelope; what it shows is then all that is known.
  const usual = custom === undefined && (example === undefined || isEnvelope(example)) ? envelope : {};
  const schema = output === undefined ? usual : admitting(openApiSchema(output), example);
  return { content: { [type]: { schema, ...(example === undefined ? {} : { example }) } } };
}

/** The media type that the author's own headers name, where it is fixed (spec/language 7.5). */
function namedType(headers: Expr | undefined): string | undefined {
  const entries = headers?.op === "map" ? headers.entries.map(([name, value]) => [name, value.op === "lit" ? value.value : null]) : [];
  const all = headers?.op === "lit" && isObject(headers.value) ? Object.entries(headers.value) : entries;
  const contentType = all.find(([name]) => typeof name === "string" && name.toLowerCase() === "content-type")?.[1];
  const type = typeof contentType === "string" ? contentType.split(";")[0]?.trim().toLowerCase() : undefined;
  return type === undefined || !/^[^\s/]+\/[^\s/]+$/.test(type) ? undefined : type;
}

const isEnvelope = (example: Json): boolean =>
  isObject(example) && isObject(example.data) && Object.values(example.data).every((entry) => isObject(entry) && "data" in entry);

const envelope: JsonObject = { $ref: "#/components/schemas/Outcome" };
