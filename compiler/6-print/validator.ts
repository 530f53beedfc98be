import standalone from "ajv/dist/standalone/index.js";
import { bare, namesInCode, schemaCompiler } from "#runtime/languages/schema/compiler.ts";
import type { Json } from "#runtime/value/json.ts";
import { InternalError } from "../diagnostics/diagnostic.ts";
import { addLines, type Code, code, empty, enclosed, foreign, type Line, lines, lit, regexp } from "./code.ts";
import type { Imports } from "./imports.ts";
import type { Names } from "./names.ts";
import type { FeatureFacts } from "./place.ts";
import { readable } from "./validator-text.ts";

/** The module that a validator is printed into. */
interface ValidatorPlace {
  readonly imports: Imports;
  readonly features: FeatureFacts;
  readonly names: Names;
  /** The type of the accepted values, if it is printed. */
  readonly accepted: Code | undefined;
}

/** The call that checks the request of a trigger. The validator is a constant before the interface with this variable. */
export function acceptance(schema: Json, variable: Code, m: ValidatorPlace, hoisted: Line[]): Code {
  const constant = m.names.fresh(`${variable}_accepts`);
  addLines(hoisted, validatorLines(constant, schema, m));
  return code`${m.imports.use("accepts")}(cx, ${constant})`;
}

/** The statements with which ajv adds a finding to the earlier ones. Its `schemaPath` is left out, because no message shows it. */
const finding =
  /^const (err\d+) = (\{.*?),schemaPath:"(?:[^"\\]|\\.)*"(,keyword:.*\});\nif\(vErrors === null\)\{\nvErrors = \[\1\];\n\}\nelse \{\nvErrors\.push\(\1\);\n\}\n/gm;

/** The statements with which ajv adds the findings of a part of the schema that has its own function. */
const ofOthers = /^vErrors = vErrors === null \? ([\w.]+\.errors) : vErrors\.concat\(\1\);\nerrors = vErrors\.length;\n/gm;

/**
 * Prints a JSON Schema as a function of the module, so that no schema is compiled at run time. ajv writes the code with one statement on
 * each line; here it gets its types, and calls the runtime in place of packages.
 */
function validatorLines(constant: Code, schema: Json, m: ValidatorPlace): Line[] {
  const type = m.accepted === undefined ? empty : code`<${m.accepted}>`;
  const ajv = schemaCompiler(schema, { isChecked: true });
  const validate = ajv.compile(bare(schema));
  const text = rewritten(standalone.default(ajv, validate), m);
  const root = /^export default (\w+);$/m.exec(text)?.[1] ?? "validate";
  const [head = "", ...functions] = text
    .split("\n")
    .filter((line) => line !== "" && !/^(?:"use strict"|export )/.test(line))
    .join("\n")
    .split(/^(?=function )/m);
  const constants = Object.groupBy(head.split("\n"), (line) => (/^const wrapper\d/.test(line) ? "last" : "first"));
  const alone = functions.length === 1 ? onlyFunction(functions[0] ?? "", root) : undefined;
  const body = [...(constants.first ?? []), ...(alone ?? functions.flatMap(typedFunction)), ...(constants.last ?? [])];
  const tidy = readable(
    body.map((line) => linked(line, m)).filter((line) => line !== ""),
    { imports: m.imports, schema, isAlone: alone !== undefined },
  );
  const statements = used(tidy);
  if (alone === undefined)
    return inside(code`const ${constant}: pw.Validator${type} = (() => {`, [...statements, `return ${root};`], code`\n})();`);
  const { constant: own = [], statement = [] } = Object.groupBy(statements, (line) =>
    /^const (?:formats|pattern|schema)\d/.test(line) ? "constant" : "statement",
  );
  const validator = code`${m.imports.use("validator")}${type}`;
  if (own.length === 0) return inside(code`const ${constant} = ${validator}((data) => {`, statement, code`\n});`);
  return inside(code`const ${constant} = (() => {`, [...own, `return ${validator}((data) => {`, ...statement, "});"], code`\n})();`);
}

/**
 * The text of ajv, in which functions of the runtime add the findings. Statements of several lines are indented from the second line on.
 */
function rewritten(text: string, { imports }: ValidatorPlace): string {
  const result = text
    .replace(/\n +/g, " ")
    .replace(finding, (_, __, place: string, rest: string) => `vErrors = ${imports.use("addFinding")}(vErrors, ${place}${rest});\n`)
    .replace(ofOthers, (_, errors: string) => {
      return `vErrors = ${imports.use("addFindings")}(vErrors, ${errors});\nerrors += ${errors}.length;\n`;
    });
  const left = /^const err\d+ = \{[^}].*/m.exec(result)?.[0];
  if (left !== undefined) throw new InternalError(`a finding of a validator is not rewritten: ${left}`);
  return result;
}

/** The statements of a block, with the line that opens it and the line that ends it. */
const inside = (head: Code, statements: readonly string[], end: Code): Line[] =>
  enclosed(head, [{ text: empty }, ...laidOut(statements)], end).flatMap(({ text, at }) => lines(text, at));

/**
 * The statements of the only function, which returns its findings. Undefined if the function calls itself, or stores which members it has
 * evaluated.
 */
function onlyFunction(text: string, root: string): readonly string[] | undefined {
  const [, ...body] = text.split("\n").filter((line) => line !== "");
  const statements = body
    .slice(0, body.lastIndexOf("}"))
    .filter((line) => line !== `${root}.errors = vErrors;` && line !== "return errors === 0;");
  const isClosed = !statements.some((line) =>
    new RegExp(`\\b${root}\\b|\\bevaluated0\\b|\\b(?:rootData|parentData|dynamicAnchors)\\b`).test(line),
  );
  return isClosed ? [...statements, "return vErrors;"] : undefined;
}

/**
 * Links a line of ajv: functions of the runtime replace modules of packages, and patterns that JavaScript matches with the same result in
 * linear time become JavaScript patterns.
 */
function linked(line: string, { imports, features }: ValidatorPlace): string {
  const [, variable = "", value = ""] = /^const (\w+) = (.*);$/.exec(line) ?? [];
  const constant = (its: Code): string => `const ${variable} = ${its};`;
  if (value === 'require("ajv/dist/runtime/ucs2length").default') return constant(imports.use("stringLength"));
  if (value === 'require("ajv/dist/runtime/equal").default') return constant(imports.use("equalJson"));
  if (value === namesInCode.duplicate) return constant(imports.use("duplicateItems"));
  if (value === namesInCode.multiple) return constant(imports.use("isMultipleOf"));
  if (value.startsWith("require(")) throw new Error(`a validator loads ${value}`);
  if (value === namesInCode.pattern) return "";
  const [, format] = value.startsWith(namesInCode.formats) ? (/^\w+(.*)$/.exec(value) ?? []) : [];
  if (format !== undefined) return `const ${variable}: pw.Unchecked = ${imports.use("stringFormats")}${format};`;
  const [, text] = /^pattern\d+$/.test(variable) ? (/^func\d+\((".*"), "u"\)$/.exec(value) ?? []) : [];
  if (text === undefined) return line;
  const pattern = String(JSON.parse(text));
  const native = features.native(pattern);
  if (native !== undefined) return constant(code`${imports.use("nativePattern")}(${regexp(native)})`);
  return constant(code`${imports.use("pattern")}(${lit(pattern)})`);
}

/** A function with the types of its parameters, without unused ones. It is a constant, because ajv adds members to it. */
function typedFunction(text: string): readonly string[] {
  const [head = "", ...body] = text.split("\n");
  const [, variable = ""] = /^function (\w+)\(/.exec(head) ?? [];
  const inner = body.join("\n");
  const read = ['instancePath = ""', "parentData", "parentDataProperty", "rootData = data", "dynamicAnchors = {}"].filter((parameter) =>
    new RegExp(`\\b${parameter.replace(/ .*/, "")}\\b(?!:)`).test(inner),
  );
  const context = read.length === 0 ? "_context?: pw.Unchecked" : `{ ${read.join(", ")} }: pw.Unchecked = {}`;
  const end = body.indexOf(
    "}",
    body.findLastIndex((line) => line.startsWith("return ")),
  );
  const data = /\bdata\b/.test(inner) || read.includes("rootData = data") ? "data" : "_data";
  return [`const ${variable}: pw.Unchecked = (${data}: pw.Unchecked, ${context}): boolean => {`, ...body.with(end, "};")];
}

const declaration = /^(?:const|let|var) (\w+)(?: =.*)?;$/;

/** Constants whose type follows from their value. */
const isPlain = (variable: string): boolean => /^(?:err|len|func|pattern|formats|_errs)\d+$|^errors$/.test(variable);

/** The statements without unused constants, and with a type for values whose type only ajv knows. */
function used(statements: readonly string[]): string[] {
  const [mentions, reads] = [count(statements, /[A-Za-z_$][\w$]*/g), count(statements, /[A-Za-z_$][\w$]*(?! = )\b/g)];
  const lines = statements.filter((line) => {
    const [, variable] = declaration.exec(line) ?? [];
    return variable === undefined || mentions.get(variable) !== 1;
  });
  if (lines.length < statements.length) return used(lines);
  return lines.map((line) => {
    const [, variable = ""] = declaration.exec(line) ?? [];
    if (variable === "" || isPlain(variable)) return line;
    const typed = line.replace(/^(const|let|var) (\w+)/, "$1 $2: pw.Unchecked");
    // A variable that is only assigned gets a `void` statement, so that it counts as used.
    return line === `let ${variable};` && reads.get(variable) === 1 ? `${typed} void ${variable};` : typed;
  });
}

function count(statements: readonly string[], word: RegExp): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [match] of statements.join("\n").matchAll(word)) counts.set(match, (counts.get(match) ?? 0) + 1);
  return counts;
}

/** The constant of a schema that the validator reads at run time. */
const schemaConstant = /^(const schema\d+: pw\.Unchecked = )([{[].*);$/;

/** The lines, indented by their braces. Each statement of ajv is one line, which may open or end a block. Schemas take several lines. */
function laidOut(statements: readonly string[]): Line[] {
  let depth = 1;
  return statements.map((statement) => {
    if (statement.startsWith("}")) depth -= 1;
    const indent = "  ".repeat(depth);
    const [, start = "", schema] = schemaConstant.exec(statement) ?? [];
    const text = code`${foreign(indent)}${schema === undefined ? foreign(statement) : code`${foreign(start)}${lit(JSON.parse(schema), indent)};`}`;
    if (statement.endsWith("{")) depth += 1;
    return { text };
  });
}
