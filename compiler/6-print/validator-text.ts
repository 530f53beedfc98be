import { isObject, type Json, own } from "#runtime/value/json.ts";
import type { Imports } from "./imports.ts";
import { namedValues } from "./validator-names.ts";

/** Statements of ajv whose texts are replaced by numbers, so that a rule changes only code and never a text of the schema. */
interface Masked {
  readonly code: string;
  readonly texts: string[];
}

/** A rule that changes the code of a validator, but not its meaning. */
type Rule = (masked: Masked, place: RulePlace) => string;

interface RulePlace {
  readonly imports: Imports;
  readonly schema: Json;
  /** True when the whole validator is one function, which only the runtime calls. */
  readonly isAlone: boolean;
}

/** Lines that hold a regular expression or a schema, which stay as they are. */
const whole = /^const (?:formats|pattern|schema)\d/;

/** The statements of ajv in a readable style, each on its own line. */
export function readable(statements: readonly string[], place: RulePlace): string[] {
  const constants = statements.filter((line) => whole.test(line));
  const texts: string[] = [];
  const code = statements
    .filter((line) => !whole.test(line))
    .join("\n")
    .replace(/"(?:[^"\\\n]|\\.)*"/g, (text) => `"${texts.push(text) - 1}"`);
  const result = rules.reduce((masked, rule): Masked => ({ code: rule(masked, place), texts }), { code, texts });
  const lines = result.code.replace(/"(\d+)"/g, (_, n: string) => texts[Number(n)] ?? "").split("\n");
  return [...constants, ...lines.filter((line) => line !== "")];
}

/** A member of the data, by its name. */
const member = String.raw`[\w$]+(?:\.[\w$]+|\["\d+"\])`;

/** Shortens checks of members. Data are JSON, so a member that is present has a value. */
const ownMembers: Rule = ({ code }) => {
  const own = /^const (func\d+) = Object\.prototype\.hasOwnProperty;$/m.exec(code)?.[1];
  if (own === undefined) return code;
  return code
    .replace(new RegExp(`${member} !== undefined && ${own}\\.call\\(`, "g"), "Object.hasOwn(")
    .replace(new RegExp(`\\(${member} === undefined\\) \\|\\| \\(!\\(${own}\\.call\\(([^()]*)\\)\\)\\)`, "g"), "!Object.hasOwn($1)")
    .replaceAll(`${own}.call(`, "Object.hasOwn(");
};

const objects: Rule = ({ code, texts }, { imports }) =>
  code.replace(/([\w$]+(?:\.[\w$]+|\["\d+"\]|\[[\w$]+\])*) && typeof \1 == "(\d+)" && !Array\.isArray\(\1\)/g, (all, value, n) =>
    texts[Number(n)] === '"object"' ? `${imports.use("isObject")}(${value})` : all,
  );

/** Gives functions of the runtime their own names. */
const helpers: Rule = ({ code }) => {
  const names = new Map([...code.matchAll(/^const (func\d+) = (pw\.\w+);$/gm)].map(([, name = "", helper = ""]) => [name, helper]));
  return code.replace(/^const func\d+ = pw\.\w+;\n?/gm, "").replace(/(?<![.\w$])func\d+\b/g, (name) => names.get(name) ?? name);
};

/** Joins texts that the code of ajv would join at run time. */
const joinedTexts: Rule = ({ code, texts }) =>
  code.replace(/"\d+"(?:\+"\d+")+/g, (all) => {
    const parts = [...all.matchAll(/"(\d+)"/g)].map(([, n]) => String(JSON.parse(texts[Number(n)] ?? '""')));
    return `"${texts.push(JSON.stringify(parts.join(""))) - 1}"`;
  });

/** The most characters of allowed values that are written into the code of a finding. */
const mostAllowed = 120;

const allowedValues: Rule = ({ code, texts }, { schema }) =>
  code.replace(/(allowedValues?|type): ?schema0((?:\.[\w$]+|\["\d+"\]|\[\d+\])+)/g, (all, word, path: string) => {
    const steps = [...path.matchAll(/\.([\w$]+)|\["(\d+)"\]|\[(\d+)\]/g)].map(([, name, text, index]) =>
      text === undefined ? (name ?? index ?? "") : String(JSON.parse(texts[Number(text)] ?? '""')),
    );
    const value = steps.reduce<Json | undefined>(below, schema);
    const text = value === undefined ? "" : JSON.stringify(value);
    if (text === "" || text.length > mostAllowed || text.includes("__proto__")) return all;
    return `${word}: ${text.replace(/"(?:[^"\\]|\\.)*"/g, (one) => `"${texts.push(one) - 1}"`).replaceAll(",", ", ")}`;
  });

const below = (value: Json | undefined, step: string): Json | undefined =>
  Array.isArray(value) ? value[Number(step)] : isObject(value) ? own(value, step) : undefined;

/** Prints findings with blanks. In a single function, the path of a value begins at the root. */
const findings: Rule = ({ code, texts }, { isAlone }) =>
  code.replace(
    /\{instancePath(?::(instancePath\+)?(.*?))?,keyword:("\d+"),params:(.*?),message:(.*?)(?:,propertyName:([\w$]+))?\}\);$/gm,
    (_, base: string | undefined, path: string | undefined, keyword, params: string, message, property: string | undefined) => {
      const root = `instancePath: "${texts.push('""') - 1}"`;
      const place =
        path === undefined ? (isAlone ? root : "instancePath") : `instancePath: ${isAlone ? "" : (base ?? "").replace("+", " + ")}${path}`;
      const last = property === undefined ? "" : `, propertyName: ${property}`;
      return `{ ${place}, keyword: ${keyword}, params: ${params.replace(/^\{(.+)\}$/, "{ $1 }")}, message: ${message}${last} });`;
    },
  );

/** Patterns for a value of the data, and for a comparison or a test of a value that needs no brackets beside other operators. */
const value = String.raw`[\w$.[\]"]+`;
const question = String.raw`(?:typeof )?${value} [!=]== (?:"\d+"|-?[\d.e+]+|true|false|null)|!?pw\.\w+\([^()]*\)`;

/** The pattern of a test in its own brackets beside `&&` or `||`. */
const alone = new RegExp(String.raw`(?<=\(|&& |\|\| )\((${question})\)(?= &&| \|\||\))`, "g");

/** The pattern of the test for an integer, as ajv writes it. */
const wholeNumber = new RegExp(String.raw`\((typeof ${value} === "\d+")\) && \((!\(${value} % 1\) && !isNaN\(${value}\))\)`, "g");

/** Removes brackets that have no effect from conditions. */
const brackets: Rule = ({ code }) => {
  const flat = code
    .replace(/!\(([\w$.]+\([^()]*\))\)/g, "!$1")
    .replace(/(typeof [\w$.[\]"]+ [!=]=)(?= ")/g, "$1=")
    .replaceAll(wholeNumber, "$1 && $2")
    .replace(alone, "$1");
  return unnested(flat);
};

function unnested(code: string): string {
  const less = code.replace(/\(\(([^()&]*)\) \|\| /g, "($1 || ");
  return less === code ? code : unnested(less);
}

/** Removes the count of errors, except where a choice needs to know whether its parts have errors. */
const counts: Rule = ({ code }) => {
  const plain = code
    .replace(/^let errors = 0;\n/gm, "")
    .replace(/^errors\+\+;\n/gm, "")
    .replace(/^return errors === 0;$/gm, "");
  return /\berrors\b(?! = vErrors;)/.test(plain.replaceAll(".errors", "")) ? code : plainCounts(code);
};

const plainCounts = (code: string): string =>
  code
    .replace(/^let errors = 0;\n/gm, "")
    .replace(/^errors\+\+;\n/gm, "")
    .replace(/^return errors === 0;$/gm, "return vErrors === null;");

const layout: Rule = ({ code }) =>
  code
    .replace(/(?<![.\w$])vErrors\b/g, "findings")
    .replace(/^let (data\d+) = /gm, (all, name) => (new RegExp(`(?<!let )\\b${name} = `).test(code) ? all : `const ${name} = `))
    .replace(/\b(if|for|while)\(/g, "$1 (")
    .replace(/\)\{$/gm, ") {")
    .replace(/^\}\nelse /gm, "} else ")
    .replace(/\((let \w+)=0; (\w+)<(\w+); /g, "($1 = 0; $2 < $3; ");

/** Puts blanks into the objects and sums of ajv, and leaves the quotes of plain keys out. A number such as `1e+21` is no sum. */
const blanks: Rule = ({ code, texts }) =>
  code
    .replace(/(?<=[\w"\])])(?<!\de)\+(?=[\w"(])/g, " + ")
    .replace(/,(?=\S)/g, ", ")
    .replace(/(?<=[{,] ?)"(\d+)":/g, (all, n) =>
      /^"[A-Za-z_$][\w$]*"$/.test(texts[Number(n)] ?? "") ? `${texts[Number(n)]?.slice(1, -1)}:` : all,
    )
    .replace(/(?<=[{,] ?[\w$"]+):(?=\S)/g, ": ")
    .replace(/\{(?=[^\s}])/g, "{ ")
    .replace(/(?<=[^\s{])\}/g, " }");

/** Names the values, only when there is a single function, since several functions repeat their names. */
const names: Rule = ({ code, texts }, { isAlone }) => (isAlone ? namedValues(code, texts) : code);

const rules: readonly Rule[] = [
  ownMembers,
  objects,
  helpers,
  joinedTexts,
  allowedValues,
  findings,
  brackets,
  counts,
  layout,
  blanks,
  names,
];
