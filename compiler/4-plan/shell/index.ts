import type { Expr, TextPart } from "#runtime/plan/index.ts";
import type { Marker } from "../../1-read/markers/marker.ts";
import { sources as codes } from "../../diagnostics/codes/actions.ts";
import { listOf, mapOf } from "../lower/fold.ts";
import { lowerHole, textOf } from "../lower/reads.ts";
import { reportAt, type Scalar } from "../lower/scalar.ts";
import type { Lowering } from "../markers/scope.ts";
import { ShellLexer, type ShellPlace } from "./lexer.ts";

/**
 * A script with markers (spec/language 2.8 G): `{script, values}`. The script names variables of the environment, in quotes as their place
 * demands, and the values travel beside it, so that no shell reads data of a caller as a part of its program.
 */
export function lowerShell(scalar: Scalar, cx: Lowering): Expr {
  const { parts } = scalar.template;
  const [first] = parts.filter((part) => part.kind === "marker");
  if (first === undefined) return textOf(parts.map((part) => (part.kind === "text" ? part.text : "")));
  const reading = new Reading(scalar, cx);
  for (const part of parts) {
    if (part.kind === "text") reading.text(part.text);
    else reading.marker(part);
  }
  if (reading.unfinished) reportAt(codes.markerInCommand("command whose quotes or brackets do not end"), first, scalar, cx.report);
  return reading.done();
}

class Reading {
  readonly #scalar: Scalar;
  readonly #cx: Lowering;
  readonly #lexer = new ShellLexer();
  readonly #script: TextPart[] = [];
  readonly #values: Expr[] = [];
  #isSound = true;

  constructor(scalar: Scalar, cx: Lowering) {
    this.#scalar = scalar;
    this.#cx = cx;
  }

  /** When a hole was refused, no other mistake of the script is reported. */
  get unfinished(): boolean {
    return this.#isSound && this.#lexer.unfinished;
  }

  text(text: string): void {
    this.#lexer.read(text);
    // A dollar sign before a value is escaped, so that the two do not make a name.
    this.#script.push(this.#lexer.afterDollar && inQuotesOf[this.#lexer.place] !== undefined ? `${text.slice(0, -1)}\\$` : text);
  }

  marker(marker: Marker): void {
    const { of, raw } = lowerHole(marker, this.#scalar, this.#cx, "a command");
    const quoted = inQuotesOf[this.#lexer.place];
    this.#lexer.hole();
    if (raw) this.#script.push({ fill: "raw", of });
    else if (quoted !== undefined) this.#script.push(quoted(`\${pipewright_${this.#values.push(of)}}`));
    else {
      this.#isSound = false;
      reportAt(codes.markerInCommand(this.#lexer.place), marker, this.#scalar, this.#cx.report);
    }
  }

  done(): Expr {
    return mapOf([
      ["script", textOf(this.#script)],
      ["values", listOf(this.#values)],
    ]);
  }
}

/** The form of a variable in each place, so that its value is one word or a part of a word. */
const inQuotesOf: Readonly<Partial<Record<ShellPlace, (variable: string) => string>>> = {
  bare: (variable) => `"${variable}"`,
  "single quotes": (variable) => `'"${variable}"'`,
  "double quotes": (variable) => variable,
  "here-document": (variable) => variable,
};
