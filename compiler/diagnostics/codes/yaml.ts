import { error, warning } from "./code.ts";

/** The values of the tags that the core schema has. */
const formOf: Readonly<Record<string, string>> = {
  "!!bool": "true or false",
  "!!int": "a whole number",
  "!!float": "a number",
  "!!null": "null or ~",
  "!!seq": "a list",
  "!!map": "a map",
};

/** 10x: the text as YAML. */
export const yaml = {
  syntax: error("PW101", (reason: string) => `YAML syntax: ${reason}`, {
    means:
      "The file is not YAML. The place is where the parser could not go on; the cause is often a little before it: a missing quote, a `: ` inside plain text, or wrong indentation.",
    wrong: "description: time: now",
    right: 'description: "time: now"',
  }),
  duplicateKey: error("PW102", (key: string, line: number, column: number) => `duplicate key '${key}' (first at ${line}:${column})`, {
    means:
      'A mapping holds the same key twice, and only one of the two could take effect. Keys are compared as text: `200` and `"200"` are the same.',
    wrong: "name: a\nname: b",
    right: "name: a",
  }),
  secondDocument: error(
    "PW103",
    () => ({ message: "only one YAML document per file", hint: "move what follows `---` to a file of its own" }),
    {
      means: "A configuration file is one YAML document. A leading `---` is fine, a second one is not.",
      wrong: "name: a\ninterfaces: {}\n---\nname: b\ninterfaces: {}",
      right: "name: a\ninterfaces: {}",
    },
  ),
  tag: error(
    "PW104",
    (tag: string) => ({
      message: Object.hasOwn(formOf, tag) ? `'${tag}' must be ${formOf[tag]}` : `tag '${tag}' is not supported`,
      hint: tag === "!include" ? "for a text write a|include::FILE|, for an action a|module::NAME|" : "write the value without a tag",
    }),
    {
      means: "YAML tags such as `!include` or `!!binary` have no meaning here: values are read by the YAML 1.2 core schema.",
      wrong: "query: !include users.sql",
      right: "query: a|include::users.sql|",
    },
  ),
  tooManyAliases: error("PW105", () => ({ message: "too many alias expansions", hint: aliasHint }), {
    means:
      "Aliases (`*name`) are expanded at most 100 times in a file, and the size of the result is limited, so that a small file cannot grow without bound.",
    wrong: "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b, *b] # and so on",
    right: "headers: &headers { accept: application/json }\nagain: *headers",
  }),
  inexactNumber: warning(
    "PW106",
    (number: string) => ({ message: `number ${number} is not exactly representable; quote it`, instead: `"${number}"` }),
    {
      means: "Integers beyond ±9007199254740991 lose digits when they are read as numbers. In quotes the digits are kept, as text.",
      wrong: "id: 12345678901234567890",
      right: 'id: "12345678901234567890"',
    },
  ),
  zerosInFront: warning(
    "PW106",
    (number: string) => ({ message: `number ${number} loses the zeros in front of it; quote it`, instead: `"${number}"` }),
    {
      means: "YAML 1.2 reads a number with zeros in front as a decimal number, without them. In quotes the zeros are kept, as text.",
      wrong: "phone: 0170123456",
      right: 'phone: "0170123456"',
    },
  ),
  comment: warning(
    "PW109",
    (text: string) => ({
      message: `'${text}' is a comment, so that the value is null`,
      hint: "put it in quotes",
      instead: JSON.stringify(text),
    }),
    {
      means:
        "A `#` behind a blank begins a comment, and a key with nothing but a comment behind it has the value null. A blank behind the `#` says that a comment is meant.",
      wrong: "color: #fff",
      right: 'color: "#fff"',
    },
  ),
  notUtf8: error("PW107", (looksLike?: string) => ({ message: "file is not valid UTF-8", hint: notUtf8Hint(looksLike) }), {
    means:
      "Configurations are UTF-8 text. The file holds bytes that are not valid UTF-8, usually because it was saved in another encoding.",
    wrong: "# saved as Latin-1 or UTF-16",
    right: "# saved as UTF-8",
  }),
  tooLarge: error(
    "PW108",
    (kind: "file" | "nesting" | "lines", limit: string) => {
      const words = { file: "file is larger", nesting: "nesting is deeper", lines: "file is longer" };
      return `${words[kind]} than the limit of ${limit}`;
    },
    {
      means: "A configuration file may have at most 5 MiB, 250,000 lines and 100 levels of nesting.",
      wrong: "a: [[[[[[ … 200 levels … ]]]]]]",
      right: "a: [[1]]",
    },
  ),
};

const notUtf8Hint = (looksLike: string | undefined): string =>
  looksLike === undefined ? "save the file as UTF-8" : `it looks like ${looksLike}; save the file as UTF-8`;

const aliasHint = "at most 100 in a file, counting those inside what an alias stands for; write some of it out";
