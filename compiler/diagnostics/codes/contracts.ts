import { error, warning } from "./code.ts";

/** The side of an interface that a schema describes. */
export type ContractPart = "accepts" | "produces";

const badSchema = {
  means:
    "`accepts.schema` (and `produces.schema`) is a JSON Schema of the version 2020-12. A keyword has a wrong value, a reference leads nowhere, or a pattern is not RE2. A few valid schemas are refused, since the validator would decide them wrongly: `unevaluatedItems` beside `contains`, `$dynamicRef` beside `$id` or `$ref`, and a member `__proto__`. With `enforce: true` this is an error; without it the schema is only shown, and this is a warning.",
  wrong: "accepts:\n  enforce: true\n  schema: { type: text }",
  right: "accepts:\n  enforce: true\n  schema: { type: string }",
};

const noSchema = (reason: string, part: ContractPart): { readonly message: string; readonly hint: string } => ({
  message: `${part}.schema is no JSON Schema: ${reason}`,
  hint: "write it as JSON Schema 2020-12 says",
});

/** 19x: what an interface takes and gives. */
export const contracts = {
  badSchema: error("PW190", noSchema, badSchema),
  badDescription: warning("PW190", noSchema, badSchema),
  undecidable: error(
    "PW190",
    (reason: string, remedy: string, part: ContractPart) => ({
      message: `${part}.schema has what the validator would decide wrongly: ${reason}`,
      hint: remedy,
    }),
    badSchema,
  ),
  unchecked: warning(
    "PW191",
    (reason: string, part: ContractPart) => ({
      message: `${part}.schema has a part that nothing checks: ${reason}`,
      hint: "correct its name, or begin it with x- where it is for people",
    }),
    {
      means:
        "JSON Schema ignores keywords and formats that it does not know, so that a misspelt one would let everything pass. Keywords that begin with `x-` and those of OpenAPI (`example`, `discriminator`, `xml`, `externalDocs`) are not reported: they only describe.",
      wrong: "accepts:\n  enforce: true\n  schema: { type: string, minLenght: 3 }",
      right: "accepts:\n  enforce: true\n  schema: { type: string, minLength: 3 }",
    },
  ),
  namesForSchema: warning(
    "PW191",
    (name: string, part: ContractPart) => ({
      message: `${part}.schema says nothing: '${name}' is no keyword of JSON Schema`,
      hint: `write { type: object, properties: { ${name}: … } }`,
    }),
    {
      means: "A schema describes an object by `type: object` and `properties`. A map of names alone describes nothing.",
      wrong: "accepts:\n  schema: { email: string }",
      right: "accepts:\n  schema: { type: object, properties: { email: { type: string } } }",
    },
  ),
  nothingToEnforce: error(
    "PW192",
    (part: ContractPart) => ({
      message: `${part}.enforce has no schema to enforce`,
      hint: `write ${part}.schema beside it, or leave enforce out`,
    }),
    {
      means:
        "`enforce: true` refuses what does not satisfy `accepts.schema`, and below `produces` lets `dev` warn of an answer that does not satisfy `produces.schema`. A schema that the compiler derives from tests is not enforced: the tests decide themselves.",
      wrong: "accepts: { enforce: true }",
      right: "accepts:\n  enforce: true\n  schema: { type: object, required: [title], properties: { title: { type: string } } }",
    },
  ),
};
