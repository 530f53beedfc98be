import { Reject } from "../value/failure.ts";

/** The diagnostic of a pattern that is not in the language. */
export const refused = (reason: string): Reject => new Reject("PW421", `bad regular expression: ${reason}`);

/** The forms that are read as one piece; anything else is read by the character. */
const pieces = [
  /\\Q.*?(?:\\E|$)/, // a quoted run
  /\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]/, // a class
  /\\u\{|\\./, // an escape
  /\(\?(?=[a-zA-Z-]*x)[a-zA-Z]*(?:-[a-zA-Z]+)?[:)]/, // flags with `x`
  /\(\?<?[=!]/, // a look-around
  /\{\s*,\s*\d+\s*\}/, // a repetition without a least count
  /./,
];
const piece = pieces.map((one) => one.source).join("|");

/**
 * Rewrites a pattern so that the engine reads it as Rust would (spec/jq-jsonpath-regex C): `(?x)` is worked off here, `\u{41}` becomes
 * `\x{41}`. What the engine would silently read in another way is PW421: `&&` in a class and `{,n}`. Look-around and back-references are
 * refused here only to say so in plainer words than the engine.
 */
export function re2Syntax(pattern: string): string {
  const next = new RegExp(piece, "sy");
  // Whether white space is ignored, for each open group; the last one counts.
  const verbose = [false];
  let out = "";
  while (next.lastIndex < pattern.length) {
    const [found = ""] = next.exec(pattern) ?? [];
    const ignoring = verbose.at(-1) === true;
    if (ignoring && found === "#") next.lastIndex = endOfLine(pattern, next.lastIndex);
    else if (!ignoring || !/^\s$/.test(found)) out += rewritten(found, verbose);
  }
  return out;
}

function endOfLine(pattern: string, from: number): number {
  const end = pattern.indexOf("\n", from);
  return end < 0 ? pattern.length : end + 1;
}

/** One piece as the engine wants it; opens and closes groups in `verbose`. */
function rewritten(found: string, verbose: boolean[]): string {
  const ignoring = verbose.at(-1) === true;
  if (found === "(") verbose.push(ignoring);
  if (found === ")" && verbose.length > 1) verbose.pop();
  if (found.length === 1 || found.startsWith("\\Q")) return found;
  if (/^\\[1-9k]/.test(found)) throw refused(`back-reference '${found}' is not in the language`);
  if (found.startsWith("\\")) return found === "\\u{" ? "\\x{" : found;
  if (found.startsWith("[")) return classOf(found, ignoring);
  if (found.startsWith("{")) throw refused(`write '{0${found.replace(/[\s{]/g, "")}' instead of '${found}'`);
  if (/[=!]$/.test(found)) throw refused(`look-around '${found}' is not in the language`);
  return flags(found, verbose);
}

function classOf(found: string, ignoring: boolean): string {
  if (found.replace(/\\./gs, "_").includes("&&")) throw refused(`'&&' inside '${found}' is not in the language`);
  const tight = ignoring ? found.replace(/(\\.)|\s/gs, "$1") : found;
  return tight.replace(/\\(?:u\{|.)/gs, (sequence) => (sequence === "\\u{" ? "\\x{" : sequence));
}

/** `(?ix-s)` or `(?x:`: takes the `x` out and remembers it for the group that it is good for. */
function flags(found: string, verbose: boolean[]): string {
  const opens = found.endsWith(":");
  const [on = "", off = ""] = found.slice(2, -1).split("-");
  const ignoring = !off.includes("x");
  if (opens) verbose.push(ignoring);
  else verbose[verbose.length - 1] = ignoring;
  const kept = [on.replaceAll("x", ""), off.replaceAll("x", "")];
  const list = kept[1] === "" ? kept[0] : kept.join("-");
  if (opens) return `(?${list}:`;
  return list === "" ? "" : `(?${list})`;
}
