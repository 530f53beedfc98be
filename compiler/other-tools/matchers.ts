import { type Words, wordsFor } from "./words.ts";

/** Words for matchers, and for the other keys of a test. */
export const matchers: Words = wordsFor({
  "write 'is_equal_to'": "equals eq is",
  "write 'is_not_equal_to'": "ne neq",
  "write 'is_greater_than'": "gt",
  "write 'is_greater_than_or_equal_to'": "gte min minimum",
  "write 'is_less_than'": "lt",
  "write 'is_less_than_or_equal_to'": "lte max maximum",
  "write 'is_between: { min: …, max: … }'": "range",
  "write 'is_not_null'": "exists required is_required",
  "write 'is_not_empty: false'": "empty is_empty",
  "write 'regex'": "matches match pattern is_regex is_match email is_email",
  "write 'contains: { allowed: […] }'": "in is_in is_one_of one_of enum",
  "write 'is_less_than', 'is_greater_than' or 'is_between', which count the characters of a text": "length",
  "write 'verify_schema'": "schema",
  "write 'is_greater_than_or_equal_to', which counts the characters of a text": "min_length",
  "write 'is_less_than_or_equal_to', which counts the characters of a text": "max_length",
  "write 'is_string', 'is_number', 'is_boolean', 'is_array' or 'is_object'": "type is_type",
  "write 'is_equal_to: true'": "is_true",
  "write 'is_equal_to: false'": "is_false",
  "the matcher is the key, as 'is_equal_to: …'": "operator",
  "write 'error_message'": "message",
  "write 'value'": "field path target",
});

const types = wordsFor({
  is_string: "string text str",
  is_integer: "integer int",
  is_number: "number float double",
  is_boolean: "boolean bool",
  is_uuid: "uuid",
});

/** The matcher for a type that another tool names, such as `is_integer` for `int`; undefined for any other word. */
export const matcherForType = (word: string): string | undefined => types.get(word);

/** Words for keys of matchers, by the matcher. */
export const matcherKeys: Readonly<Record<string, Words>> = {
  is_valid_jwt: wordsFor({
    "write 'alg'": "algorithm",
    "write 'alg', with one algorithm": "algorithms",
    "write 'secret', 'public_key' or 'jwks_url'": "key",
    "write 'iss'": "issuer",
    "write 'aud'": "audience",
    "write 'jwks_url'": "jwks",
  }),
  is_valid_hmac: wordsFor({
    "write 'secret'": "key",
    "write 'algorithm'": "algo hash",
    "write 'encoding'": "digest",
  }),
};
