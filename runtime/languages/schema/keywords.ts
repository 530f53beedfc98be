import type { Ajv2020, CodeKeywordDefinition, KeywordCxt } from "ajv/dist/2020.js";
import { _, Name, str } from "ajv/dist/compile/codegen/index.js";
import { duplicateItems } from "../../value/duplicates.ts";
import { isMultipleOf } from "./multiples.ts";

/** Names of functions in the code that ajv writes, which the printer replaces. */
export const functionsInCode = { duplicate: "schemaDuplicate", multiple: "schemaMultiple" } as const;

/** The keyword with the meaning that it has in ajv. ajv itself compares each item with all others: a million items would take hours. */
const uniqueItems: CodeKeywordDefinition = {
  keyword: "uniqueItems",
  type: "array",
  schemaType: "boolean",
  error: {
    message: ({ params: { pair } }) => str`must NOT have duplicate items (items ## ${_`${pair}.j`} and ${_`${pair}.i`} are identical)`,
    params: ({ params: { pair } }) => _`${pair}`,
  },
  code(context) {
    const { gen, data, schema } = context;
    if (!schema) return;
    const find = gen.scopeValue("func", { ref: duplicateItems, code: new Name(functionsInCode.duplicate) });
    const pair = gen.const("pair", _`${find}(${data})`);
    context.setParams({ pair });
    context.fail(_`${pair} !== null`);
  },
};

/** The keyword on exact decimals. ajv divides doubles, by which 1000000000001 is a multiple of 1000000000, and 19.99 is not one of 0.01. */
const multipleOf: CodeKeywordDefinition = {
  keyword: "multipleOf",
  type: "number",
  schemaType: "number",
  error: {
    message: ({ schemaCode }) => str`must be multiple of ${schemaCode}`,
    params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}`,
  },
  code(context) {
    const { gen, data, schemaCode } = context;
    const decide = gen.scopeValue("func", { ref: isMultipleOf, code: new Name(functionsInCode.multiple) });
    context.fail(_`!${decide}(${data}, ${schemaCode})`);
  },
};

/** Puts our own keywords in the place of those of ajv. */
export function addOwnKeywords(ajv: Ajv2020): void {
  for (const own of [uniqueItems, multipleOf]) replaceKeyword(ajv, own);
  if (ajv.opts.unevaluated === false) return;
  for (const [keyword, code] of Object.entries(evaluating)) {
    const original = ajv.getKeyword(keyword) as CodeKeywordDefinition;
    replaceKeyword(ajv, { ...original, keyword, code: (context) => code(context, original) });
  }
}

function replaceKeyword(ajv: Ajv2020, own: CodeKeywordDefinition): void {
  ajv.removeKeyword(own.keyword as string).addKeyword(own);
}

/** Keywords for which ajv makes mistakes about the members and items that other keywords have evaluated. */
const evaluating: Readonly<Record<string, (context: KeywordCxt, original: CodeKeywordDefinition) => void>> = {
  if: conditional,
  anyOf: choice,
  oneOf: choice,
  dependentSchemas: choice,
  dependencies: choice,
  // The count of items may be known only at run time; `true` stands for all of them.
  unevaluatedItems(context, original) {
    const { gen, data, it } = context;
    if (it.items instanceof Name) it.items = gen.const("from", _`${it.items} === true ? ${data}.length : ${it.items} || 0`);
    original.code(context);
  },
  // The names are put into an object without a prototype: a plain object would also have inherited names, such as `toString`.
  unevaluatedProperties(context, original) {
    const { gen, it } = context;
    if (it.props instanceof Name)
      it.props = gen.const("names", _`${it.props} === true ? true : Object.assign(Object.create(null), ${it.props})`);
    original.code(context);
  },
};

function choice(context: KeywordCxt, original: CodeKeywordDefinition): void {
  keepEvaluated(context);
  original.code(context);
}

/** Records the evaluated names and items at run time from here on. ajv itself also counts those of a first part that does not hold. */
function keepEvaluated({ gen, it }: KeywordCxt): void {
  if (it.props !== true && !(it.props instanceof Name)) {
    const names = gen.var("props", _`{}`);
    for (const name of Object.keys(it.props ?? {})) gen.assign(_`${names}[${name}]`, true);
    it.props = names;
  }
  if (it.items !== true && !(it.items instanceof Name)) it.items = gen.var("items", it.items ?? 0);
}

/** `if` counts members and items as evaluated only when it holds, also without `then` and `else`. */
function conditional(context: KeywordCxt): void {
  const { gen, it } = context;
  keepEvaluated(context);
  const valid = gen.let("valid", true);
  const holds = gen.name("_valid");
  const part = context.subschema({ keyword: "if", compositeRule: true, createErrors: false, allErrors: false }, holds);
  context.mergeValidEvaluated(part, holds);
  context.reset();
  const clauses = (["then", "else"] as const).filter((keyword) => it.schema[keyword] !== undefined);
  if (clauses.length === 0) return;
  const ifClause = clauses.length === 2 ? gen.let("ifClause") : undefined;
  context.setParams({ ifClause: ifClause ?? clauses[0] });
  const clause = (keyword: "then" | "else"): (() => void) | undefined =>
    clauses.includes(keyword) ? () => branch(context, { keyword, valid, holds, ifClause }) : undefined;
  gen.if(holds, clause("then") ?? (() => undefined), clause("else"));
  context.pass(valid, () => context.error(true));
}

interface Branch {
  readonly keyword: "then" | "else";
  readonly valid: Name;
  readonly holds: Name;
  /** The variable that holds the keyword of the taken branch; absent when there is only one branch. */
  readonly ifClause: Name | undefined;
}

function branch(context: KeywordCxt, { keyword, valid, holds, ifClause }: Branch): void {
  const part = context.subschema({ keyword }, holds);
  context.gen.assign(valid, holds);
  context.mergeValidEvaluated(part, valid);
  if (ifClause !== undefined) context.gen.assign(ifClause, _`${keyword}`);
}
