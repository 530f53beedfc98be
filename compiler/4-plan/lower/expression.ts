import { arithmetic } from "#runtime/languages/arithmetic.ts";
import { refused, unescaped } from "#runtime/languages/expression-syntax.ts";
import type { Expr, TextPart } from "#runtime/plan/index.ts";
import type { ScalarNode } from "../../1-read/document.ts";
import type { TemplatePart } from "../../1-read/markers/marker.ts";
import { watching } from "../../diagnostics/watching.ts";
import type { Lowering } from "../markers/scope.ts";
import { checkStage } from "../stage.ts";
import { listOf, mapOf } from "./fold.ts";
import { lowerMarker, textOf } from "./reads.ts";
import { readScalar } from "./scalar.ts";

/** An operand, and the values to which its text refers as `$0`, `$1`, … */
export interface Expression {
  readonly operand: Expr;
  readonly values: readonly Expr[];
}

/**
 * Context J (spec/language 2.8): the text of an expression is known when compiling. The values of its markers are passed beside the text,
 * so that they can never become operators. A marker inside quotes is a part of the quoted text.
 */
export function lowerExpression(node: ScalarNode, cx: Lowering): Expression {
  const scalar = readScalar(node, cx.report);
  const reading = new Reading((marker, embedded) => lowerMarker(marker, scalar, cx, embedded));
  for (const part of scalar.template.parts) reading.take(part);
  const { text, values, isSound } = reading.done();
  if (!isSound) {
    const { code, message } = refused("'$' is not in the language");
    cx.report({ code, severity: "error", message }, node.span);
  }
  // An expression with a reported mistake is not checked again.
  return isSound && scalar.sound ? { operand: { op: "lit", value: text }, values } : { operand: { op: "lit", value: "false" }, values: [] };
}

/** An expression of a transform, which is checked at its own place: its text when it has no markers, else `{text, values}`. */
export function lowerOperands(node: ScalarNode, cx: Lowering): Expr {
  const { operand, values } = lowerExpression(node, cx);
  const { report, hasErrors } = watching(cx.report);
  if (operand.op === "lit") checkStage({ prepare: arithmetic }, operand.value, node.span, report);
  // An expression with a reported mistake is not checked again.
  if (hasErrors()) return { op: "lit", value: "0" };
  return values.length === 0
    ? operand
    : mapOf([
        ["text", operand],
        ["values", listOf(values)],
      ]);
}

type Lower = (marker: Extract<TemplatePart, { kind: "marker" }>, embedded: boolean) => Expr;

/** Text in quotes as far as it has been read: as written, and with its markers. */
interface Quoted {
  readonly source: string;
  readonly parts: readonly TextPart[];
}

/** Goes through the parts of an expression and knows at each place whether it is inside quotes. */
class Reading {
  readonly #lower: Lower;
  readonly #values: Expr[] = [];
  #text = "";
  #quoted: Quoted | undefined;
  #afterValue = false;
  /** False when the author has written a `$`: `$0`, `$1`, … are names of our values. */
  #isSound = true;

  constructor(lower: Lower) {
    this.#lower = lower;
  }

  take(part: TemplatePart): void {
    if (part.kind === "text") {
      for (const [token] of part.text.matchAll(/\\?./gs)) this.#token(token);
    } else if (this.#quoted === undefined) this.#value(this.#lower(part, false));
    else this.#quote("", { fill: "text", of: this.#lower(part, true) });
  }

  /** The text that was read. The parser of expressions reports a quote that is still open. */
  done(): { readonly text: string; readonly values: readonly Expr[]; readonly isSound: boolean } {
    return { text: `${this.#text}${this.#quoted?.source ?? ""}`.trim(), values: this.#values, isSound: this.#isSound };
  }

  /** One character, or an escaped one. */
  #token(token: string): void {
    if (this.#quoted !== undefined) {
      if (token === this.#quoted.source[0]) this.#unquote(this.#quoted);
      else this.#quote(token, unescaped(token));
    } else if (token === '"' || token === "'") this.#quoted = { source: token, parts: [] };
    else {
      if (token === "$") this.#isSound = false;
      this.#add(token);
    }
  }

  #quote(token: string, part: TextPart): void {
    const { source, parts } = this.#quoted ?? { source: "", parts: [] };
    this.#quoted = { source: `${source}${token}`, parts: [...parts, part] };
  }

  #unquote({ source, parts }: Quoted): void {
    this.#quoted = undefined;
    if (parts.every((part) => typeof part === "string")) this.#add(`${source}${source[0]}`);
    else this.#value(textOf(parts));
  }

  /** Text that touches a value without an operator must not become a part of its name, and the value must not become a part of the text. */
  #value(of: Expr): void {
    const touches = this.#afterValue || /\w/.test(this.#text.at(-1) ?? "");
    this.#text += `${touches ? " " : ""}$${this.#values.push(of) - 1}`;
    this.#afterValue = true;
  }

  #add(token: string): void {
    this.#text += this.#afterValue && /^[\w$]/.test(token) ? ` ${token}` : token;
    this.#afterValue = false;
  }
}
