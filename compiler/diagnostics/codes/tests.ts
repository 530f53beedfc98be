import { error, suggestion, warning } from "./code.ts";

/** 42x: tests. */
export const tests = {
  noMatcher: error("PW420", () => ({ message: "test has no matcher", hint: "say what must hold, such as 'is_not_empty: true'" }), {
    means: "A test without matcher would always pass.",
    wrong: "tests:\n  - value: email",
    right: "tests:\n  - value: email\n    is_not_empty: true",
  }),
  regex: error("PW421", (reason: string) => `bad regular expression: ${reason}`, {
    means: "The pattern is no RE2 expression. RE2 has no look-around and no back references: in exchange no input can make it slow.",
    wrong: 'regex: "^(a"',
    right: 'regex: "^(a)"',
  }),
  twoSelectors: error("PW422", () => ({ message: "test has more than one of value, jq, pointer", hint: "keep one, or write two tests" }), {
    means: "Each of the three selects the value to test.",
    wrong: "- value: email\n  pointer: /email\n  is_not_empty: true",
    right: "- value: email\n  is_not_empty: true",
  }),
  schemaType: error(
    "PW423",
    (type: string, nearest?: string) => {
      const { words, instead } = suggestion(nearest);
      return { message: `unknown schema type '${type}'${words}`, hint: "String, Number, Boolean, Array, Object, Null or Any", instead };
    },
    {
      means: "A leaf of `verify_schema` has one of the types String, Number, Boolean, Array, Object, Null, Any.",
      wrong: "structure: { id: { type: Integer } }",
      right: "structure: { id: { type: Number } }",
    },
  ),
  secretIsKey: warning("PW496", () => ({ message: "the secret is a key for asymmetric signatures", hint: "name it public_key" }), {
    means:
      "`secret` is for HS256, HS384 and HS512, and only two sides know it. Anybody could sign tokens with a public key in its place, so no token passes.",
    wrong: "is_valid_jwt: |\n  -----BEGIN PUBLIC KEY-----\n  …",
    right: "is_valid_jwt:\n  public_key: |\n    -----BEGIN PUBLIC KEY-----\n    …",
  }),
  algorithmOfOtherKey: warning(
    "PW497",
    (alg: string, key: string, suitable: readonly string[]) => ({
      message: `no token passes: '${key}' has no algorithm '${alg}'`,
      hint: suitable.length === 0 ? "this kind of key signs no tokens" : `one of ${suitable.join(", ")}; without alg all of them count`,
    }),
    {
      means:
        "The key decides which algorithms count: a secret those of HMAC (HS256, HS384, HS512), a public key or a key set of a provider those of its type, such as RS256 or ES256.",
      wrong: "is_valid_jwt: { jwks_url: https://login.example.com/keys, alg: HS256 }",
      right: "is_valid_jwt: { jwks_url: https://login.example.com/keys, alg: RS256 }",
    },
  ),
  contradiction: warning(
    "PW498",
    (first: string, second: string) =>
      first === second
        ? { message: `no value passes '${first}': its lower bound is above the upper one`, hint: "exchange min and max" }
        : {
            message: `no value passes both '${first}' and '${second}'`,
            hint: "all matchers of a test must pass; for the one or the other, write an expression",
          },
    {
      means: "The matchers of a test must all pass. These two exclude each other, so that the test always fails.",
      wrong: "- { value: age, is_greater_than: 99, is_less_than: 18 }",
      right: "- { value: age, is_greater_than: 18, is_less_than: 99 }",
    },
  ),
  unknownMatcher: error(
    "PW424",
    (matcher: string, nearest?: string, hint?: string) => {
      const { words, instead } = suggestion(nearest);
      return { message: `unknown matcher '${matcher}'${words}`, hint, instead };
    },
    {
      means: "A test knows no matcher and no option of that name.",
      wrong: "- value: age\n  is_greater: 17",
      right: "- value: age\n  is_greater_than: 17",
    },
  ),
};
