import { Reject } from "#runtime/failure.ts";
import { condition } from "#runtime/lib/condition.ts";
import { refused } from "#runtime/lib/expression-syntax.ts";
import type { Expr, Part } from "#runtime/plan.ts";
import type { TemplatePart } from "./markers.ts";
import { lowerMarker, textOf } from "./reads.ts";
import type { Scalar } from "./scalar.ts";
import type { Lowering } from "./scope.ts";

/**
 * Context J (language.md 2.8): an expression without markers is its text, any other `{text, values}`, where the text names the values `$0`,
 * `$1`, …: a value is an operand and can never become an operator. A marker inside quotes is a part of that text.
 */
export function lowerExpression(scalar: Scalar, cx: Lowering): Expr {
  const { parts } = scalar.template;
  if (parts.every(({ kind }) => kind === "text")) return { op: "lit", value: scalar.template.text };
  const reading = new Reading((marker, embedded) => lowerMarker(marker, scalar, cx, embedded));
  for (const part of parts) reading.take(part);
  try {
    const { text, values } = reading.done();
    condition(text, values.length);
    return {
      op: "map",
      entries: [
        ["text", { op: "lit", value: text }],
        ["values", { op: "list", items: values }],
      ],
    };
  } catch (thrown) {
    if (!(thrown instanceof Reject)) throw thrown;
    cx.report({ code: thrown.code, severity: "error", message: thrown.message }, scalar.node.span);
    return { op: "lit", value: "false" };
  }
}

type Lower = (marker: Extract<TemplatePart, { kind: "marker" }>, embedded: boolean) => Expr;

/** Goes through the parts of an expression and knows at each place whether it is inside quotes. */
class Reading {
  readonly #lower: Lower;
  readonly #values: Expr[] = [];
  #text = "";
  /** The text in quotes that is being read. */
  #quoted: { readonly quote: string; source: string; parts: Part[]; hasMarker: boolean } | undefined;

  constructor(lower: Lower) {
    this.#lower = lower;
  }

  take(part: TemplatePart): void {
    if (part.kind === "text") {
      for (const [token] of part.text.matchAll(/\\?./gs)) this.#character(token);
    } else if (this.#quoted === undefined) this.#value(this.#lower(part, false));
    else {
      this.#quoted.parts.push({ fill: "text", of: this.#lower(part, true) });
      this.#quoted.hasMarker = true;
    }
  }

  done(): { readonly text: string; readonly values: readonly Expr[] } {
    if (this.#quoted !== undefined) throw refused("a quote is not closed");
    return { text: this.#text.trim(), values: this.#values };
  }

  /** One character, or an escaped one. */
  #character(token: string): void {
    const quoted = this.#quoted;
    if (quoted === undefined) {
      if (token === "$") throw refused("'$' is not in the language");
      if (token === '"' || token === "'") this.#quoted = { quote: token, source: token, parts: [], hasMarker: false };
      else this.#add(token);
      return;
    }
    quoted.source += token;
    if (token !== quoted.quote) quoted.parts.push(unescaped(token));
    else {
      this.#quoted = undefined;
      if (quoted.hasMarker) this.#value(textOf(quoted.parts));
      else this.#add(quoted.source);
    }
  }

  #value(of: Expr): void {
    this.#add(`$${this.#values.push(of) - 1}`);
  }

  /** What touches a value without an operator must not become a part of its name. */
  #add(token: string): void {
    const touches = /\$\d*$/.test(this.#text) ? /^[\w$]/.test(token) : /^\$/.test(token) && /\w$/.test(this.#text);
    this.#text += touches ? ` ${token}` : token;
  }
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v" };

/** As the parser of expressions reads it. */
const unescaped = (token: string): string => (token.length < 2 ? token : (escapes[token.slice(1)] ?? token.slice(1)));
