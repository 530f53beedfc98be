import { asObject, isObject, type Json, type JsonObject, own } from "#runtime/value/json.ts";
import type { AnalysedInterface } from "../5-analyse/analysed.ts";
import { present } from "../present.ts";
import { responses } from "./answers.ts";
import { demandsBody } from "./demands-body.ts";
import { parameterSchema } from "./parameter-schema.ts";
import { admitting, openApiSchema } from "./schema.ts";
import { securityOf } from "./security.ts";

/** The interface and the texts for an operation of the document. */
export interface OperationInput {
  readonly plan: AnalysedInterface;
  readonly config: string;
  /** The method in upper case. */
  readonly method: string;
  /** The names of the parameters of the path in the document. */
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
    ...present({ requestBody: body }),
    responses: responses(plan),
  };
}

const takesBody = (method: string): boolean => !["GET", "HEAD", "DELETE"].includes(method);

/** The parameters: those of the path in its order, those of the query in the order of the tests, and headers. */
function parametersOf({ plan, path, method }: OperationInput): JsonObject[] {
  const { params } = plan.contract;
  const schemas = isObject(params) ? own(params, "properties") : undefined;
  const properties = asObject(schemas);
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
  return [...inPath, ...inQuery, ...headersOf(plan)];
}

/** The headers that `params` read. OpenAPI says three of them elsewhere: by security and by content types. */
function headersOf({ params }: AnalysedInterface): JsonObject[] {
  const required = new Map<string, boolean>();
  for (const { value, validate } of params) {
    const read = value.op === "or" ? value.of : value;
    const [name] = read.op === "at" && read.of.op === "root" && read.of.root === "headers" ? read.path : [];
    if (typeof name !== "string" || ["accept", "authorization", "content-type"].includes(name)) continue;
    required.set(name, required.get(name) === true || validate?.required === true);
  }
  return [...required].map(([name, isRequired]) => parameter(name, "header", {}, { required: isRequired, example: undefined }));
}

interface Facts {
  readonly required: boolean;
  readonly example: Json | undefined;
}

function parameter(name: string, where: "path" | "query" | "header", schema: Json | undefined, { required, example }: Facts): JsonObject {
  const { description, ...rest } = parameterSchema(schema ?? {});
  return {
    name,
    in: where,
    ...present({ description }),
    ...(required ? { required: true } : {}),
    schema: rest,
    ...present({ example }),
  };
}

/** Names of the parameters of a route, `*rest` included. */
export function routeNames(route: string): readonly string[] {
  return route.split("/").flatMap((segment) => /^[:*](.+)$/.exec(segment)?.[1] ?? []);
}

/** The body of the request. Undefined if no declaration or test describes a body and no action reads it. */
function requestBody(plan: AnalysedInterface): JsonObject | undefined {
  const { contract, uses } = plan;
  const { input, input_example: example } = contract;
  if (input === undefined && example === undefined && !uses.body) return undefined;
  return {
    ...(demandsBody(plan) ? { required: true } : {}),
    content: {
      "application/json": {
        schema: admitting(openApiSchema(input ?? unsaid(example)), example),
        ...present({ example }),
      },
    },
  };
}

/** The schema of a body of which only an example is known: it is an object (spec/surfaces 6.1). */
const unsaid = (example: Json | undefined): JsonObject =>
  example === undefined || isObject(example) ? { type: "object", properties: {} } : {};
