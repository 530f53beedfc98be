import { Reject } from "../value/failure.ts";

/** The diagnostic of a pattern that is not in the language. */
export const refused = (reason: string): Reject => new Reject("PW421", `bad regular expression: ${reason}`);

/** The forms that are read as one piece; anything else is read by the character. */
const pieces = [
  /\\Q.*?(?:\\E|$)/, // a quoted run
  /\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]/, // a class
  /\\u\{|\\[1-7][0-7]{1,2}|\\./, // an escape
  /\(\?(?=[a-zA-Z-]*x)[a-zA-Z]*(?:-[a-zA-Z]+)?[:)]/, // flags with `x`
  /\(\?<?[=!]/, // a look-around
  /\{\s*,\s*\d+\s*\}/, // a repetition without a least count
  /./,
];
const piece = pieces.map((one) => one.source).join("|");

/**
 * Rewrites a pattern so that the engine reads it as Rust would (spec/jq-jsonpath-regex C): `(?x)` is resolved here, `\u{41}` becomes
 * `\x{41}`. Syntax that the engine would silently read in another way is PW421: `&&` in a class and `{,n}`. Look-around and back-references
 * are refused here only to give a plainer message than the engine's.
 */
export function re2Syntax(pattern: string): string {
  const next = new RegExp(piece, "sy");
  // Whether white space is ignored, for each open group; the last one counts.
  const verbose = [false];
  let out = "";
  while (next.lastIndex < pattern.length) {
    const [token = ""] = next.exec(pattern) ?? [];
    const ignoring = verbose.at(-1) === true;
    if (ignoring && token === "#") next.lastIndex = endOfLine(pattern, next.lastIndex);
    else if (!ignoring || !/^\s$/.test(token)) out += rewritten(token, verbose);
  }
  return out;
}

function endOfLine(pattern: string, from: number): number {
  const end = pattern.indexOf("\n", from);
  return end < 0 ? pattern.length : end + 1;
}

/** One piece as the engine wants it; opens and closes groups in `verbose`. */
function rewritten(token: string, verbose: boolean[]): string {
  const ignoring = verbose.at(-1) === true;
  if (token === "(") verbose.push(ignoring);
  if (token === ")" && verbose.length > 1) verbose.pop();
  if (token.length === 1 || token.startsWith("\\Q")) return token;
  if (/^\\[1-7]\d/.test(token))
    throw refused(`octal escape '${token}' is not in the language; write '\\x{${Number.parseInt(token.slice(1), 8).toString(16)}}'`);
  if (/^\\[1-9k]/.test(token)) throw refused(`back-reference '${token}' is not in the language`);
  if (token.startsWith("\\")) return token === "\\u{" ? "\\x{" : token;
  if (token.startsWith("[")) return classOf(token, ignoring);
  if (token.startsWith("{")) throw refused(`write '{0${token.replace(/[\s{]/g, "")}' instead of '${token}'`);
  if (/[=!]$/.test(token)) throw refused(`look-around '${token}' is not in the language`);
  return flags(token, verbose);
}

function classOf(token: string, ignoring: boolean): string {
  if (token.replace(/\\./gs, "_").includes("&&")) throw refused(`'&&' inside '${token}' is not in the language`);
  const tight = ignoring ? token.replace(/(\\.)|\s/gs, "$1") : token;
  return tight.replace(/\\(?:u\{|.)/gs, (sequence) => (sequence === "\\u{" ? "\\x{" : sequence));
}

/** `(?ix-s)` or `(?x:`: takes the `x` out and remembers it for the group in which it holds. */
function flags(token: string, verbose: boolean[]): string {
  const opens = token.endsWith(":");
  const [on = "", off = ""] = token.slice(2, -1).split("-");
  const ignoring = !off.includes("x");
  if (opens) verbose.push(ignoring);
  else verbose[verbose.length - 1] = ignoring;
  const letters = [on.replaceAll("x", ""), off.replaceAll("x", "")];
  const list = letters[1] === "" ? letters[0] : letters.join("-");
  if (opens) return `(?${list}:`;
  return list === "" ? "" : `(?${list})`;
}
