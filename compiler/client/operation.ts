import { isObject, type Json, own } from "#runtime/value/json.ts";
import type { AnalysedInterface, AnalysedPlan } from "../5-analyse/analysed.ts";
import { type Code, code, comment, empty, list, lit, name, pair, property } from "../6-print/code.ts";
import type { ContractType } from "../6-print/contract.ts";
import type { Names } from "../6-print/names.ts";
import { empties } from "../openapi/answers.ts";
import { demandsBody } from "../openapi/demands-body.ts";
import { routeNames } from "../openapi/operation.ts";
import { mayGoOn, statusesOf } from "../openapi/statuses.ts";
import type { InferredAnswer } from "./answer.ts";

/** An interface that is served over HTTP, and its printed types. */
export interface ClientOperation {
  readonly plan: AnalysedInterface;
  readonly config: AnalysedPlan;
  /** The name of the configuration's file in the client. */
  readonly file: string;
  readonly contract: ContractType | undefined;
  /** The type of its answer that follows from its actions, if no contract states one. */
  readonly answer: InferredAnswer | undefined;
  /** The names of the functions of the client. */
  readonly functions: Names;
}

/** A member of the request of an operation. */
interface Part {
  readonly name: string;
  readonly type: Code;
  readonly required: boolean;
}

/** The function of an operation, as a member of the client. */
export function operation({ plan, file, contract, answer, functions }: ClientOperation): Code {
  const { method, route = "" } = plan;
  const parts = partsOf(plan, contract);
  const preset = parts.some(({ required }) => required) ? empty : code` = {}`;
  const members = [code`operation: ${lit(plan.name)}`, code`method: ${methodCode(method)}`, code`route: ${lit(route)}`];
  const summary = plan.about?.summary ?? plan.about?.description ?? plan.name;
  return code`/** ${comment(summary)} (\`${comment(`${method} ${route}`)}\`, ${comment(file)}) */
${functions.fresh(camel(plan.name))}: (request: ${requestType(parts)}${preset}) =>
  send<${answerType(plan, contract, answer)}>(options, { ${list(members)} }, request),`;
}

/** `posts/create` as `postsCreate`. */
const camel = (text: string): string =>
  text.replace(/[^A-Za-z0-9]+([A-Za-z0-9]?)/g, (_, first: string) => first.toUpperCase()).replace(/^[A-Z]/, (first) => first.toLowerCase());

/** An interface for any method is called with the method that the caller names. */
const methodCode = (method: string): Code => (method === "ANY" ? code`request.method ?? "POST"` : lit(method));

function requestType(parts: readonly Part[]): Code {
  return parts.length === 0 ? name("CallOptions") : code`CallOptions & ${objectOf(parts)}`;
}

const member = ({ name: key, type, required }: Part): Code =>
  code`readonly ${required ? pair(property(key), type) : code`${property(key)}?: ${type}`}`;

const objectOf = (parts: readonly Part[]): Code => code`{ ${list(parts.map(member), "; ")} }`;

function partsOf(plan: AnalysedInterface, contract: ContractType | undefined): readonly Part[] {
  const { method, route = "" } = plan;
  const inPath = routeNames(route).map((key): Part => ({ name: key, type: name("Param"), required: true }));
  const inQuery = queryOf(plan);
  const takesBody = method !== "GET" && method !== "HEAD" && (contract?.input !== undefined || plan.uses.body);
  return [
    ...(method === "ANY" ? [{ name: "method", type: name("string"), required: false }] : []),
    ...(inPath.length === 0 ? [] : [{ name: "params", type: objectOf(inPath), required: true }]),
    queryPart(inQuery),
    ...(takesBody ? [{ name: "body", type: name(contract?.input ?? "unknown"), required: demandsBody(plan) }] : []),
  ];
}

/** Without declared parameters, the actions may read any parameter. */
const queryPart = (params: readonly Part[]): Part =>
  params.length === 0
    ? { name: "query", type: name("Query"), required: false }
    : { name: "query", type: objectOf(params), required: params.some(({ required }) => required) };

/** Parameters of the query, as the API document has them: the declared and the tested ones. */
function queryOf({ contract, route = "" }: AnalysedInterface): readonly Part[] {
  const schema = isObject(contract.params) ? contract.params : {};
  const byName = isObject(schema.properties) ? schema.properties : {};
  const inPath = routeNames(route);
  return Object.entries(byName)
    .filter(([key]) => !inPath.includes(key))
    .map(([key, value]) => {
      const hasDefault = isObject(value) && own(value, "default") !== undefined;
      return { name: key, type: paramType(value), required: !hasDefault && isListed(schema.required, key) };
    });
}

const isListed = (names: Json | undefined, key: string): boolean => Array.isArray(names) && names.includes(key);

/** The type of a parameter: its listed values, if there is a list. */
function paramType(schema: Json): Code {
  const words = isObject(schema) && Array.isArray(schema.enum) ? schema.enum : [];
  const isPlain = words.length > 0 && words.every((word) => typeof word === "string" || typeof word === "number");
  return isPlain
    ? list(
        words.map((word) => lit(word)),
        " | ",
      )
    : name("Param");
}

/** The type of an answer below 400. */
function answerType(plan: AnalysedInterface, contract: ContractType | undefined, answer: InferredAnswer | undefined): Code {
  const own = outcomeType(plan, contract, answer);
  return mayGoOn(plan) && !plan.silence ? code`${own} | ${name("Accepted")}` : own;
}

function outcomeType(plan: AnalysedInterface, contract: ContractType | undefined, answer: InferredAnswer | undefined): Code {
  if (plan.silence) return name("undefined");
  if (plan.respond === "early") return name("Accepted");
  const { good } = statusesOf(plan);
  if (good.length > 0 && good.every((status) => empties.has(status))) return name("undefined");
  const body = bodyType(plan, contract, answer);
  return good.some((status) => empties.has(status)) ? code`${body} | undefined` : body;
}

function bodyType({ response }: AnalysedInterface, contract: ContractType | undefined, answer: InferredAnswer | undefined): Code {
  if (answer !== undefined) return answer.name;
  if (contract?.output !== undefined) return name(contract.output);
  return name(response.custom_body === undefined ? "Outcome" : "unknown");
}
