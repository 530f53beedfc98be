import { parseJson } from "#runtime/formats/json-text.ts";
import { parseYaml } from "#runtime/formats/yaml.ts";
import type { AnswerContract } from "#runtime/plan/index.ts";
import { pointed } from "#runtime/shapes/json-schema.ts";
import { Failure } from "#runtime/value/failure.ts";
import { asObject, isObject, type Json, type JsonObject, own } from "#runtime/value/json.ts";
import { decodedOrSame } from "#runtime/value/percent.ts";
import { get, items, type Node, scalarText } from "../../../1-read/document.ts";
import { parseTemplate } from "../../../1-read/markers/markers.ts";
import { sources as codes } from "../../../diagnostics/codes/actions.ts";
import { config } from "../../../diagnostics/codes/file.ts";
import { nearest } from "../../../diagnostics/nearest.ts";
import { included } from "../../markers/include.ts";
import type { Lowering } from "../../markers/scope.ts";
import type { Operation } from "./operation.ts";
import { servedOperations } from "./served-operations.ts";

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

/**
 * The contract that a block names, `file.json#operationId` or `orders.yaml#INTERFACE`: the document is read now, and the block is compared
 * with the operation. Undefined where the block names no contract, and where the data of the action may differ from the body of the answer.
 */
export function contractOf(block: Node, cx: Lowering): AnswerContract | undefined {
  const node = get(block, "contract");
  const reference = scalarText(node);
  if (node === undefined || reference === undefined) return undefined;
  const [file = "", ...rest] = reference.split("#");
  const document = documentOf(file, node, cx);
  if (document === undefined) return undefined;
  const all = isConfig(document) ? servedOperations(document) : operationsOf(document);
  const name = rest.join("#");
  const operation = all.get(name);
  if (operation === undefined) cx.report(codes.unknownOperation(name, file, nearest(name, all.keys()), [...all.keys()]), node.span);
  if (operation === undefined) return undefined;
  const other = differenceOf(block, operation);
  if (other !== undefined)
    cx.report(codes.otherOperation(name, other, `${operation.method.toUpperCase()} ${operation.path ?? ""}`.trim()), node.span);
  return isAsAnswered(block) ? { schema: { anyOf: answersOf(operation.of, document) }, document } : undefined;
}

/** Reads the document: JSON, or YAML by the ending of its name. */
function documentOf(path: string, node: Node, cx: Lowering): JsonObject | undefined {
  const inclusion = included({ path }, cx);
  if ("finding" in inclusion) cx.report(inclusion.finding, node.span);
  if (!("text" in inclusion)) return undefined;
  const document = /\.ya?ml$/i.test(path) ? yamlOf(inclusion.text) : parseJson(inclusion.text);
  if (isObject(document) && (isConfig(document) || /^3\./.test(String(own(document, "openapi"))))) return document;
  cx.report(config.include(path, "neither an OpenAPI 3 document nor a configuration with interfaces"), node.span);
  return undefined;
}

const isConfig = (document: JsonObject): boolean => own(document, "openapi") === undefined && isObject(own(document, "interfaces") ?? null);

function yamlOf(text: string): Json | undefined {
  try {
    return parseYaml(text);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** The operations of a document by their ids. */
function operationsOf(document: JsonObject): ReadonlyMap<string, Operation> {
  const operations = new Map<string, Operation>();
  for (const [path, written] of membersOf(own(document, "paths"))) {
    const item = resolved(written, document);
    for (const method of methods) {
      const of = own(item, method);
      const id = isObject(of) ? own(of, "operationId") : undefined;
      if (isObject(of) && typeof id === "string") operations.set(id, { method, path, of });
    }
  }
  return operations;
}

const membersOf = (value: Json | undefined): readonly (readonly [string, Json])[] => (isObject(value) ? Object.entries(value) : []);

/** The object that a `$ref` means, followed once: a reference to another reference gives an empty object. */
function resolved(value: Json, document: Json): JsonObject {
  const ref = isObject(value) ? own(value, "$ref") : undefined;
  const meant = typeof ref === "string" ? pointed(document, ref) : value;
  return asObject(meant);
}

/** The schemas of the bodies that the operation answers with a success status. An empty body is null (spec/language 5.1.3). */
function answersOf(operation: JsonObject, document: Json): Json[] {
  const responses = membersOf(own(operation, "responses")).filter(([status]) => /^2(?:\d\d|XX)$/i.test(status));
  if (responses.length === 0) return [true];
  const bodies = responses.flatMap(([, response]) => {
    const content = membersOf(own(resolved(response, document), "content"));
    return content.map(([type, media]) => (isJson(type) && isObject(media) ? (own(media, "schema") ?? true) : true));
  });
  return [...bodies, { type: "null" }];
}

const isJson = (type: string): boolean => /^[^;]*[/+]json\s*(?:;|$)/i.test(type);

/** True when the data of the action is the body of a successful answer, read as JSON. */
function isAsAnswered(block: Node): boolean {
  const type = get(block, "data_type");
  const expected = get(block, "expect_status");
  const statuses = expected === undefined ? [] : expected.kind === "list" ? items(expected) : [expected];
  const isWhole = ["pagination", "stream"].every((key) => get(block, key) === undefined);
  return (
    isWhole &&
    (type === undefined || scalarText(type) === "json") &&
    statuses.every((one) => /^(?:2\d\d|2xx|304)$/.test(scalarText(one) ?? ""))
  );
}

/** The request that the block makes, when it is known and differs from the operation; else undefined. */
function differenceOf(block: Node, { method, path }: Operation): string | undefined {
  const methodNode = get(block, "method");
  const hasBody = ["body", "multipart", "base64_bytes"].some((key) => get(block, key) !== undefined);
  const calledMethod = methodNode === undefined ? (hasBody ? "POST" : "GET") : scalarText(methodNode)?.toUpperCase();
  const isForwarded = get(block, "proxy_method") !== undefined;
  const isOther = calledMethod !== undefined && ![calledMethod, "ANY"].includes(method.toUpperCase());
  if (!isForwarded && isOther) return calledMethod;
  const url = scalarText(get(block, "url"));
  const steps = url === undefined ? undefined : stepsOf(url);
  return steps === undefined || path === undefined || fitsPath(steps, path)
    ? undefined
    : `/${steps.steps.map((step) => step.replaceAll(hole, "…")).join("/")}`;
}

/** A placeholder for the value of a marker. */
const hole = "\0";

interface UrlSteps {
  readonly steps: readonly string[];
  /** True when the path begins with a marker, which may stand for several steps. */
  readonly isOpen: boolean;
}

/** The steps of the path of a URL; undefined where they are unknown. */
function stepsOf(url: string): UrlSteps | undefined {
  const { parts, problems } = parseTemplate(url);
  if (problems.length > 0) return undefined;
  const text = parts.map((part) => (part.kind === "text" ? part.text : hole)).join("");
  const [address = ""] = text.trim().split(/[?#]/);
  const isOpen = address.startsWith(hole);
  const path = isOpen ? address.replace(/^[^/]*/, "") : address.replace(/^https?:\/\/[^/]*/i, "");
  return { steps: path.split("/").slice(1), isOpen };
}

/** True when the end of the URL fits the template. Only the end counts, because a server may have a base path. */
function fitsPath({ steps, isOpen }: UrlSteps, template: string): boolean {
  const templateSteps = template.split("/").slice(1).reverse();
  const urlSteps = steps.toReversed();
  if (urlSteps.length < templateSteps.length && !isOpen) return false;
  return urlSteps.every((step, i) => {
    const one = templateSteps[i];
    return one === undefined || step.includes(hole) || (/\{[^}]*\}/.test(one) ? step !== "" : decodedOrSame(step) === decodedOrSame(one));
  });
}
