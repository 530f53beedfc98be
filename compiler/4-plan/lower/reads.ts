import type { Expr, Span, TextPart } from "#runtime/plan/index.ts";
import { roots } from "#runtime/run/marker-roots.ts";
import type { Json } from "#runtime/value/json.ts";
import { parseTimestamp } from "#runtime/value/timestamp.ts";
import { text } from "#runtime/value/values.ts";
import { filterNames, takesText } from "../../1-read/markers/filter-words.ts";
import type { Argument, Marker, MarkerStep, TemplatePart } from "../../1-read/markers/marker.ts";
import { onlyMarker, type Parsed } from "../../1-read/markers/markers.ts";
import { build } from "../../diagnostics/codes/build.ts";
import { flow } from "../../diagnostics/codes/flow.ts";
import { marker as codes } from "../../diagnostics/codes/marker.ts";
import { names } from "../../diagnostics/codes/names.ts";
import type { Finding } from "../../diagnostics/diagnostic.ts";
import { nearest, slipOf } from "../../diagnostics/nearest.ts";
import { filterFor } from "../../other-tools/filters.ts";
import { checkOperator } from "../markers/foreign-forms.ts";
import { included } from "../markers/include.ts";
import { isSecret } from "../markers/mentions.ts";
import { inTemplate, type Lowering, readAction, templateText, visible } from "../markers/scope.ts";
import { checkEscaped } from "./body-language.ts";
import { isConfigControlled } from "./config-controlled.ts";
import { withHeaderNames } from "./header-names.ts";
import { orElse } from "./or-else.ts";
import { isFinding, pathExpr, placed, readPath } from "./paths.ts";
import { readScalar, reportAt, type Scalar, spanOf } from "./scalar.ts";
import { unknownRoot } from "./unknown-root.ts";

const unset: Expr = { op: "lit", value: null };

/**
 * Lowers the reads of a marker: its root, its path, its steps. A mistake is reported at the marker and reads as null. With `embedded` the
 * marker stands in text, where `a|ip|` is the address of the client (spec/language 2.4).
 */
export function lowerMarker(marker: Marker, scalar: Scalar, outer: Lowering, embedded = true): Expr {
  const cx = checkEscaped(marker, scalar, outer, embedded);
  const say = (finding: Finding): Expr => {
    reportAt(finding, marker, scalar, cx.report);
    return unset;
  };
  const site: Site = { marker, scalar, at: spanOf(marker, scalar), cx, embedded, say };
  const base = marker.jq === undefined ? root(site) : filtered(marker.jq, site);
  return placed(
    marker.steps.reduce((of, step) => applied(step, of, site), base),
    site.at,
  );
}

/** A marker in its text, and the surroundings in which it is lowered. */
interface Site {
  readonly marker: Marker;
  readonly scalar: Scalar;
  readonly at: Span;
  readonly cx: Lowering;
  readonly embedded: boolean;
  /** Reports a mistake of the marker, which then reads as null. */
  readonly say: (finding: Finding) => Expr;
}

/** A text in plain contexts (spec/language 2.8 A, 2.8 B): the value of a whole marker, else text. With `isText` the field takes a text. */
export function lowerPlain(scalar: Scalar, cx: Lowering, isText = false): Expr {
  const { node, template } = scalar;
  const whole = onlyMarker(template, node.block ? /^\n+$/ : undefined);
  if (whole === undefined) return concat(template.parts, (marker) => lowerMarker(marker, scalar, cx));
  // A block scalar that is one marker is the documented way to pass JSON as text.
  return node.block ? { op: "join", items: [lowerMarker(whole, scalar, cx)] } : lowerMarker(whole, scalar, cx, isText);
}

/** Literal text and markers put together: null when it is markers only and all are unset (spec/language 2.1). */
export function concat(parts: readonly TemplatePart[], lowered: (marker: Marker) => Expr): Expr {
  if (parts.every((part) => part.kind === "marker") && parts.length > 1) return { op: "join", items: parts.map(lowered) };
  return textOf(parts.map((part) => (part.kind === "text" ? part.text : { fill: "text", of: lowered(part) })));
}

/** A text of parts. Literals that touch become one, and a text of only literals is a literal. */
export function textOf(parts: readonly TextPart[]): Expr {
  const joined: TextPart[] = [];
  for (const item of parts) {
    const part = asText(item);
    const last = joined.at(-1);
    if (typeof part === "string" && typeof last === "string") joined[joined.length - 1] = last + part;
    else if (part !== "") joined.push(part);
  }
  const [only = ""] = joined;
  return joined.length < 2 && typeof only === "string" ? { op: "lit", value: only } : { op: "text", parts: joined };
}

/** The part, where a hole of plain text with a known value becomes that text. */
const asText = (part: TextPart): TextPart =>
  typeof part !== "string" && part.fill === "text" && part.of.op === "lit" ? text(part.of.value) : part;

/** A hole of a structured text. */
export interface Hole {
  readonly of: Expr;
  /** True when `->raw` is written and allowed. */
  readonly raw: boolean;
  /** True when a mistake in the marker was reported: `->raw` on data, or a module in a place that cannot take one. */
  readonly refused: boolean;
  /** True when no part of the value comes from outside the configuration. */
  readonly trusted: boolean;
}

/** Lowers a marker for a structured text, where `->raw` is refused for anything that is not the configuration's own (PW215). */
export function lowerHole(marker: Marker, scalar: Scalar, cx: Lowering, context: string): Hole {
  const of = lowerMarker(marker, scalar, cx);
  const trusted = isConfigControlled(of);
  const wantsRaw = marker.steps.some((step) => step.kind === "filter" && step.name === "raw");
  if (wantsRaw && !trusted) reportAt(codes.rawOnData(context), marker, scalar, cx.report);
  return { of, raw: wantsRaw && trusted, refused: (wantsRaw && !trusted) || marker.root === "module", trusted };
}

/** The name of the last filter other than `raw`. */
export function lastFilter(marker: Marker): string | undefined {
  const last = marker.steps.findLast((step) => step.kind !== "filter" || step.name !== "raw");
  return last?.kind === "filter" ? last.name : undefined;
}

/** The marker without its last filter other than `raw`. */
export function withoutLastFilter(marker: Marker): Marker {
  const last = marker.steps.findLastIndex((step) => step.kind !== "filter" || step.name !== "raw");
  return { ...marker, steps: marker.steps.filter((_, i) => i !== last) };
}

/** A marker `a|ROOT::jq::FILTER|`. Its filter holds no other marker. */
function filtered(text: string, site: Site): Expr {
  const { marker, at, cx, say } = site;
  const reason = cx.refusal?.(text, 0);
  if (reason !== undefined) return say(codes.jq(reason));
  const of = root({ ...site, embedded: false });
  return { op: "jq", filter: { op: "lit", value: text }, of, values: [], label: marker.root, at };
}

function root(site: Site): Expr {
  const { marker, cx, embedded, say } = site;
  const { root: name } = marker;
  const { scope } = cx;
  const builtIn = Object.hasOwn(roots, name) ? roots[name] : undefined;
  if (builtIn !== undefined && scope.allowed !== undefined && !scope.allowed.has(name)) {
    return say(codes.rootNotHere(name, `only ${[...scope.allowed].join(", ")} can be used here`));
  }
  if (builtIn === undefined || name === "previous") return action(site);
  // Phase 2 has put modules in their places and reported those that have none, of which nothing is known.
  if (name === "module") return { op: "reread", of: unset };
  if (name === "state") return state(site);
  if (name === "timestamp") return timestamp(site);
  if (name === "include") {
    const file = included(marker, cx);
    return "text" in file ? { op: "lit", value: file.text } : say(file.finding);
  }
  if (name === "secret") return secret(site);
  const isText = embedded ? marker.steps[0]?.kind !== "path" : takesText(marker.steps[0]);
  if (builtIn.named) return named(site, isText);
  const client = name === "ip" && marker.path === undefined && isText;
  return client ? { op: "at", of: { op: "root", root: "ip" }, path: ["client"] } : follow({ op: "root", root: name }, marker.path, site);
}

/** Reads the data of an action of the same list, or of a list around it. */
function action(site: Site): Expr {
  const { marker, scalar, at, say } = site;
  const { scope } = site.cx;
  const name = marker.root === "previous" ? scope.previous : marker.root;
  const seen = name === undefined ? undefined : visible(name, scope);
  if (name === undefined || seen === undefined) return say(unknownRoot(marker, scalar, scope));
  if (name === scope.self && scope.selfIsData) {
    scope.ownReads.push(at);
    return follow({ op: "data", at }, marker.path, site);
  }
  return follow(readAction(name, seen, at), marker.path, site);
}

function follow(base: Expr, path: string | undefined, { cx: { scope }, say }: Site): Expr {
  const read = readPath(path ?? "");
  checkOperator(path, say);
  return isFinding(read) ? say(read) : withHeaderNames(pathExpr(base, read), scope);
}

function timestamp({ marker: { path, format = path === undefined ? "s" : `:${path}` }, say }: Site): Expr {
  return parseTimestamp(format) === undefined ? say(codes.timestampFormat(format)) : { op: "root", root: "timestamp", name: format };
}

/** Reads `a|state::KEY|` or `a|state::NAMESPACE.KEY|`: the whole text behind the root is the name, and no path follows. */
function state({ marker: { path = "" }, cx, say }: Site): Expr {
  if (path === "") return say(codes.emptyPart());
  cx.scope.states.add(path);
  return { op: "root", root: "state", name: path };
}

/** Reads a root whose first step is a name, as in `a|var::NAME.path|`. */
function named(site: Site, isText: boolean): Expr {
  const { marker, at, cx, say } = site;
  checkOperator(marker.path, say);
  // The whole text is the name of the environment variable: its value is text and has no parts.
  const read = marker.root === "env" ? { steps: [marker.path ?? ""], count: false } : readPath(marker.path ?? "");
  if (isFinding(read)) return say(read);
  const [name = "", ...steps] = read.steps;
  if (typeof name !== "string" || name === "") return say(codes.emptyPart());
  const rest = { ...read, steps };
  if (marker.root === "template") return pathExpr(template(name, isText && steps.length === 0, site), rest);
  need(name, site);
  if (marker.root === "var") noteVariable(name, site);
  const of = pathExpr({ op: "root", root: marker.root, name, at }, rest);
  const isHidden = isSecret(marker.root, name) || (marker.root === "var" && cx.scope.hiddenVariables.has(name));
  return cx.scope.masked && isHidden ? { op: "filter", use: "masked", of, args: [] } : of;
}

/** `a|secret::NAME|` and `a|secret::NAME::path|`. Reading an unset secret fails, unless the marker has a default (spec/surfaces 11). */
function secret({ marker, scalar, at, cx: { scope, report }, say }: Site): Expr {
  const { path: reference = "" } = marker;
  const end = reference.indexOf("::");
  const name = (end < 0 ? reference : reference.slice(0, end)).trim();
  const inside = end < 0 ? "" : reference.slice(end + 2).trim();
  if (name === "" || (end >= 0 && inside === "")) return say(codes.emptyPart());
  const format = scope.stored.get(name);
  const path = format === "equal" && inside !== "" ? { steps: [inside], count: false } : readPath(inside);
  if (isFinding(path)) return say(path);
  const guess = format === undefined ? nearest(name, scope.stored.keys()) : undefined;
  if (guess !== undefined) reportAt(names.unknownSecret(name, guess), marker, scalar, report);
  const isOptional = hasDefault(marker);
  (isOptional && format === undefined ? scope.optional : scope.needs).secrets.add(name);
  // A log never shows a secret, so none has to be fetched for a log.
  if (scope.masked) return { op: "lit", value: "***" };
  if (!scope.secrets.has(name)) scope.secrets.set(name, at);
  const of = pathExpr({ op: "root", root: "secret", name, at }, path);
  return isOptional ? of : { op: "filter", use: "stored", of, args: [{ op: "lit", value: reference }] };
}

/** Notes a need: a name with neither a default nor a local value must be supplied from outside. */
function need(variable: string, { marker, at, cx: { scope } }: Site): void {
  const { root: name } = marker;
  if (name === "var" && scope.variables.has(variable)) return;
  const isOptional = hasDefault(marker);
  (isOptional ? scope.optional : scope.needs)[name === "env" ? "env" : "vars"].add(variable);
  if (!isOptional && name !== "env") scope.wanted.push({ name: variable, at });
}

const hasDefault = ({ steps }: Pick<Marker, "steps">): boolean => steps.some((step) => step.kind === "filter" && step.name === "default");

/** Notes a name that nearly equals a declared one. Managed variables are unknown when compiling, so other names are not doubtful. */
function noteVariable(name: string, { marker, scalar, at, cx: { scope, report } }: Site): void {
  if (!scope.variableReads.has(name)) scope.variableReads.set(name, at);
  for (const secret of scope.masked ? [] : (scope.variableSecrets.get(name) ?? []))
    if (!scope.secrets.has(secret)) scope.secrets.set(secret, at);
  const guess = scope.variables.has(name) ? undefined : nearest(name, scope.variables);
  if (guess !== undefined) reportAt(names.unknownVariable(name, guess), marker, scalar, report);
}

/** The text of a template, filled in the scope of the marker that uses it. Mistakes in the template are reported in its own text. */
function template(name: string, isText: boolean, { cx, say }: Site): Expr {
  const { templates, open, fillings } = cx.scope;
  const node = templates.get(name);
  if (node === undefined) return say(names.unknownTemplate(name, nearest(name, templates.keys())));
  if (open.includes(name)) return say(flow.variableCycle([...open.slice(open.indexOf(name)), name]));
  const text = templateText(node);
  if (text === undefined) return unset;
  if (fillings.left === 0) say(build.tooMuch("more than 1000 templates are filled into one value"));
  fillings.left -= 1;
  if (fillings.left < 0) return unset;
  const content = readScalar(text, cx.report);
  return content.sound ? lowerPlain(content, inTemplate(cx, name), isText) : unset;
}

function applied(step: MarkerStep, of: Expr, site: Site): Expr {
  const { at, cx, say } = site;
  if (step.kind === "path") {
    // A filter without the parentheses of its argument: `->default 1`.
    const filter =
      filterFor(step.path) ??
      slipOf(step.path, filterNames) ??
      filterNames.find((name) => /^[ :]/.test(step.path.slice(name.length)) && step.path.startsWith(name));
    if (filter !== undefined) cx.report(codes.nearlyFilter(step.path, filter), at);
    return follow(of, step.path, site);
  }
  const { name } = step;
  if (name === "raw") return of;
  const value = step.argument === undefined ? undefined : argument(step.argument, name === "default" ? site : { ...site, embedded: true });
  if (name === "default") return orElse(of, value ?? unset, at);
  if (value?.op === "lit" && name === "access") return withHeaderNames(pathExpr(of, { steps: [key(value.value)], count: false }), cx.scope);
  if (value?.op === "lit" && name === "path") return follow(of, String(value.value ?? ""), site);
  if (value?.op === "lit" && name === "map") {
    const read = readPath(String(value.value ?? ""));
    if (isFinding(read)) return say(read);
  }
  return { op: "filter", use: name, of, args: value === undefined ? [] : [value] };
}

const key = (value: Json): string | number => (typeof value === "number" ? value : String(value ?? ""));

/**
 * Lowers an argument. An argument that replaces a value, as in `->default(...)`, has the type of the value; arguments of all other filters
 * are texts.
 */
function argument(value: Argument, { scalar, cx, embedded }: Site): Expr {
  if (value.kind === "literal") return { op: "lit", value: value.value };
  const template: Pick<Parsed, "parts"> = value;
  const whole = onlyMarker(template);
  return whole === undefined ? concat(value.parts, (marker) => lowerMarker(marker, scalar, cx)) : lowerMarker(whole, scalar, cx, embedded);
}
