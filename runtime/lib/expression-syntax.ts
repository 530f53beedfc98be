import jsep from "jsep";
import { Reject } from "../failure.ts";

// The grammar of `math` (transforms.md 5), as jsep reads it with three changes; lib/expression.ts says what of its tree has a meaning.

/** `target.<path>`, which jsep would read as members of JavaScript, where no name is made of digits. */
export interface Field {
  readonly type: "Field";
  readonly steps: readonly FieldStep[];
}

/** A name, an index or, by its number, a marker that is one key. */
export type FieldStep = string | number | { readonly marker: number };

export type Tree = jsep.CoreExpression | Field;

jsep.addBinaryOp("^", 12, true);

// Parentheses around one expression, or around the arguments of a function, with exactly one comma between any two: jsep would skip others.
// A group is a node of its own, so that `(-2) ^ 2` can be told from `-2 ^ 2`.
jsep.hooks.add("gobble-token", function (env) {
  const [name] = /^[A-Za-z]\w*(?=\s*\()|^(?=\()/.exec(this.expr.slice(this.index)) ?? [];
  if (name === undefined) return;
  this.index += name.length;
  this.gobbleSpaces();
  const expressions = list(this);
  env.node =
    name === ""
      ? { type: "SequenceExpression", expressions }
      : { type: "CallExpression", callee: { type: "Identifier", name }, arguments: expressions };
});

function list(scope: jsep.HookScope): jsep.Expression[] {
  const items: jsep.Expression[] = [];
  do {
    scope.index += 1;
    // The types say that there always is one; at the end, or before an operator, there is none.
    const item: jsep.Expression | undefined = scope.gobbleExpression();
    items.push(item || scope.throwError("an operand is missing"));
  } while (scope.char === ",");
  if (scope.char !== ")") scope.throwError("')' is missing");
  scope.index += 1;
  return items;
}

jsep.hooks.add("gobble-token", function (env) {
  if (!/^target\s*[.[]/.test(this.expr.slice(this.index))) return;
  this.index += "target".length;
  const field: Field = { type: "Field", steps: fieldSteps(this) };
  env.node = { ...field };
});

const name = String.raw`[\w\u0080-\uFFFF]+`;
const quoted = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`;

/** A name behind a dot, which may be left out behind brackets; an index or a quoted name in them; in either place a marker. */
const step = new RegExp(
  String.raw`\s*(?:(?:\.\s*)?\[\s*(?:\$(\d+)|(-?\d+)|(${quoted}))\s*\]|(?:\.\s*|(?<=\]))(?:\$(\d+)|(${name})))`,
  "sy",
);

function fieldSteps(scope: jsep.HookScope): readonly FieldStep[] {
  const steps: FieldStep[] = [];
  for (;;) {
    step.lastIndex = scope.index;
    const [whole, inBrackets, index, text, marker = inBrackets, name] = step.exec(scope.expr) ?? [];
    if (whole === undefined) break;
    scope.index += whole.length;
    if (marker !== undefined) steps.push({ marker: Number(marker) });
    else steps.push(name ?? (text === undefined ? safe(Number(index)) : String(jsep(text)["value"])));
  }
  scope.gobbleSpaces();
  if (scope.char === "[") throw refused("brackets hold an index or a quoted name");
  if (scope.char === ".") scope.throwError("a name is missing behind the dot");
  return steps;
}

function safe(index: number): number {
  if (!Number.isSafeInteger(index)) throw refused("an index is out of range");
  return index;
}

const longest = 4096;

/** The diagnostic of an expression that is not in the language. */
export const refused = (reason: string): Reject => new Reject("PW513", `bad expression: ${reason}`);

/** The tree of an expression, of which only the syntax is known. */
export function parseExpression(text: string): Tree {
  if (text.length > longest) throw refused(`it is longer than ${longest} characters`);
  if (/^\s*[,;]|[,;]\s*$/.test(text)) throw refused("it starts or ends with ',' or ';'");
  try {
    return node(jsep(text));
  } catch (error) {
    if (error instanceof RangeError) throw refused("it is nested too deep");
    if (!(error instanceof Error && "index" in error && "description" in error)) throw error;
    throw refused(`${error.description}, at character ${Number(error.index) + 1}`);
  }
}

/** jsep and the hooks above make no other nodes. */
export const node = (expression: jsep.Expression): Tree => expression as Tree;
