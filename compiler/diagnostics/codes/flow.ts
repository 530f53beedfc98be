import { error, type Page, warning } from "./code.ts";

const nothingRuns: Page = {
  means:
    "Nothing can run this interface, or there is none: it has no method, no route, no schedule, no mqtt, ws or mcp trigger, and no other key names it.",
  wrong: "cleanup: { output: none, actions: [] }",
  right: 'cleanup: { output: none, schedule: { cron: "0 3 * * *", enabled: true }, actions: [] }',
};

/** 30x to 32x: the order of actions and their keys. */
export const flow = {
  previousOnFirst: warning("PW305", () => ({ message: "'previous' on the first action has no effect", hint: "remove it" }), {
    means: "`previous` is the action before this one in the list, and the first has none.",
    wrong: "actions:\n  - name: A\n    run_when_succeeded: [previous]",
    right: "actions:\n  - name: A",
  }),
  /** `ungated`: an action of the cycle that waits only because it has no gate (spec/language 3.4), and the action for which it waits. */
  cycle: error(
    "PW306",
    (path: readonly string[], ungated?: { readonly name: string; readonly before: string }) => ({
      message: `actions wait for each other: ${path.join(" -> ")}`,
      hint:
        ungated === undefined
          ? "take one of these names out of its gate or marker"
          : `'${ungated.name}' has no gate, so it waits for every action before it; move it above '${ungated.before}', or 'depends_on: []' starts it at once`,
    }),
    {
      means:
        "Each of these actions waits for the next, so none could start. An action without any gate also waits for all actions before it in the list; `depends_on: []` removes that. An action also waits for the actions that its markers read.",
      wrong: "- name: A\n  depends_on: [B]\n- name: B",
      right: "- name: A\n  depends_on: [B]\n- name: B\n  depends_on: []",
    },
  ),
  variableCycle: error(
    "PW307",
    (path: readonly string[]) => ({
      message: `variables refer to each other: ${path.join(" -> ")}`,
      hint: "give one of them a value of its own",
    }),
    {
      means: "The value of each of these variables needs that of the next.",
      wrong: "variables:\n  A: a|var::B|\n  B: a|var::A|",
      right: "variables:\n  A: a|var::B|\n  B: x",
    },
  ),
  sameGate: error("PW309", () => "'depends_on' and 'run_when_finished' are the same; keep one", {
    means: "`run_when_finished` is another name of `depends_on`.",
    wrong: "depends_on: [A]\nrun_when_finished: [B]",
    right: "depends_on: [A, B]",
  }),
  twoSources: error(
    "PW310",
    (a: string, b: string) => ({ message: `an action has one source; found '${a}' and '${b}'`, hint: "make it two actions" }),
    {
      means: "An action gets its data from one source. Use two actions.",
      wrong: "- name: A\n  delay: 1s\n  http: { url: https://a.example }",
      right: "- name: Wait\n  delay: 1s\n- name: A\n  http: { url: https://a.example }",
    },
  ),
  inputIgnored: warning(
    "PW311",
    (source: string, key = "input") => ({ message: `'${key}' is ignored next to '${source}'`, hint: "remove it" }),
    {
      means: "`input`, `input_fallbacks` and `conditional_input` give data only to an action without another source.",
      wrong: "- name: A\n  input: a|body|\n  http: { url: https://a.example }",
      right: "- name: A\n  http: { url: https://a.example, body: a|body| }",
    },
  ),
  inputNotMarker: error("PW312", () => ({ message: "'input' must be one marker", hint: "for built text or structures use json_output" }), {
    means: "`input` takes the value of exactly one marker, with its type.",
    wrong: "input: Hello a|body::name|",
    right: "json_output: Hello a|body::name|",
  }),
  inputNoMarker: warning(
    "PW312",
    /** `marker` is our marker for a text in the form of another tool. */
    (marker?: string) => ({
      message: "'input' must be one marker",
      hint: marker === undefined ? "the text is used as it is; json_output says that more clearly" : `a marker is written ${marker}`,
      instead: marker === undefined ? undefined : `"${marker}"`,
    }),
    {
      means: "`input` takes the value of exactly one marker, with its type. Plain text is used as it stands.",
      wrong: "input: hello",
      right: "json_output: hello",
    },
  ),
  inputTwice: error("PW313", () => "'input' and 'conditional_input' exclude each other", {
    means: "Both say where the data comes from.",
    wrong: "input: a|body|\nconditional_input: [a|A|, a|B|]",
    right: "conditional_input: [a|A|, a|B|, a|body|]",
  }),
  atLeast: error("PW314", (count: number, length: number) => `at_least ${count} is outside 1..${length}`, {
    means: "`at_least` counts actions of the list beside it.",
    wrong: "depends_on: { actions: [A], at_least: 2 }",
    right: "depends_on: { actions: [A, B], at_least: 2 }",
  }),
  retryInert: warning("PW315", () => "retry.on/except have no effect on this action", {
    means: "Classes of failures exist for `http`, `aws` and `google`; of other actions every failure is retried.",
    wrong: "- delay: 5\n  retry: { attempts: 2, on: [5xx] }",
    right: "- delay: 5\n  retry: { attempts: 2 }",
  }),
  statusMatcher: error(
    "PW316",
    (matcher: string) => ({ message: `bad status matcher '${matcher}'`, hint: "a status (404), a class (2xx) or any" }),
    {
      means:
        "A status matcher is an integer from 100 to 599, a class `1xx` to `5xx`, or `any`. `timeout` and `connect` only exist in `retry.on` and `retry.except`.",
      wrong: "expect_status: [ok]",
      right: "expect_status: [2xx, 404]",
    },
  ),
  statusCode: error("PW317", (code: number) => `status code ${code} is outside 100..599`, {
    means: "No HTTP status has that number.",
    wrong: "http_code_on_error: 4040",
    right: "http_code_on_error: 404",
  }),
  lookup: error("PW320", (missing: "actions" | "lookup") => (missing === "actions" ? "lookup needs actions" : "actions need lookup"), {
    means: "A loop is `lookup` (the list) together with `actions` (what runs for every item).",
    wrong: "- name: Each\n  lookup: a|Users|",
    right: "- name: Each\n  lookup: a|Users|\n  actions:\n    - name: Mail\n      input: a|body|",
  }),
  shadowed: warning(
    "PW385",
    (name: string) => ({
      message: `'${name}' hides the action of that name outside the loop`,
      hint: `inside the loop a|${name}| is this action; rename one of the two`,
    }),
    {
      means:
        "Markers inside a loop can read the actions around it. An action of the loop with the same name hides such an action: markers in the loop then read the inner one.",
      wrong:
        "- name: Rate\n  http: { url: https://rates.example.com }\n- name: Each\n  lookup: a|body::items|\n  actions:\n    - name: Rate\n      json_output: { of: a|body::id| }",
      right:
        "- name: Rate\n  http: { url: https://rates.example.com }\n- name: Each\n  lookup: a|body::items|\n  actions:\n    - name: ItemRate\n      json_output: { of: a|body::id|, rate: a|Rate::body| }",
    },
  ),
  wrapped: warning(
    "PW386",
    (key: string) => ({
      message: `items of this loop are no objects: with '${key}' a|body| is {"value": item, …}`,
      hint: "the item is a|body::value|",
    }),
    {
      means:
        '`lookup_inherit` writes its values into every item. An item that is no object, such as a text, becomes `{"value": item}` with them, and `a|body|` is that object.',
      wrong:
        "- name: Each\n  lookup: [ann, bob]\n  lookup_inherit: { team: a|body::team| }\n  actions:\n    - name: User\n      http: { url: https://users.example.com/a|body| }",
      right:
        "- name: Each\n  lookup: [ann, bob]\n  lookup_inherit: { team: a|body::team| }\n  actions:\n    - name: User\n      http: { url: https://users.example.com/a|body::value| }",
    },
  ),
  lookupDepth: error("PW321", () => ({ message: "lookups are nested too deep", hint: "at most 5 levels" }), {
    means: "Loops inside loops go at most five levels deep.",
    wrong: "# six loops inside each other",
    right: "# flatten the lists first",
  }),
};

/** 33x: how interfaces are reached. */
export const routes = {
  servedTwice: error("PW330", (route: string, a: string, b: string) => `${route} is served by '${a}' and '${b}'`, {
    means: "Method and path of an HTTP interface are unique among the configurations that are built together.",
    wrong: "a: { route: /x, method: GET }\nb: { route: x, method: GET }",
    right: "a: { route: /x, method: GET }\nb: { route: /y, method: GET }",
  }),
  overlap: warning(
    "PW331",
    (a: string, b: string) => ({
      message: `routes '${a}' and '${b}' overlap`,
      hint: "where both fit, a static segment wins over a parameter",
    }),
    {
      means: "Both patterns fit the same path. A static segment wins over a parameter.",
      wrong: "one: { route: /users/:id }\ntwo: { route: /:table/me }",
      right: "one: { route: /users/:id }\ntwo: { route: /tables/:table/me }",
    },
  ),
  reservedPath: error(
    "PW640",
    (path: string, owner: string) => ({ message: `path '${path}' belongs to ${owner}`, hint: "give the interface another route" }),
    {
      means: "The service itself answers on this path, so the interface would never be reached.",
      wrong: "livez: { method: GET, actions: [] }",
      right: "livez: { method: GET, route: /state/livez, actions: [] }",
    },
  ),
  routeSegment: error(
    "PW488",
    (segment: string, problem: string, hint: string) => ({ message: `'${segment}' in the route ${problem}`, hint }),
    {
      means:
        "A parameter is a whole segment of a route, `:id` or `{id}`, and each has another name; `*rest` stands only as the last segment. Braces beside other text would be plain characters of the path, which no client sends. A route is the path alone, without method, host and query.",
      wrong: 'files: { route: "/files/{id}.json", method: GET }',
      right: 'files: { route: "/files/{file}", method: GET }',
    },
  ),
  noTrigger: warning(
    "PW332",
    (isWritten: boolean) => ({
      message: `interface ${isWritten ? "with output none" : "without output"} has no trigger`,
      hint: isWritten
        ? "nothing starts it: give it a trigger or another output"
        : "nothing starts it: `method` or `route` lets HTTP do so, `output: cli` says that `pipewright run` does",
    }),
    nothingRuns,
  ),
  noInterface: warning(
    "PW332",
    () => ({ message: "there is no interface", hint: "write its name below, with 'route' and 'actions'" }),
    nothingRuns,
  ),
};
