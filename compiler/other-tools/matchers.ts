import { type Words, wordsFor } from "./words.ts";

/** Words for matchers, and for the other keys of a test. */
export const matchers: Words = wordsFor({
  "write 'value' with a marker such as a|params::id| or a|headers::authorization|": "param header",
  "write 'http_code_on_error'": "code status status_code",
  "write 'value' with the path of the key, and 'is_not_null: true'": "has_key",
  "write 'jq' and 'is_equal_to: true'": "or any any_of unique expr condition",
  "all tests of a list must pass: write one for each": "and all all_of",
  "write 'value: count()' and 'is_equal_to'": "count size",
  "write 'is_array'": "is_list",
  "write 'contains: { disallowed: […] }'": "not_in is_not_in",
  "write 'is_greater_than_or_equal_to', which counts the elements of a list": "min_items",
  "write 'is_less_than_or_equal_to', which counts the elements of a list": "max_items",
  "write 'is_greater_than: 0'": "is_positive",
  "write 'is_equal_to'": "equals eq is is_equals",
  "write 'is_not_equal_to'": "ne neq",
  "write 'is_greater_than'": "gt greater",
  "write 'is_greater_than_or_equal_to'": "gte min minimum is_at_least at_least",
  "write 'is_less_than'": "lt",
  "write 'is_less_than_or_equal_to'": "lte max maximum is_at_most at_most",
  "write 'is_between: { min: …, max: … }'": "range between",
  "write 'is_not_null'": "exists required is_required",
  "write 'is_not_empty: false'": "empty is_empty",
  "write 'regex'": "matches match pattern is_regex is_match email is_email is_date is_ip is_phone is_alpha",
  "write 'contains: { allowed: […] }'": "in is_in is_one_of one_of enum",
  "write 'is_less_than', 'is_greater_than' or 'is_between', which count the characters of a text": "length",
  "write 'verify_schema'": "schema each every array_of is_array_of",
  "write 'is_greater_than_or_equal_to', which counts the characters of a text": "min_length",
  "write 'is_less_than_or_equal_to', which counts the characters of a text": "max_length",
  "write 'is_string', 'is_number', 'is_boolean', 'is_array' or 'is_object'": "type is_type",
  "write 'is_equal_to: true'": "is_true",
  "write 'is_equal_to: false'": "is_false",
  "the matcher is the key, as 'is_equal_to: …'": "operator",
  "write 'error_message'": "message",
  "write 'value'": "field path target json_path jsonpath",
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
    "write 'secret', 'public_key' or 'jwks_url'": "key secret_key",
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
