import { actions } from "#generated/features.ts";
import type { Op, Span } from "#runtime/plan/index.ts";
import { type Entry, entriesOf, entry, get, items, type Node, textOf } from "../../1-read/document.ts";
import { parseTemplate } from "../../1-read/markers/markers.ts";
import { sources as codes } from "../../diagnostics/codes/actions.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import { present } from "../../present.ts";
import { checkLiteralHeaders } from "../inference/literal-secret.ts";
import { lower } from "../lower/values.ts";
import type { Lowering } from "../markers/scope.ts";
import { contractOf } from "./http/contract.ts";
import type { Planner } from "./planner.ts";

/**
 * Plans an `http` block merged with its defaults, of which the nearest wins: defaults fill missing scalars, headers merge key by key, and
 * the action wins over all defaults (spec/language 1.4).
 */
export const planner: Planner = { plan: (block, { at, around }, cx) => [planHttp(block, around.httpDefaults, cx, at)] };

function planHttp(block: Node, defaults: readonly Node[], cx: Lowering, at: Span): Op {
  const entries = defaults.map(entriesOf).reduce(over, entriesOf(block));
  const merged: Node = { kind: "map", span: block.span, entries };
  checkBlock(merged, cx.report);
  checkBearer(get(block, "bearer_auth"), cx.report);
  checkLiteralHeaders(get(merged, "headers"), cx.report);
  const contract = contractOf(merged, cx);
  const sent: Node = { ...merged, entries: entries.filter(({ key }) => key !== "contract") };
  const args = lower(sent, actions.http.schema, cx, { field: "http", required: true });
  const url = get(merged, "url");
  if (url !== undefined) checkScheme(url, cx.report);
  checkMethod(get(merged, "method"), cx.report);
  return { op: "call", use: "http", args, ...present({ contract }), at };
}

/** Checks that the text before the first marker can begin the address of a request (PW466). */
function checkScheme(url: Node, report: Report): void {
  if (url.kind !== "scalar" || typeof url.value !== "string") return;
  const { parts, problems } = parseTemplate(url.value);
  const [first] = parts;
  if (problems.length > 0 || (first !== undefined && first.kind !== "text")) return;
  const text = first?.text ?? "";
  const isWhole = parts.length <= 1;
  const parsed = isWhole ? URL.parse(text) : null;
  const isCallable = isWhole ? parsed?.protocol === "http:" || parsed?.protocol === "https:" : /^\s*(?:https?:|h?t{0,2}p?s?$)/i.test(text);
  if (!isCallable) report(codes.urlWithoutScheme(text.trim(), !isWhole), url.span);
}

/** Warns of a token that begins with the word which `bearer_auth` writes itself. */
function checkBearer(node: Node | undefined, report: Report): void {
  const token = /^\s*bearer\s+(.*)$/is.exec(textOf(node) ?? "")?.[1];
  if (node !== undefined && token !== undefined) report(codes.doubledBearer(token), node.span);
}

/** Methods in the registry of IANA, and methods of well-known caches and search engines. */
const knownMethods: ReadonlySet<string> = new Set(
  (
    "GET POST PUT PATCH DELETE HEAD OPTIONS TRACE CONNECT QUERY SEARCH REPORT PURGE BAN NOTIFY SUBSCRIBE UNSUBSCRIBE LIST UPDATE MERGE " +
    "ACL BIND REBIND UNBIND CHECKIN CHECKOUT UNCHECKOUT COPY MOVE LABEL LINK UNLINK LOCK UNLOCK MKACTIVITY MKCALENDAR MKCOL MKWORKSPACE " +
    "PROPFIND PROPPATCH M-SEARCH"
  ).split(" "),
);

/** Warns of a method that is nearly a known one, because it is probably misspelt (PW486). Any method may be sent. */
function checkMethod(node: Node | undefined, report: Report): void {
  if (node?.kind !== "scalar" || typeof node.value !== "string") return;
  const method = node.value.toUpperCase();
  const near = knownMethods.has(method) ? undefined : nearest(method, knownMethods);
  if (near !== undefined) report(codes.misspeltMethod(node.value, near), node.span);
}

/** Fields that carry credentials, by kind. */
const logins: readonly (readonly string[])[] = [["bearer_auth"], ["user", "pass"], ["digest_auth_user", "digest_auth_pass"]];

/** Fields of which a request has at most one: a default gives way to another field of its row. */
const alternatives: readonly (readonly string[])[] = [["body", "multipart", "base64_bytes", "proxy_body"], logins.flat()];

function over(entries: readonly Entry[], defaults: readonly Entry[]): readonly Entry[] {
  const mine = new Set(entries.map(({ key }) => key));
  const login = entries.find(isLogin) ?? (namesAuthorization(entries) ? "header" : undefined);
  const merged = entries.map((member) => {
    const under = member.key === "headers" ? defaults.find(({ key }) => key === "headers") : undefined;
    return under === undefined ? member : { ...member, value: mergedHeaders(member.value, under.value, login !== undefined) };
  });
  const added = defaults.filter((one) => !mine.has(one.key) && !(isLogin(one) && login === "header") && !isReplaced(one, mine));
  return [...merged, ...added.map((one) => (one.key === "headers" && login !== undefined ? withoutAuthorization(one) : one))];
}

const isLogin = ({ key }: Entry): boolean => logins.some((kind) => kind.includes(key));

/**
 * True when a field of the defaults gives way to a field of the action. Only a field of another kind replaces it: the password may come
 * from the defaults while the action has the user.
 */
function isReplaced({ key }: Entry, mine: ReadonlySet<string>): boolean {
  const row = alternatives.find((fields) => fields.includes(key)) ?? [];
  const kind = logins.find((fields) => fields.includes(key)) ?? [key];
  return row.some((other) => mine.has(other) && !kind.includes(other));
}

const isAuthorization = ({ key }: Entry): boolean => key.toLowerCase() === "authorization";

const namesAuthorization = (entries: readonly Entry[]): boolean =>
  entriesOf(entries.find(({ key }) => key === "headers")?.value).some(isAuthorization);

/** The headers without `authorization`, since a login in the nearer block replaces it. */
const withoutAuthorization = (headers: Entry): Entry => ({
  ...headers,
  value: { kind: "map", span: headers.value.span, entries: entriesOf(headers.value).filter((one) => !isAuthorization(one)) },
});

/** The headers of the block over the default ones. Names that differ only in case are equal. */
function mergedHeaders(node: Node, under: Node, hasLogin: boolean): Node {
  const names = new Set(entriesOf(node).map(({ key }) => key.toLowerCase()));
  const added = entriesOf(under).filter((one) => !names.has(one.key.toLowerCase()) && !(hasLogin && isAuthorization(one)));
  return { kind: "map", span: node.span, entries: [...entriesOf(node), ...added] };
}

/** Reports fields of a block that exclude each other (PW401, PW402, PW403). */
function checkBlock(block: Node, report: Report): void {
  const present = logins.filter((kind) => kind.some((key) => get(block, key) !== undefined));
  const [, second] = present.map((kind) => kind.map((key) => entry(block, key)).find((one) => one !== undefined));
  if (second !== undefined) report(codes.twoAuthentications(), second.keySpan);
  const multipart = entry(block, "multipart");
  if (multipart === undefined) return;
  if (get(block, "body") !== undefined) report(codes.bodyAndMultipart(), multipart.keySpan);
  for (const part of items(multipart.value)) {
    const contents = ["value", "b64", "file_path"].filter((key) => get(part, key) !== undefined);
    if (contents.length !== 1) report(codes.multipartPart(), part.span);
  }
}
