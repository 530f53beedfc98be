import type { Expr, JqPlan, Span, TextPart } from "#runtime/plan/index.ts";
import { roots } from "#runtime/run/marker-roots.ts";
import type { ScalarNode } from "../../1-read/document.ts";
import type { Marker, TemplatePart } from "../../1-read/markers/marker.ts";
import { marker as codes } from "../../diagnostics/codes/marker.ts";
import { Cursor } from "../../jq/parse/holes.ts";
import { checkJqComparisons } from "../inference/compared-text.ts";
import { readsSecret } from "../markers/mentions.ts";
import { type Lowering, visible } from "../markers/scope.ts";
import { listOf } from "./fold.ts";
import { lowerHole, textOf } from "./reads.ts";
import { readScalar, type Scalar } from "./scalar.ts";

type Lowered = Pick<JqPlan, "filter" | "values" | "secret">;

/**
 * Context H (spec/language 2.8): a jq filter. The value of a marker is bound to a variable, or interpolated where the filter has a string:
 * it is never a part of the filter. jq itself checks the filter (PW205).
 */
export function lowerFilter(node: ScalarNode, cx: Lowering): Lowered {
  const scalar = readScalar(node, cx.report, { code: true });
  const reading = new Reading(scalar, cx);
  if (scalar.sound) for (const part of scalar.template.parts) reading.take(part);
  const { filter, values } = reading.done();
  const secret = readsSecret(values) ? { secret: true as const } : {};
  if (scalar.sound && filter.op === "lit") checkJqComparisons(String(filter.value), reading.markers, values, scalar, cx);
  if (!scalar.sound || refused(filter, values.length, node.span, cx)) return { filter: { op: "lit", value: "." }, values: [] };
  return { filter, values, ...secret };
}

/** A filter as an argument of a feature: its text, or `{text, values}`. */
export function lowerFilterArgument(node: ScalarNode, cx: Lowering): Expr {
  const { filter, values, secret } = lowerFilter(node, cx);
  if (values.length === 0 && filter.op === "lit") return filter;
  return {
    op: "map",
    entries: [["text", filter], ["values", listOf(values)], ...(secret ? [["secret", { op: "lit", value: true }] as const] : [])],
  };
}

/** True for a filter that jq refuses, which is reported. A filter with a raw marker is known only at run time, when jq checks it. */
function refused(filter: Expr, names: number, at: Span, cx: Lowering): boolean {
  if (filter.op !== "lit") return false;
  const reason = cx.refusal?.(String(filter.value), names);
  if (reason !== undefined) cx.report(codes.jq(reason), at);
  return reason !== undefined;
}

/** Goes through the parts of a filter and knows at each marker whether it stands in a string. */
class Reading {
  readonly #scalar: Scalar;
  readonly #cx: Lowering;
  readonly #cursor = new Cursor();
  readonly #values: Expr[] = [];
  /** The marker of each value; undefined for a marker inside a string. */
  readonly markers: (Marker | undefined)[] = [];
  readonly #parts: TextPart[] = [];
  #afterVariable = false;

  constructor(scalar: Scalar, cx: Lowering) {
    this.#scalar = scalar;
    this.#cx = cx;
  }

  take(part: TemplatePart): void {
    if (part.kind === "text") this.#text(part.text);
    else if (this.#isField(part)) this.#text(this.#scalar.template.text.slice(part.start, part.end));
    else this.#hole(part);
  }

  done(): { readonly filter: Expr; readonly values: readonly Expr[] } {
    return { filter: textOf(this.#parts), values: this.#values };
  }

  /**
   * True for a part that only looks like a marker, as in `.a|length|tostring`: no root or action is named `length`, and no variable may
   * follow a dot.
   */
  #isField({ root }: Marker): boolean {
    const { position, last } = this.#cursor;
    return position === "code" && last === "." && !Object.hasOwn(roots, root) && visible(root, this.#cx.scope) === undefined;
  }

  /** A space keeps the name of a variable apart from letters that touch it. */
  #text(text: string): void {
    const apart = this.#afterVariable && /^\w/.test(text) ? " " : "";
    this.#afterVariable = false;
    this.#cursor.pass(text);
    this.#parts.push(`${apart}${text}`);
  }

  #hole(marker: Marker): void {
    const { of, raw } = lowerHole(marker, this.#scalar, this.#cx, "a jq filter");
    if (raw) this.#parts.push({ fill: "raw", of });
    else if (this.#cursor.position === "string") this.#text(`\\(${this.#variable({ op: "text", parts: [{ fill: "text", of }] })})`);
    else {
      this.markers[this.#values.length] = marker;
      this.#text(`${/[\w$]/.test(this.#cursor.last) ? " " : ""}${this.#variable(of)}`);
      this.#afterVariable = true;
    }
  }

  #variable(of: Expr): string {
    return `$__${this.#values.push(of) - 1}`;
  }
}
