import { error, warning } from "./code.ts";

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
  doubledBearer: warning(
    "PW402",
    (token: string) => ({ message: "bearer_auth writes the word Bearer itself", hint: `write ${token}`, instead: token }),
    {
      means: "`bearer_auth` is the token alone. With the word before it, the header would have the word twice.",
      wrong: "http: { url: https://a.example, bearer_auth: Bearer a|var::TOKEN| }",
      right: "http: { url: https://a.example, bearer_auth: a|var::TOKEN| }",
    },
  ),
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
  unknownOperation: error(
    "PW281",
    (name: string, file: string, near: string | undefined, known: readonly string[]) => ({
      message: `'${file}' has no operation '${name}'`,
      hint:
        near !== undefined
          ? `did you mean '${near}'?`
          : known.length === 0
            ? "give its operations an operationId"
            : `it has ${known.slice(0, 5).join(", ")}${known.length > 5 ? ", …" : ""}`,
      ...(near === undefined ? {} : { instead: `${file}#${near}` }),
    }),
    {
      means:
        "`contract` names a file beside the configuration and, behind `#`, the `operationId` of an operation in it, or the name of an interface of a configuration. The compiler takes the shape of the answer from there.",
      wrong: "http: { url: https://users.example/users/1, contract: users.json#getUsr }",
      right: "http: { url: https://users.example/users/1, contract: users.json#getUser }",
    },
  ),
  otherOperation: warning(
    "PW282",
    (name: string, found: string, wanted: string) => ({
      message: `the action asks for ${found}, and operation '${name}' is ${wanted}`,
      hint: "name the operation that is called, or correct the request",
    }),
    {
      means:
        "The method and the path of a request are compared with those of the operation that `contract` names. Markers and parameters of the path match any text; the path of a server of the document may stand before the path.",
      wrong: "http: { url: https://users.example/orders/1, contract: users.json#getUser }",
      right: "http: { url: https://users.example/users/1, contract: users.json#getUser }",
    },
  ),
  addressOfRequest: warning(
    "PW465",
    (field: string) => ({
      message: `the ${field} comes from the request: a caller chooses where this service connects to`,
      hint: `begin the ${field} with a host of the configuration${field === "url" ? ", or name the hosts that may be called: allowed_hosts" : ""}`,
    }),
    {
      means:
        'The sender of the request chooses the service that is called. Addresses of internal networks are refused (`PIPEWRIGHT_EGRESS_ALLOW` opens some), but any other host is called in the name of this service. `allowed_hosts` names the hosts that may be called, redirects included; `["*"]` allows any host.',
      wrong: "http: { url: a|body::callback| }",
      right: "http: { url: a|body::callback|, allowed_hosts: [hooks.example.com, '*.example.org'] }",
    },
  ),
  urlWithoutScheme: error(
    "PW466",
    (url: string, goesOn: boolean) => ({
      message: goesOn ? `'${url}…' begins no http or https URL` : `'${url}' is no http or https URL`,
      hint: /^https?:\/\//i.test(url) ? "its host or its port cannot be one" : "begin with http:// or https://",
    }),
    {
      means: "A URL begins with its scheme, `http://` or `https://`, and has a host.",
      wrong: "http: { url: api.example.com/orders }",
      right: "http: { url: https://api.example.com/orders }",
    },
  ),
  misspeltMethod: warning(
    "PW486",
    (method: string, near: string) => ({
      message: `'${method}' is no method of HTTP that is known, and is sent as it stands`,
      hint: `did you mean '${near}'?`,
      instead: near,
    }),
    {
      means:
        "`http.method` takes any method, because some services have methods of their own. A name that is nearly a known one is most likely a mistake, and the service would answer with 405 or 501.",
      wrong: "http: { url: https://api.example.com/orders, method: PSOT }",
      right: "http: { url: https://api.example.com/orders, method: POST }",
    },
  ),
  canOnlyFail: warning(
    "PW490",
    (field: string, problem: string, hint: string | undefined = "the action fails whenever it runs") => ({
      message: `'${field}': ${problem}`,
      hint,
    }),
    {
      means: "This value of the configuration is never valid, so that the action, or the answer, fails each time.",
      wrong: "ws_publish: { channels: 'room:#', data: hello }",
      right: "ws_publish: { channels: 'room:lobby', data: hello }",
    },
  ),
  sftpHost: error(
    "PW467",
    () => ({
      message: "sftp needs 'host_key' or 'accept_any_host_key'",
      hint: "ssh-keyscan HOST | ssh-keygen -lf - shows the keys of a host",
    }),
    {
      means:
        "Without a pinned key any machine may answer, and would get the password and the files. `host_key` is the fingerprint of one of the keys of the host; `accept_any_host_key: true` accepts any host, for tests.",
      wrong: "sftp: { host: files.example.com, user: u, password: a|secret::SFTP|, operation: list, path: /in }",
      right:
        "sftp: { host: files.example.com, user: u, password: a|secret::SFTP|, host_key: 'SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8', operation: list, path: /in }",
    },
  ),
  sftpField: error(
    "PW468",
    (field: string, operation: string, operations: readonly string[]) => ({
      message: `'${field}' means nothing to '${operation}'`,
      hint: `it belongs to ${operations.join(" and ")}`,
    }),
    {
      means: "Each operation of `sftp` has its own fields beside those of the connection: a field of another one would be ignored.",
      wrong: "sftp: { operation: get, path: /in/a.csv, to: /done/a.csv } # with the fields of the connection",
      right: "sftp: { operation: rename, path: /in/a.csv, to: /done/a.csv }",
    },
  ),
  discoverBackend: error("PW419", () => ({ message: "discover needs exactly one backend", hint: "dns, kubernetes, docker or static" }), {
    means: "One action asks one backend; use a second action for another one.",
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
    (name: string, isOurs: boolean) => ({
      message: `bad metric name '${name}'`,
      hint: isOurs ? "names that begin with pipewright_ are those of the service" : "letters, digits, _ and :, not starting with a digit",
    }),
    {
      means: "Names of metrics match `[a-zA-Z_:][a-zA-Z0-9_:]*` and do not begin with `pipewright_`.",
      wrong: "emit_metric: { name: orders-total }",
      right: "emit_metric: { name: orders_total }",
    },
  ),
  metricLabel: error(
    "PW495",
    (name: string) => ({ message: `bad label name '${name}'`, hint: "letters, digits and _; config, interface, action and le are taken" }),
    {
      means:
        "Names of labels match `[a-zA-Z_][a-zA-Z0-9_]*` and do not begin with `__`. Every metric has `config`, `interface` and `action`.",
      wrong: "emit_metric: { name: orders_total, labels: { action: refund } }",
      right: "emit_metric: { name: orders_total, labels: { kind: refund } }",
    },
  ),
  metricTaken: warning(
    "PW494",
    (type: string, name: string, other: string, otherType: string) => ({
      message:
        name === other
          ? `'${name}' is a ${otherType} elsewhere, not a ${type}`
          : `the ${type} '${name}' and the ${otherType} '${other}' share a name`,
      hint: "the one that is measured second fails: give it another name",
    }),
    {
      means:
        "A metric also takes the names of its samples: the counter `orders_total` takes `orders`, and a histogram `size` takes `size_bucket`, `size_sum` and `size_count`. Readers such as Prometheus refuse a page with one name twice.",
      wrong: "emit_metric: { name: orders, type: gauge, value: 3 } # beside the counter orders_total",
      right: "emit_metric: { name: orders_open, type: gauge, value: 3 }",
    },
  ),
  metricValue: error("PW407", (type: string) => `a ${type} metric needs a value`, {
    means: "A counter without `value` counts by 1; a gauge or a histogram needs a value.",
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
        "A value fills one word of a command, or a part of a text in quotes. In backticks, arithmetic, braces behind a dollar sign, a quoted here-document and behind a lone backslash the shell would not read it as one word.",
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
        "A marker is one word for the shell of the command. But a second interpreter (`sh -c`, `eval`, `trap`, `let`, `awk`, `sed`, `xargs`, `ssh`, `python -c`, a shell that reads a pipe) reads that word as code, and so runs what a caller sends. Nor may the name of a program be data. Its arguments stay data, as on the right. A value that the script first puts into a variable, and later gives to `eval`, is not found. `allow_nested_shell: true` says that the values are trusted.",
      wrong: 'command:\n  run: sh -c "echo a|body::x|"',
      right: "command:\n  run: sh -c 'echo \"$1\"' sh a|body::x|",
    },
  ),
  optionByData: warning(
    "PW491",
    (program: string) => ({
      message: `data begin a word of ${program}, and may be one of its options`,
      hint: "write -- before it (--end-of-options for git), or ./ at its beginning where it names a file; allow_nested_shell: true accepts it",
    }),
    {
      means:
        "A program reads a word that begins with `-` as an option. `tar`, `find`, `git`, `rsync`, `sort`, `curl` and others have options that start another program, or write or delete files: with `--to-command=…` in the place of a file name, `tar` runs what a caller sends. After `--` no word is an option; `git` needs `--end-of-options` instead, since its `--` begins the names of files. `find` has neither.",
      wrong: "command:\n  run: tar cf /tmp/out.tar a|body::name|",
      right: "command:\n  run: tar cf /tmp/out.tar -- a|body::name|",
    },
  ),
  shortToken: error(
    "PW473",
    (least: number) => ({ message: `the token has fewer than ${least} characters`, hint: "make it in an earlier action with a|uuid|" }),
    {
      means:
        "Anyone who knows the token of `wait_for_callback` can end the wait. A short token can be guessed, and a written one is the same for every run.",
      wrong: "- name: Approval\n  wait_for_callback: { token: refund, timeout: 2d }",
      right:
        "- name: Mint\n  json_output: { token: a|uuid| }\n- name: Approval\n  wait_for_callback: { token: a|Mint::token|, timeout: 2d }",
    },
  ),
  writtenToken: warning(
    "PW489",
    () => ({
      message: "the token is that of every run, and only the first can wait for it",
      hint: "make it in an earlier action with a|uuid|",
    }),
    {
      means:
        "A token is used once: as long as the store keeps the run that used it first, other runs with this token fail. Anyone who knows a written token can also end the wait.",
      wrong: "- name: Approval\n  wait_for_callback: { token: approval of the shop, timeout: 2d }",
      right:
        "- name: Mint\n  json_output: { token: a|uuid| }\n- name: Approval\n  wait_for_callback: { token: a|Mint::token|, timeout: 2d }",
    },
  ),
  waitTime: error(
    "PW474",
    (key: string, hasLeast: boolean) => ({
      message: `'${key}' is ${hasLeast ? "none from 1ms to 30d" : "longer than 30d"}`,
      hint: "write 30d at most, and a schedule for what comes later",
    }),
    {
      means: "A run waits for 30 days at most, and for a callback 1 ms or more.",
      wrong: "delay: 5w",
      right: "delay: 30d",
    },
  ),
};
