import type { BodyPlan, Expr, FallbackStrategy, ResponsePlan, ShortReplyPlan } from "#runtime/plan/index.ts";
import { type Entry, entry, get, items, type Node, scalarText, textOf } from "../../1-read/document.ts";
import { isStarted } from "../../2-check/started.ts";
import { statusOf } from "../../2-check/status.ts";
import { present } from "../../present.ts";
import type { Databases } from "../databases.ts";
import { planRunRecords } from "../logs.ts";
import { languageOf } from "../lower/body-language.ts";
import { checkBody, typeOfHeaders } from "../lower/body-type.ts";
import { lower, lowerResponseBody } from "../lower/values.ts";
import type { Lowering } from "../markers/scope.ts";
import { checkHeaders } from "../written.ts";

/** Lowers `response` of an interface. */
export function planResponse(node: Node | undefined, databases: Databases, cx: Lowering): ResponsePlan {
  const http_code_on_error = statusOf(node, "http_code_on_error", cx.report);
  const http_code_fallback = statusOf(node, "http_code_fallback", cx.report);
  const option = get(node, "http_code_fallback_strategy");
  const strategy = isStarted(option) ? undefined : textOf(option);
  const inherit = items(get(node, "http_code_inherit_error")).flatMap((item) => scalarText(item) ?? []);
  const headers = get(node, "headers");
  checkHeaders(node, cx.report);
  const custom = entry(node, "custom_body");
  const ofErrors = entry(node, "error_body");
  const logs = items(get(node, "logs")).flatMap((item) => planRunRecords(item, databases, cx.report) ?? []);
  return {
    ...present({ http_code_on_error }),
    ...(inherit.length === 0 ? {} : { http_code_inherit_error: inherit }),
    ...present({ http_code_fallback }),
    ...(strategy === undefined ? {} : { http_code_fallback_strategy: strategy as FallbackStrategy }), // one of the enum, by the schema
    ...(headers === undefined ? {} : { headers: planHeaders(headers, cx) }),
    ...(logs.length === 0 ? {} : { logs }),
    ...(custom === undefined ? {} : { custom_body: planBody(custom, headers, cx) }),
    ...(ofErrors === undefined ? {} : { error_body: planBody(ofErrors, headers, cx) }),
  };
}

/** Lowers `response_on_success` or `response_on_error` of an action. */
export function planShort<K extends "response_on_success" | "response_on_error">(
  node: Node,
  key: K,
  cx: Lowering,
): { readonly [P in K]?: ShortReplyPlan } {
  const short = get(node, key);
  if (short === undefined) return {};
  const http_code = statusOf(short, "http_code", cx.report) ?? markedStatus(short, cx);
  const headers = get(short, "headers");
  checkHeaders(short, cx.report);
  const body = entry(short, "body");
  const plan: ShortReplyPlan = {
    ...present({ http_code }),
    ...(headers === undefined ? {} : { headers: planHeaders(headers, cx) }),
    ...(body === undefined ? {} : { body: planBody(body, headers, cx) }),
  };
  return { [key]: plan } as { readonly [P in K]?: ShortReplyPlan }; // K is the key itself
}

/** The status that a marker gives. One that is unset fails the answer: 200 would hide a failure. */
function markedStatus(short: Node, cx: Lowering): Expr | undefined {
  const code = get(short, "http_code");
  return code === undefined ? undefined : lower(code, { type: "integer" }, cx, { field: "http_code", required: true });
}

const planHeaders = (headers: Node, cx: Lowering): Expr =>
  lower(headers, { type: "object", additionalProperties: { context: "header" } }, cx);

/** A body, read as its content type demands where that is written beside it. */
function planBody({ key, value }: Entry, headers: Node | undefined, cx: Lowering): BodyPlan {
  const type = typeOfHeaders(headers);
  const plan = lowerResponseBody(value, { ...cx, language: languageOf(type) });
  checkBody(key, value, plan, type, cx);
  return plan;
}
