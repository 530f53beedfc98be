import fc from "fast-check";

/** Characters on which the two regex engines might differ: line ends, characters beyond ASCII, and letters with a third form of case. */
const characters = fc.constantFrom(
  ..."aabbcckKsSzZ019_- \t\n\r\v\f.@/:^$[]{}|\\é\u0085\u00a0\u017f\u0130\u0131\u212a\u2028\u2029\ufeffжİ",
  "😀",
  "👩‍💻",
  "\ud83d",
  "\ude00",
);
export const randomText = fc.string({ unit: characters, maxLength: 14 });

const literal = fc.constantFrom(
  ..."abcksKSzé019_-ж/@ ",
  "😀",
  "\u2028",
  "\u212a",
  "\u017f",
  "\\.",
  "\\-",
  "\\/",
  "\\$",
  "\\\\",
  "\\n",
  "\\t",
  "\\r",
  "\\v",
  "\\x41",
  "\\x{1F600}",
  "\\_",
  "}",
  "]",
);
const named = fc.constantFrom("\\d", "\\D", "\\w", "\\W", "\\s", "\\S");
const piece = fc.oneof(
  literal.filter((text) => text !== "]" && text !== "-"),
  named,
  fc.constantFrom("a-c", "0-9", "A-Z", "a-z", "é-ж", "!-~", "\\x00-\\x1f", "😀-😂", "J-L", "r-t", "[", "^", "$", "."),
);
const set = fc
  .tuple(fc.constantFrom("", "^"), fc.array(piece, { minLength: 1, maxLength: 3 }), fc.constantFrom("", "-", "]"))
  .map(([not, pieces, odd]) => `[${not}${odd === "]" ? "]" : ""}${pieces.join("")}${odd === "-" ? "-" : ""}]`);
const edge = fc.constantFrom("^", "$", "\\b", "\\B", "\\A", "\\z");
const times = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,2}", "{2,}", "*?", "+?", "??", "{1,2}?", "{0,}?");

/** A repetition in which a later round may leave the group unmatched. */
const loop = fc
  .tuple(fc.constantFrom("a", "[ab]", "."), fc.constantFrom("b", "c", ""), fc.constantFrom("*", "+", "{2,3}", "+?"))
  .map(([one, other, count]) => `(?:(${one})|${other}.)${count}`);

interface Tie {
  readonly pattern: string;
  readonly branch: string;
  readonly term: string;
}

const tree = fc.letrec<Tie>((tie) => ({
  pattern: fc.array(tie("branch"), { minLength: 1, maxLength: 3, depthIdentifier: "pattern" }).map((branches) => branches.join("|")),
  branch: fc.array(tie("term"), { maxLength: 4, depthIdentifier: "pattern" }).map((terms) => terms.join("")),
  term: fc.oneof(
    { maxDepth: 4, depthIdentifier: "pattern" },
    fc
      .tuple(fc.oneof({ weight: 3, arbitrary: literal }, { weight: 2, arbitrary: set }, named, fc.constant(".")), times)
      .map((parts) => parts.join("")),
    edge,
    loop,
    fc
      .tuple(fc.constantFrom("(", "(?:", "(?:", "(?P<n>", "(?<m>"), tie("pattern"), times)
      .map(([open, body, count]) => `${open}${body})${count}`),
  ),
}));

/** Patterns of the language. Most have a form in JavaScript, and some are refused because a group name occurs twice. */
export const randomPattern = fc.tuple(fc.constantFrom("", "", "(?i)", "(?s)", "(?is)"), tree.pattern).map((parts) => parts.join(""));
