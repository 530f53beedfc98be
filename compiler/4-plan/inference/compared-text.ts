import type { Expr } from "#runtime/plan/index.ts";
import type { Marker } from "../../1-read/markers/marker.ts";
import { marker as codes } from "../../diagnostics/codes/marker.ts";
import { NotRead, type Token, tokens } from "../../jq/parse/tokens.ts";
import type { PathPiece } from "../lower/path-template.ts";
import { reportAt, type Scalar } from "../lower/scalar.ts";
import type { Lowering } from "../markers/scope.ts";
import { type Origin, originOf } from "./origin.ts";

/** Notes texts of a request that a filter of jq compares (PW276). The variable `$__N` has the value of `markers[N]`. */
export function checkJqComparisons(
  filter: string,
  markers: readonly (Marker | undefined)[],
  values: readonly Expr[],
  scalar: Scalar,
  cx: Lowering,
): void {
  const isText = values.map((value, i) => markers[i] !== undefined && isRequestText(value, cx));
  if (!isText.includes(true)) return;
  const all = read(filter);
  for (const [at, token] of all.entries()) {
    const index = token.kind === "variable" ? Number(/^\$__(\d+)$/.exec(token.text)?.[1] ?? -1) : -1;
    const marker = isText[index] === true ? markers[index] : undefined;
    const operator = marker === undefined ? undefined : operatorAt(all, at);
    if (marker !== undefined && operator !== undefined) say(marker, operator, scalar, cx);
  }
}

/** Notes texts of a request that the filters of a JSONPath compare. */
export function checkPathComparisons(pieces: readonly PathPiece[], markers: ReadonlyMap<Expr, Marker>, scalar: Scalar, cx: Lowering): void {
  for (const [i, piece] of pieces.entries()) {
    if (typeof piece === "string" || !("fill" in piece) || piece.fill !== "path_value") continue;
    const marker = markers.get(piece.of);
    const before = pieces[i - 1];
    const behind = pieces[i + 1];
    const operator =
      (typeof before === "string" ? /(?<!["'])\s*([!=<>]=|[<>])\s*$/.exec(before)?.[1] : undefined) ??
      (typeof behind === "string" ? /^\s*([!=<>]=|[<>])(?!\s*["'])/.exec(behind)?.[1] : undefined);
    if (marker !== undefined && operator !== undefined && isRequestText(piece.of, cx)) say(marker, operator, scalar, cx);
  }
}

function say(marker: Marker, operator: string, scalar: Scalar, cx: Lowering): void {
  reportAt(codes.comparedText(scalar.template.text.slice(marker.start, marker.end), operator), marker, scalar, cx.report);
}

/** True for a parameter or a header without a filter. Where a filter makes a text, the author means a text. */
function isRequestText(e: Expr, { settled }: Lowering): boolean {
  const origin: Origin | undefined = originOf(e, { actions: new Map() });
  if (origin === undefined || origin.isText || origin.path.length !== 1) return false;
  return origin.root === "headers" || (origin.root === "params" && settled?.has(String(origin.path[0])) !== true);
}

/** The tokens of a filter; empty when our tokenizer cannot read the filter. */
function read(filter: string): readonly Token[] {
  try {
    return tokens(filter);
  } catch (error) {
    if (error instanceof NotRead) return [];
    throw error;
  }
}

const comparisons: ReadonlySet<string | undefined> = new Set(["==", "!=", "<", "<=", ">", ">="]);
/** Filters of jq that give a text. */
const texts: ReadonlySet<string | undefined> = new Set([
  "tostring",
  "tojson",
  "ascii_downcase",
  "ascii_upcase",
  "ltrimstr",
  "rtrimstr",
  "trim",
  "join",
  "type",
]);

/** Words that are not a call when they stand before a parenthesis. */
const keywords: ReadonlySet<string> = new Set(["and", "or", "if", "elif", "then", "else", "as", "reduce", "foreach", "try", "catch"]);

/**
 * The operator of a comparison that has the variable as one side; undefined when the other side is a text, or when the variable is a part
 * of a larger operand.
 */
function operatorAt(all: readonly Token[], at: number): string | undefined {
  const before = textOf(all[at - 1]);
  const behind = textOf(all[at + 1]);
  if (comparisons.has(before)) {
    const isWhole = behind === undefined || /^(?:\)|\]|\}|,|;|\||and|or|then|\/\/)$/.test(behind);
    return isWhole && !endsInText(all, at - 2) ? before : undefined;
  }
  const isWhole = before === undefined || /^(?:\(|\[|\{|,|;|:|\||and|or|not|if|elif|\/\/)$/.test(before);
  return isWhole && comparisons.has(behind) && all[at + 2]?.kind !== "string" ? behind : undefined;
}

/** True when the operand that ends at `at` is a text, as in `"x" ==`, `(.id | tostring) ==` and `ltrimstr("x") ==`. */
function endsInText(all: readonly Token[], at: number): boolean {
  const last = all[at];
  if (last === undefined) return false;
  if (last.kind === "string" || last.kind === "format" || texts.has(textOf(last))) return true;
  if (textOf(last) !== ")") return false;
  const open = opening(all, at);
  const callee = all[open - 1];
  const isCall = callee?.kind === "word" && !keywords.has(callee.text);
  return isCall ? texts.has(callee.text) : endsInText(all, at - 1);
}

/** The index of the opening parenthesis that belongs to the closing one at `at`. */
function opening(all: readonly Token[], at: number): number {
  let depth = 0;
  for (let i = at; i >= 0; i--) {
    const text = textOf(all[i]);
    if (text === ")") depth += 1;
    else if (text === "(") depth -= 1;
    if (depth === 0) return i;
  }
  return 0;
}

const textOf = (token: Token | undefined): string | undefined => (token === undefined || token.kind === "string" ? undefined : token.text);
