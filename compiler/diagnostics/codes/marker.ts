import { error, note, type Page, suggestion, warning } from "./code.ts";

/** The remedy for a change of a text for which there is no filter. */
const byJq = "write jq, as a|body::jq::.name \\| trim|, or the transform 'extract_with_jq'";

/** The page of words in a marker that are read as keys. */
const keyPage: Page = {
  means:
    "A word after `->` that is no filter reads a key of the value, and a path takes an operator for a part of a key. This word is nearly a filter, or this key has an operator. Write a key in the path: `a|body::name.uppre|`.",
  wrong: "v: a|body::name->uppre|",
  right: "v: a|body::name->upper|",
};

/** The page of values in the form of another tool. */
const foreignPage: Page = {
  means:
    "Other tools write a value into a text with `{{ body.name }}`, `${body.name}` or `$body.name`. Here these are characters like all others, and are sent as they stand. A marker is written `a|body::name|`, with a small `a` and without blanks.",
  wrong: 'url: "https://api.example.com/users/${params.id}"',
  right: 'url: "https://api.example.com/users/a|params::id|"',
};

/** How data in a text of a language is escaped. */
const unescapedIn = {
  html: { name: "markup", hint: "data can bring markup and scripts: ->escape_html", filter: "escape_html" },
  xml: { name: "markup", hint: "data can bring markup and scripts: ->escape_xml", filter: "escape_xml" },
  form: { name: "form", hint: "data can bring further fields: write the body as a map, which is sent as a form", filter: undefined },
  lines: { name: "JSON", hint: "data can bring further members: ->json_escape inside of quotes, ->tojson for a value", filter: undefined },
} as const;

/** 2xx: markers and the languages inside them. */
export const marker = {
  notTerminated: error(
    "PW202",
    () => ({
      message: "marker is not terminated on this line",
      hint: "end it with '|' outside of brackets, or write '\\a|' for literal text; ' #' in a plain scalar starts a comment",
    }),
    {
      means:
        "A marker ends with `|` on the line where it starts. In plain YAML text ` #` starts a comment that cuts the rest off: put the text in quotes.",
      wrong: "msg: hello a|body::name",
      right: "msg: hello a|body::name|",
    },
  ),
  emptyPart: error(
    "PW203",
    () => ({ message: "empty part in marker", hint: "write a name after every '::' and '->', or leave them out" }),
    {
      means: "Something is missing between two `::` or `->`, or at the end.",
      wrong: "v: a|body::->upper|",
      right: "v: a|body::name->upper|",
    },
  ),
  timestampFormat: error("PW204", timestampFormat, {
    means:
      "The formats are s, ms, ns, date, datetime, datetimetz, dateutc, datetimeutc, datetimeutctz, and year to second with or without `utc`, each with an optional offset such as `+5min` or `-1d`.",
    wrong: "v: a|timestamp:iso|",
    right: "v: a|timestamp:datetimeutctz|",
  }),
  jq: error("PW205", (reason: string) => `jq: ${reason}`, {
    means: "The jq program does not parse. Inside a marker a pipe of the program is written `\\|`.",
    wrong: "v: a|body::jq::.a b|",
    right: "v: a|body::jq::.a \\| .b|",
  }),
  rootNotHere: error("PW206", (root: string, roots?: string) => ({ message: `root '${root}' cannot be used here`, hint: roots }), {
    means:
      "Some places are evaluated before there is a request or an action, so only env, var, ap_var, secret, uuid and timestamp can be used. Fields that are read when the process starts take env, var and ap_var alone.",
    wrong: "global:\n  variables:\n    user: a|body::user|",
    right: "global:\n  variables:\n    region: a|env::REGION|",
  }),
  mustBeStatic: error("PW207", (key: string) => ({ message: `'${key}' must be static (no markers)`, hint: "write the value itself" }), {
    means:
      "The value decides what is compiled, so it must be known then: names, routes, methods, drivers, and which matcher or transform is meant. Fields that operators set per environment take markers of env, var and ap_var; the table is in docs/variables-and-secrets.md.",
    wrong: "method: a|var::METHOD|",
    right: "method: POST",
  }),
  startValue: error(
    "PW255",
    (problem: string, environment: string) => ({
      message: `${problem} (environment ${environment})`,
      hint: "a value that is read at the start must be what could be written in its place",
    }),
    {
      means:
        "The field is read when the process starts, and the files of the environment give it a value that it does not take. `check --env` reports this; a process would end with status 78 at its start.",
      wrong: "# vars/production.yaml: FAIL_CODE: banana\nresponse: { http_code_on_error: a|var::FAIL_CODE| }",
      right: "# vars/production.yaml: FAIL_CODE: 503\nresponse: { http_code_on_error: a|var::FAIL_CODE| }",
    },
  ),
  inKey: error("PW208", (type: string) => ({ message: `marker in the key of ${type}`, hint: "write the key itself" }), {
    means:
      "Keys with a fixed meaning cannot be computed. Markers in keys are allowed in free maps: headers, add_attribute, body, json_output, labels.",
    wrong: "http:\n  a|var::FIELD|: x",
    right: "http:\n  headers:\n    a|var::HEADER|: x",
  }),
  badPath: error("PW209", (path: string, reason: string) => `bad path '${path}': ${reason}`, {
    means: 'The path does not parse. Examples: `user.address.city`, `[0].id`, `items.count()`, `["a.b"]`.',
    wrong: "value: items[0",
    right: "value: items[0]",
  }),
  unknownFilter: error(
    "PW212",
    (filter: string, nearest?: string) => {
      const { words } = suggestion(nearest === "jq" ? undefined : nearest);
      return { message: `unknown filter '${filter}'${words}`, hint: nearest === "jq" ? byJq : undefined };
    },
    {
      means: "A name followed by parentheses must be a filter. Without them it is a key of the value.",
      wrong: "v: a|body::n->defualt(1)|",
      right: "v: a|body::n->default(1)|",
    },
  ),
  nearlyFilter: warning(
    "PW287",
    (key: string, filter: string) => ({
      message: `'${key}' is read as a key of the value${filter === "jq" ? "" : ` (did you mean the filter '${filter}'?)`}`,
      hint: filter === "jq" ? byJq : undefined,
    }),
    keyPage,
  ),
  operatorInPath: warning(
    "PW287",
    (path: string, value: string, operator: string, operand: string) => ({
      message: `'${path}' is read as a key: a path has no operators`,
      hint:
        operator === "??" ? `write ->default(${operand}) behind '${value}'` : `write jq, as a|body::jq::.${value} ${operator} ${operand}|`,
    }),
    keyPage,
  ),
  filterArguments: error(
    "PW213",
    (filter: string, count: number | string) => `filter '${filter}' takes ${count} argument${count === 1 ? "" : "s"}`,
    {
      means: "The filter was given too few or too many arguments.",
      wrong: "v: a|body::n->prefix|",
      right: "v: a|body::n->prefix(nr-)|",
    },
  ),
  orRemoved: error("PW214", () => ({ message: "'<OR>' was removed; use ->default(...)", hint: "a|body::name->default('x')|" }), {
    means: "`<OR>` inside a marker is no longer part of the language.",
    wrong: "v: a|body::name<OR>none|",
    right: "v: a|body::name->default(none)|",
  }),
  rawOnData: error(
    "PW215",
    (context: string) => ({
      message: `->raw is not allowed on request or action data in ${context}`,
      hint: `without ->raw the value is filled in safely${context === "SQL" ? ", or as one of params" : ""}`,
    }),
    {
      means:
        "`->raw` puts a value into structured text without protection. Data of a client or an upstream could change the meaning of that text, so it is only for values of the configuration: var, ap_var, secret, env, template, timestamp, uuid.",
      wrong: "query: SELECT * FROM users ORDER BY a|params::column->raw|",
      right: "query: SELECT * FROM users ORDER BY a|var::COLUMN->raw|",
    },
  ),
  otherTool: warning(
    "PW296",
    (text: string, marker: string, instead?: string | null) => ({
      message: `${text} is text here, no value`,
      hint: `a value is written ${instead === null ? `?, and in params ${marker}` : marker}`,
      instead: instead === null ? undefined : (instead ?? marker),
    }),
    foreignPage,
  ),
  slashedPattern: warning(
    "PW296",
    (text: string, pattern: string) => ({
      message: `the slashes of ${text} are characters here, so that nothing matches`,
      hint: `write ${pattern}`,
      instead: `'${pattern.replaceAll("'", "''")}'`,
    }),
    foreignPage,
  ),
  glued: warning(
    "PW275",
    (word: string, marker: string) => ({
      message: `${word}${marker} is text: a marker does not start behind a letter, a digit or '_'`,
      hint: `for the value write ${marker.slice(0, -1)}->prefix(${word})|, for the text ${word}\\${marker}`,
    }),
    {
      means:
        "`a|` starts a marker only where no letter, digit or underscore stands before it, since many words end in `a`. Here the text is sent as it is written. The filter `prefix` puts a word before a value; `\\a|` says that the text is meant.",
      wrong: 'v: "ida|body::id|"',
      right: "v: a|body::id->prefix(id)|",
    },
  ),
  comparedText: note(
    "PW276",
    (marker: string, operator: string) => ({
      message: `${marker} is text, and '${operator}' never takes a text for a number`,
      hint: `for a number write ${marker.slice(0, -1)}->to_number|; quotes around the marker say that a text is meant`,
    }),
    {
      means:
        'Parameters and headers are text. jq and JSONPath also compare types: `2 == "2"` is false, and in jq each text is larger than each number. So a comparison with a number finds nothing, or everything, without an error. `->to_number` makes a number of the value. If the other side is a text, put quotes around the marker. A note never fails a check.',
      wrong: "extract_with_jq: .[] | select(.id == a|params::id|)",
      right: "extract_with_jq: .[] | select(.id == a|params::id->to_number|)",
    },
  ),
  unescaped: warning(
    "PW285",
    (marker: string, language: keyof typeof unescapedIn) => {
      const { name, hint, filter } = unescapedIn[language];
      const escaped = filter !== undefined && /^a\|.*\|$/s.test(marker) ? `${marker.slice(0, -1)}->${filter}|` : undefined;
      return { message: `${marker} goes into the ${name} as it is`, hint, instead: escaped };
    },
    {
      means:
        "The body is sent as HTML, XML, a form or lines of JSON, and a value that a caller or an upstream has sent stands in it without being escaped. A `<script>` in HTML would run in the browser of each reader, an `&` in a form begins another field. `->escape_html` and `->escape_xml` replace `&`, `<`, `>` and both quotes; a map with the content type of a form is sent as a form.",
      wrong: "headers: { content-type: text/html }\ncustom_body: <h1>Hello a|params::name|</h1>",
      right: "headers: { content-type: text/html }\ncustom_body: <h1>Hello a|params::name->escape_html|</h1>",
    },
  ),
};

function timestampFormat(format: string): { readonly message: string; readonly hint: string } {
  const hint = format.startsWith(":") ? `a format follows one colon: a|timestamp${format}|` : timestampHint;
  return { message: `bad timestamp format '${format}'`, hint };
}

const timestampHint =
  "one of s, ms, ns, date, datetime, datetimetz, dateutc, datetimeutc, datetimeutctz, [utc]year … [utc]second, with +5min or -1d";
