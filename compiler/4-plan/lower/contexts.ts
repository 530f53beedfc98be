import type { Context } from "#runtime/features/feature.ts";
import { parseJson } from "#runtime/formats/json-text.ts";
import type { Fill } from "#runtime/plan/fills.ts";
import type { BodyPlan, Expr } from "#runtime/plan/index.ts";
import type { Node, ScalarNode } from "../../1-read/document.ts";
import type { Marker } from "../../1-read/markers/marker.ts";
import { hasMarker, onlyMarker } from "../../1-read/markers/markers.ts";
import { config } from "../../diagnostics/codes/file.ts";
import { marker as codes } from "../../diagnostics/codes/marker.ts";
import { InternalError } from "../../diagnostics/diagnostic.ts";
import { checkPathComparisons } from "../inference/compared-text.ts";
import { checkForeignForms } from "../markers/foreign-forms.ts";
import { checkGluedMarkers } from "../markers/glued-marker.ts";
import { included, spliced } from "../markers/include.ts";
import { configRoots, type Lowering, readingOnly } from "../markers/scope.ts";
import { lowerShell } from "../shell/index.ts";
import { checkAlmostJson } from "./body-type.ts";
import { lowerOperands } from "./expression.ts";
import { lowerFilterArgument } from "./filter.ts";
import { withHeaderNames } from "./header-names.ts";
import { jsonText, jsonValue } from "./json-template.ts";
import { mailItem, mailText } from "./mail-text.ts";
import { pathPieces, pathText, readPieces } from "./path-template.ts";
import { placed } from "./paths.ts";
import { concat, lowerHole, lowerMarker, lowerPlain, textOf } from "./reads.ts";
import { lowerPieces } from "./replacement.ts";
import { readScalar, type Scalar } from "./scalar.ts";
import { checkNumbers, jsonTemplate } from "./templates.ts";
import { urlText } from "./url.ts";

const unset: Expr = { op: "lit", value: null };

/** Lowers a text by the context of its field (spec/language 2.8). `field` is its name in messages. */
export function lowerText(node: ScalarNode, context: Context | undefined, cx: Lowering, field: string, isText = false): Expr {
  if (context === "static") return lowerStatic(node, cx, field);
  if (context === "json_file") return lowerJsonFile(node, cx, field);
  if (context === "jq") return lowerFilterArgument(node, cx);
  const scalar = readScalar(node, cx.report, {
    code: context === "sql" || context === "regex" || context === "shell" || context === "css",
  });
  if (!scalar.sound) return unset;
  checkGluedMarkers(scalar, context, cx);
  // The marker of an `input` or a `lookup` has its own check, which reports foreign forms.
  if (field !== "input" && field !== "lookup") checkForeignForms(scalar, context, cx);
  if (context === "json") checkAlmostJson(field, node, cx);
  return context === "expression" ? lowerOperands(node, cx) : lowerScalar(scalar, context, cx, isText);
}

/** The contexts in which every marker of a text is filled by the same rule. */
type ScalarContext = Exclude<Context, "static" | "json_file" | "jq" | "expression">;

/** Lowers a text whose markers are read and checked. */
function lowerScalar(scalar: Scalar, context: ScalarContext | undefined, cx: Lowering, isText: boolean): Expr {
  switch (context) {
    case "json":
      return lowerJson(scalar, cx);
    case "json_text":
      return lowerJsonText(scalar, cx).of;
    case "sql":
      return lowerSql(scalar, cx);
    case "shell":
      return lowerShell(scalar, cx);
    case "url":
      return lowerUrl(scalar, cx);
    case "header":
      return lowerHeader(scalar, cx);
    case "path":
      return lowerPath(scalar, cx);
    case "name":
      return lowerName(scalar, cx, isText);
    case "source":
      return lowerSource(scalar, cx);
    case "regex":
      return lowerPattern(scalar, cx, { fill: "regex", label: "a regular expression" });
    case "like":
      return lowerPattern(scalar, cx, { fill: "like", label: "a pattern" });
    case "css":
      return lowerPattern(scalar, cx, { fill: "css", label: "a CSS selector" });
    case "replacement":
      return lowerReplacement(scalar, cx);
    case "topic":
      return lowerLevels(scalar, cx, { fill: "topic_level", label: "a topic" });
    case "channel":
      return lowerLevels(scalar, cx, { fill: "channel_level", label: "a channel" });
    case "file_path":
      return lowerLevels(scalar, cx, { fill: "file_level", label: "a path", forTrusted: "file_levels" });
    case "mail":
    case "mail_item":
      return lowerMail(scalar, context, cx, isText);
    case "config":
      // A request must not choose the value.
      return lowerPlain(scalar, readingOnly(configRoots, cx));
    case "text":
      return lowerPlain(scalar, cx, true);
    case "start":
    case undefined:
      return lowerPlain(scalar, cx, isText);
  }
}

/**
 * A whole response body: text, or a value that is sent as JSON unless it is a string (spec/language 7.5). A structure is lowered by
 * `lower`.
 */
export function lowerBody(node: Node, lower: (node: Node) => Expr, cx: Lowering): BodyPlan {
  if (node.kind !== "scalar" || typeof node.value !== "string") return { as: "value", of: lower(node) };
  const scalar = readScalar(node, cx.report);
  if (scalar.sound) checkGluedMarkers(scalar, "json_text", cx);
  if (scalar.sound) checkForeignForms(scalar, "json_text", cx);
  return scalar.sound ? lowerJsonText(scalar, cx) : { as: "value", of: unset };
}

/**
 * Selects by `tests[].value` from the value of `base`. A whole marker is the target itself; any other text is a path, in which an embedded
 * marker is one key (spec/language 6.2, 2.8 I). No path is parsed at run time.
 */
export function lowerSelector(node: ScalarNode, base: Expr, cx: Lowering): Expr {
  const scalar = readScalar(node, cx.report);
  if (!scalar.sound) return unset;
  const whole = onlyMarker(scalar.template, /^\s+$/);
  if (whole !== undefined) return lowerMarker(whole, scalar, cx, false);
  const read = readPieces(
    base,
    pathPieces(scalar.template.parts, (marker) => lowerMarker(marker, scalar, cx)),
  );
  if (!("code" in read)) return placed(withHeaderNames(read, cx.scope), node.span);
  cx.report(read, node.span);
  return unset;
}

/** Markers are forbidden (PW207): the value decides what is compiled. */
function lowerStatic(node: ScalarNode, { report }: Lowering, field: string): Expr {
  if (typeof node.value === "string" && hasMarker(node.value)) report(codes.mustBeStatic(field), node.span);
  return { op: "lit", value: node.value };
}

/** The JSON of a file beside the config. It is read when compiling and becomes a part of the module, so that no process opens the file. */
function lowerJsonFile(node: ScalarNode, cx: Lowering, field: string): Expr {
  const path = String(node.value);
  if (hasMarker(path)) return lowerStatic(node, cx, field);
  const file = included({ path }, cx);
  const value = "text" in file ? parseJson(file.text) : null;
  if ("finding" in file) cx.report(file.finding, node.span);
  else if (value === undefined) cx.report(config.include(path, "not valid JSON"), node.span);
  return { op: "lit", value: value ?? null };
}

/** White space around the only marker of a JSON template does not count. */
const around = /^\s+$/;

function lowerJson(scalar: Scalar, cx: Lowering): Expr {
  const json = jsonTemplate(scalar, cx);
  if (json !== undefined) {
    checkNumbers(json, cx.report);
    return jsonValue(json);
  }
  const { template } = scalar;
  const whole = onlyMarker(template, around);
  return whole === undefined ? concat(template.parts, embedded(scalar, cx)) : lowerMarker(whole, scalar, cx, false);
}

function lowerJsonText(scalar: Scalar, cx: Lowering): BodyPlan {
  const json = jsonTemplate(scalar, cx);
  if (json !== undefined) return { as: "json_text", of: jsonText(json) };
  const { template } = scalar;
  const whole = onlyMarker(template, around);
  if (whole !== undefined) return { as: "value", of: lowerMarker(whole, scalar, cx, false) };
  return { as: "text", of: concat(template.parts, embedded(scalar, cx)) };
}

const embedded = (scalar: Scalar, cx: Lowering): ((marker: Marker) => Expr) => {
  return (marker) => lowerMarker(marker, scalar, cx);
};

function lowerSql(scalar: Scalar, cx: Lowering): Expr {
  if (cx.sql === undefined) throw new InternalError("a query outside a database action");
  return cx.sql(spliced(scalar, cx), cx);
}

function lowerUrl(scalar: Scalar, cx: Lowering): Expr {
  const { parts } = scalar.template;
  const whole = onlyMarker(scalar.template, around);
  if (whole !== undefined) return lowerHole(whole, scalar, cx, "a URL").of;
  return urlText(parts.map((part) => (part.kind === "text" ? part.text : lowerHole(part, scalar, cx, "a URL"))));
}

/** The marker of a scalar that is one marker; the newline that ends a block does not count (spec/language 2.8). */
const wholeMarker = ({ node, template }: Scalar): Marker | undefined => onlyMarker(template, node.block ? /^\n+$/ : undefined);

const hasMarkers = ({ template }: Scalar): boolean => template.parts.some(({ kind }) => kind === "marker");

/** The finished value is checked when it is sent: a line break in it fails the action. */
function lowerHeader(scalar: Scalar, cx: Lowering): Expr {
  const { template } = scalar;
  const whole = wholeMarker(scalar);
  if (whole !== undefined) return lowerHole(whole, scalar, cx, "a header").of;
  return concat(template.parts, (marker) => lowerHole(marker, scalar, cx, "a header").of);
}

/** A path of a transform. A whole marker is a path that is read at run time, but never `$` syntax (spec/transforms 2.1). */
function lowerPath(scalar: Scalar, cx: Lowering): Expr {
  const { template } = scalar;
  const whole = wholeMarker(scalar);
  if (whole !== undefined) return { op: "filter", use: "dot_path", of: lowerMarker(whole, scalar, cx), args: [] };
  const markers = new Map<Expr, Marker>();
  const pieces = pathPieces(template.parts, (marker) => {
    const of = lowerMarker(marker, scalar, cx);
    markers.set(of, marker);
    return of;
  });
  checkPathComparisons(pieces, markers, scalar, cx);
  return pathText(pieces);
}

/** A literal name of a transform. A whole marker gives one name, never several. */
function lowerName(scalar: Scalar, cx: Lowering, isText: boolean): Expr {
  const of = lowerPlain(scalar, cx, isText);
  return wholeMarker(scalar) === undefined ? of : { op: "filter", use: "one_name", of, args: [] };
}

/** A path as it is written, or `{value: …}` when it holds a marker: a text from a caller never counts as a path (spec/transforms 2.3). */
function lowerSource(scalar: Scalar, cx: Lowering): Expr {
  return hasMarkers(scalar) ? { op: "map", entries: [["value", lowerPlain(scalar, cx)]] } : lowerPlain(scalar, cx);
}

/** The rule that fills the markers of a text. */
interface Filling {
  readonly fill: Fill;
  /** The text in messages. */
  readonly label: string;
  /** The rule for values of the configuration, where it is another one. */
  readonly forTrusted?: Fill;
}

/** A whole marker is the name; a marker with text around it is one level of the name. */
function lowerLevels(scalar: Scalar, cx: Lowering, filling: Filling): Expr {
  const { parts } = scalar.template;
  if (wholeMarker(scalar) !== undefined || parts.every(({ kind }) => kind === "text")) return lowerPlain(scalar, cx, true);
  return filledText(scalar, cx, filling);
}

/** A whole marker is all the addresses of a field, or one of a list. */
function lowerMail(scalar: Scalar, context: "mail" | "mail_item", cx: Lowering, isText: boolean): Expr {
  if (!hasMarkers(scalar)) return lowerPlain(scalar, cx, isText);
  const whole = wholeMarker(scalar);
  if (whole === undefined) return mailText(scalar, cx);
  return context === "mail" ? lowerPlain(scalar, cx, isText) : mailItem(whole, scalar, cx);
}

/** A whole marker is the pattern; the value of a marker with text around it is matched literally (spec/language 2.8 K). */
function lowerPattern(scalar: Scalar, cx: Lowering, filling: Filling): Expr {
  const whole = wholeMarker(scalar);
  return whole === undefined ? filledText(scalar, cx, filling) : lowerHole(whole, scalar, cx, filling.label).of;
}

/** The newline that ends a block is no part of a replacement that is one marker. */
function lowerReplacement(scalar: Scalar, cx: Lowering): Expr {
  const whole = wholeMarker(scalar);
  return lowerPieces(whole === undefined ? scalar.template.parts : [whole], scalar, cx);
}

/** The text with its markers filled. Raw markers are inserted as they are. */
function filledText(scalar: Scalar, cx: Lowering, { fill, label, forTrusted = fill }: Filling): Expr {
  return textOf(
    scalar.template.parts.map((part) => {
      if (part.kind === "text") return part.text;
      const { of, raw, trusted } = lowerHole(part, scalar, cx, label);
      return { fill: raw ? "raw" : trusted ? forTrusted : fill, of };
    }),
  );
}
