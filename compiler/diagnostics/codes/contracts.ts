import { error, warning } from "./code.ts";

/** The side of an interface that a schema describes. */
export type ContractPart = "accepts" | "produces";

const badSchema = {
  means:
    "`accepts.schema` (and `produces.schema`) is a JSON Schema of the version 2020-12. A keyword has a value that it cannot have, a reference leads nowhere, or a pattern is none of RE2. A few schemas are valid, but the validator would decide them wrongly: `unevaluatedItems` beside `contains`, `$dynamicRef` beside `$id` or `$ref`, and a member `__proto__`. With `enforce: true` nothing could be compared with it, which is an error; without it the schema is only shown, and the finding is a warning.",
  wrong: "accepts:\n  enforce: true\n  schema: { type: text }",
  right: "accepts:\n  enforce: true\n  schema: { type: string }",
};

/** 19x: what an interface takes and gives. */
export const contracts = {
  badSchema: error(
    "PW190",
    (reason: string, part: ContractPart) => ({
      message: `${part}.schema is no JSON Schema: ${reason}`,
      hint: "write it as JSON Schema 2020-12 says",
    }),
    badSchema,
  ),
  badDescription: warning(
    "PW190",
    (reason: string, part: ContractPart) => ({
      message: `${part}.schema is no JSON Schema: ${reason}`,
      hint: "write it as JSON Schema 2020-12 says",
    }),
    badSchema,
  ),
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
        "JSON Schema passes over keywords and formats that it does not know, so that a misspelt one would let everything pass. Keywords that begin with `x-` and those that OpenAPI adds (`example`, `discriminator`, `xml`, `externalDocs`) describe only, and are fine.",
      wrong: "accepts:\n  enforce: true\n  schema: { type: string, minLenght: 3 }",
      right: "accepts:\n  enforce: true\n  schema: { type: string, minLength: 3 }",
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
        "`enforce: true` refuses what does not satisfy `accepts.schema`, and below `produces` lets `dev` warn of an answer that does not satisfy `produces.schema`. What the compiler derives from the tests is not enforced by it: the tests themselves decide.",
      wrong: "accepts: { enforce: true }",
      right: "accepts:\n  enforce: true\n  schema: { type: object, required: [title], properties: { title: { type: string } } }",
    },
  ),
};
