import { error, suggestion, warning } from "./code.ts";

/** 40x: fields of sources. */
export const sources = {
  multipartPart: error("PW401", () => "multipart part needs exactly one of value, b64, file_path", {
    means: "Each part of a multipart body takes its content from one place.",
    wrong: "multipart:\n  - name: file",
    right: "multipart:\n  - { name: file, file_path: report.pdf }",
  }),
  twoAuthentications: error("PW402", () => "more than one kind of authentication", {
    means: "`user`/`pass`, `digest_auth_*` and `bearer_auth` exclude each other.",
    wrong: "http: { url: https://a.example, user: u, pass: p, bearer_auth: a|var::TOKEN| }",
    right: "http: { url: https://a.example, bearer_auth: a|var::TOKEN| }",
  }),
  bodyAndMultipart: error("PW403", () => "body and multipart exclude each other", {
    means: "A request has one body.",
    wrong: "http: { url: https://a.example, body: x, multipart: [{ name: a, value: b }] }",
    right: "http: { url: https://a.example, multipart: [{ name: a, value: b }] }",
  }),
  expectExit: warning(
    "PW404",
    (text: string) => ({ message: `expect_exit '${text}' never matches`, hint: "a number, a list of numbers, or any" }),
    {
      means: "`expect_exit` is a number, a list of numbers, or the word `any`.",
      wrong: "expect_exit: ok",
      right: "expect_exit: [0, 1]",
    },
  ),
  addressOfRequest: warning(
    "PW465",
    () => ({
      message: "the url comes from the request: a caller chooses where this service connects to",
      hint: "begin the url with a host of the configuration, or name the hosts that may be called: allowed_hosts",
    }),
    {
      means:
        'Whoever sends the request names the service that is called. Addresses inside the network are refused (`PIPEWRIGHT_EGRESS_ALLOW` opens some), but anything else that this service can reach is called in its name. `allowed_hosts` names the hosts that may be called, redirects included; `["*"]` says that any host is meant.',
      wrong: "http: { url: a|body::callback| }",
      right: "http: { url: a|body::callback|, allowed_hosts: [hooks.example.com, '*.example.org'] }",
    },
  ),
  urlWithoutScheme: error(
    "PW466",
    (url: string, goesOn: boolean) => ({
      message: goesOn ? `'${url}…' begins no http or https URL` : `'${url}' is no http or https URL`,
      hint: "begin with http:// or https://",
    }),
    {
      means: "A URL begins with its scheme, `http://` or `https://`, and has a host.",
      wrong: "http: { url: api.example.com/orders }",
      right: "http: { url: https://api.example.com/orders }",
    },
  ),
  discoverBackend: error("PW419", () => ({ message: "discover needs exactly one backend", hint: "dns, kubernetes, docker or static" }), {
    means: "Members are found by one backend; two services are two actions.",
    wrong: "discover: { port: 80 }",
    right: "discover: { dns: { name: api.internal }, port: 80 }",
  }),
  stateOperation: error("PW405", () => ({ message: "state needs exactly one operation", hint: "get, set, advance, delete or seen" }), {
    means: "A state action does one of get, set, advance, delete, seen.",
    wrong: "state:\n  get: { key: a }\n  delete: { key: a }",
    right: "state:\n  get: { key: a }",
  }),
  metricName: error(
    "PW406",
    (name: string) => ({ message: `bad metric name '${name}'`, hint: "letters, digits, _ and :, not starting with a digit" }),
    {
      means: "Names of metrics match `[a-zA-Z_:][a-zA-Z0-9_:]*`.",
      wrong: "emit_metric: { name: orders-total }",
      right: "emit_metric: { name: orders_total }",
    },
  ),
  metricValue: error("PW407", (type: string) => `a ${type} metric needs a value`, {
    means: "Only a counter counts by 1 when it has no `value`.",
    wrong: "emit_metric: { name: queue_length, type: gauge }",
    right: "emit_metric: { name: queue_length, type: gauge, value: a|Queue::count()| }",
  }),
  metricsHidden: warning(
    "PW408",
    () => ({ message: "metrics are not exposed (expose_metrics)", hint: "set 'expose_metrics: true' at the root" }),
    {
      means: "The action succeeds, but nothing is recorded.",
      wrong: "name: orders\ninterfaces: {} # with emit_metric",
      right: "name: orders\nexpose_metrics: true\ninterfaces: {} # with emit_metric",
    },
  ),
  markerInCommand: error(
    "PW409",
    (place: string) => ({
      message: `a marker cannot be filled in: ${place}`,
      hint: "a value can be a word, or a part of a text in quotes",
    }),
    {
      means:
        "A value fills one word of a command, or a part of a text in quotes. In backticks, arithmetic, braces behind a dollar sign, a quoted here-document and behind a lone backslash the shell would read it as something else.",
      wrong: "command:\n  run: echo $((1 + a|body::n|))",
      right: "command:\n  run: expr 1 + a|body::n|",
    },
  ),
  nestedShell: error(
    "PW461",
    (place: string) => ({
      message: `data in ${place}`,
      hint: "hand it over as an argument (sh -c 'echo \"$1\"' sh a|body::x|), or accept it with allow_nested_shell: true",
    }),
    {
      means:
        "A marker is one word for the shell of the command. A second interpreter (`sh -c`, `eval`, `trap`, `let`, `awk`, `sed`, `xargs`, `ssh`, `python -c`, a shell that reads a pipe) reads that word as code, and so runs what a caller sends. Likewise a program whose name is data. Arguments of the nested program are data for it, too. `allow_nested_shell: true` says that the values are trusted.",
      wrong: 'command:\n  run: sh -c "echo a|body::x|"',
      right: "command:\n  run: sh -c 'echo \"$1\"' sh a|body::x|",
    },
  ),
};

/** 41x: databases. */
export const databases = {
  unknownDriver: error(
    "PW410",
    (driver: string, known: string, nearest?: string) => {
      const { words, instead } = suggestion(nearest);
      return { message: `unknown driver '${driver}'${words}`, hint: known, instead };
    },
    {
      means: "A database has a driver, and there is none of this name.",
      wrong: "main: { driver: oracle, conn_string: a|var::DB| }",
      right: "main: { driver: postgres, conn_string: a|var::DB| }",
    },
  ),
  twoConnections: error("PW411", () => "conn_string and discrete fields exclude each other", {
    means: "A connection is described by `conn_string`, or by user, pass, host, port, dbname and params.",
    wrong: "main: { driver: postgres, conn_string: a|var::DB|, host: db }",
    right: "main: { driver: postgres, conn_string: a|var::DB| }",
  }),
  unknown: error(
    "PW412",
    (name: string, nearest?: string) => {
      const { words, instead } = suggestion(nearest);
      return { message: `unknown database '${name}'${words}`, instead };
    },
    {
      means: "`database` names an entry of `global.databases`, unless the action has its own `conn_string`.",
      wrong: "global:\n  databases: { main: { driver: sqlite, conn_string: 'sqlite:a.db' } }\n# …\ndatabase: mian",
      right: "global:\n  databases: { main: { driver: sqlite, conn_string: 'sqlite:a.db' } }\n# …\ndatabase: main",
    },
  ),
  multiWithParams: error(
    "PW413",
    () => ({ message: "multi cannot have params", hint: "remove multi, or run the statements as actions of their own" }),
    {
      means: "Parameters are bound to one statement; `multi` runs several.",
      wrong: "multi: true\nquery: DELETE FROM a; DELETE FROM b\nparams: [1]",
      right: "multi: true\nquery: DELETE FROM a; DELETE FROM b",
    },
  ),
  parameterCount: error(
    "PW414",
    (placeholders: number, parameters: number) => ({
      message: `query has ${placeholders} placeholders, params has ${parameters}`,
      hint: "params holds one value for each placeholder",
    }),
    {
      means: "Every `?` or `$n` outside literals and comments takes one entry of `params`.",
      wrong: "query: SELECT * FROM users WHERE id = ? AND org = ?\nparams: [a|params::id|]",
      right: "query: SELECT * FROM users WHERE id = ? AND org = ?\nparams: [a|params::id|, a|params::org|]",
    },
  ),
  parameterCountDoubtful: warning(
    "PW414",
    (placeholders: number, parameters: number) => ({
      message: `query has ${placeholders} placeholders, params has ${parameters}`,
      hint: "a '?' that is an operator is no placeholder; write placeholders as $1, $2",
    }),
    {
      means:
        "Every `?` or `$n` outside literals and comments takes one entry of `params`. The driver also has operators with `?`, so this may be right.",
      wrong: "query: SELECT * FROM docs WHERE tags ? 'a' AND id = $1\nparams: []",
      right: "query: SELECT * FROM docs WHERE jsonb_exists(tags, 'a') AND id = $1\nparams: [1]",
    },
  ),
  markerInComment: error(
    "PW415",
    (place: string) => ({ message: `marker inside an SQL ${place}`, hint: "move it to where a value can stand" }),
    {
      means:
        "A value cannot be filled in safely in a comment or a dollar quote, nor beside a string constant or another marker, whatever blanks, line breaks and comments lie between them: the server would read both as one text.",
      wrong: "query: SELECT 1 -- a|body::note|",
      right: "query: SELECT 1",
    },
  ),
  markerBesideValue: error(
    "PW415",
    (place: string) => ({
      message: `marker ${place}`,
      hint: "put an operator such as || or a comma between them, or move the marker into the quotes",
    }),
    {
      means: "Two values never stand side by side: the server would read both as one text, or refuse them.",
      wrong: "query: SELECT E'a' a|body::note|",
      right: "query: SELECT E'a' || a|body::note|",
    },
  ),
  textBesideNumber: warning(
    "PW460",
    () => ({
      message: "SQLite compares this text with a number, and takes every text for larger",
      hint: "make it a number with ->to_number, or write CAST(? AS INTEGER) in the query",
    }),
    {
      means:
        "Query and route parameters, headers and environment variables are texts. Beside a column SQLite makes a number of one where the column holds numbers; beside an aggregate, arithmetic or a function it compares the text itself, which is larger than every number, so that the condition never holds or always does.",
      wrong: "query: SELECT city FROM people GROUP BY city HAVING count(*) > ?\nparams: [a|params::min|]",
      right: "query: SELECT city FROM people GROUP BY city HAVING count(*) > ?\nparams: [a|params::min->to_number|]",
    },
  ),
  preferParams: warning(
    "PW416",
    () => ({ message: "prefer params to a marker in SQL", hint: "write ? in the query and the marker in params" }),
    {
      means:
        "A bare marker is bound as a parameter with its own type, and one in quotes, in a list, or where the database takes no parameter becomes a literal that the value cannot leave. `params` say it more plainly: they keep the statement constant everywhere, so that the database prepares it once, and the text shows which values it takes.",
      wrong: "query: SELECT * FROM users WHERE id = a|params::id|",
      right: "query: SELECT * FROM users WHERE id = ?\nparams: [a|params::id|]",
    },
  ),
  unknownOperation: error(
    "PW417",
    (operation: string, nearest?: string) => {
      const { words, instead } = suggestion(nearest);
      return { message: `unknown operation '${operation}'${words}`, instead };
    },
    {
      means:
        "`document_operation.operation` is one of find, findOne, aggregate, distinct, insertOne, insertMany, updateOne, updateMany, replaceOne, deleteOne, deleteMany, findOneAndUpdate, findOneAndReplace, findOneAndDelete, countDocuments, estimatedDocumentCount.",
      wrong: "document_operation: { database: a, collection: b, operation: findone }",
      right: "document_operation: { database: a, collection: b, operation: findOne }",
    },
  ),
};

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
      "A secret of HS256, HS384 and HS512 is known to two sides alone. Whoever knows a public key that counts as one could sign tokens with it, so that no token passes.",
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
    (first: string, second: string) => ({
      message: `no value passes both '${first}' and '${second}'`,
      hint: "all matchers of a test must pass; for the one or the other, write an expression",
    }),
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
