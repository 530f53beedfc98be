import { error, suggestion, warning } from "./code.ts";
import { forms, withArticle } from "./written-forms.ts";

/** The parts of a message about a value of the wrong type. */
interface Remedy {
  readonly nearest?: string | undefined;
  readonly hint?: string;
  readonly instead?: string;
  /** The mistake in the value, if it has a better description than the type. */
  readonly problem?: string | undefined;
}

/** 11x and 12x: the shape of records. */
export const shape = {
  unknownKey: error(
    "PW110",
    (key: string, type: string, nearest?: string, hint?: string) => {
      const { words, instead } = suggestion(nearest);
      return { message: `unknown key '${key}' in ${type}${words}`, hint, instead };
    },
    {
      means: "The record has no such key. Keys that start with `x-` are ignored and may hold notes of your own.",
      wrong: "actions:\n  - name: A\n    post_transfroms: []",
      right: "actions:\n  - name: A\n    post_transforms: []",
    },
  ),
  noEffect: warning("PW111", (key: string) => ({ message: `'${key}' has no effect here`, hint: "remove it" }), {
    means: "The key is known, but does nothing at this place.",
    wrong: "interfaces:\n  users:\n    input: a|body|",
    right: "interfaces:\n  users:\n    actions:\n      - name: Body\n        input: a|body|",
  }),
  ignored: warning("PW112", (key: string) => ({ message: `'${key}' is not supported and ignored`, hint: `a note is called 'x-${key}'` }), {
    means: "Older configurations have this key, but it does nothing: it is read as a note for people.",
    wrong: "interfaces:\n  users:\n    query: SELECT 1",
    right: "interfaces:\n  users:\n    actions:\n      - name: Users\n        database: main\n        query: SELECT 1",
  }),
  missingKey: error(
    "PW113",
    (key: string, type: string, hint?: string) => ({ message: `missing required key '${key}' in ${type}`, hint }),
    {
      means: "The record cannot work without this key. A key whose value is null counts as absent.",
      wrong: "interfaces: {}",
      right: "name: users\ninterfaces:\n  users: { method: GET, actions: [] }",
    },
  ),
  /** A file that has nothing of a configuration. */
  notConfig: error(
    "PW113",
    (isBlank = false) => ({
      message: "missing required key 'interfaces' in Config",
      hint: isBlank
        ? "the file is empty; a configuration has 'name' and 'interfaces'"
        : "this does not look like a configuration; a module belongs in the folder 'modules'",
    }),
    {
      means:
        "A configuration has a name and interfaces. A file with neither is something else: a module (those live in the folder `modules`), or a file of another tool.",
      wrong: "driver: sqlite\nconn_string: sqlite:data.db",
      right: "name: users\ninterfaces: {}",
    },
  ),
  /** `expected` is a type name, or `one of a, b, c` (then `got` is left out). */
  wrongType: error(
    "PW114",
    (key: string, expected: string, actual?: string, remedy: Remedy = {}) => {
      const { words, instead } = suggestion(remedy.nearest);
      const message = `'${key}': ${remedy.problem ?? `expected ${withArticle(expected)}${actual === undefined ? "" : `, got ${actual}`}`}${words}`;
      return { message, hint: remedy.hint ?? forms[expected], instead: instead ?? remedy.instead };
    },
    {
      means:
        "The value has the wrong type, or is not one of the words that the key takes. Where a key allows markers, a value with a marker is checked later, when the marker is filled.",
      wrong: "hide_action: maybe",
      right: "hide_action: true",
    },
  ),
  /** Keys that belong to a record, but are only indented as far as its own key. */
  flatKeys: error(
    "PW114",
    (name: string, keys: readonly string[]) => ({
      message: `'${name}': expected object, got null`,
      hint: `indent '${keys.join("', '")}' more than '${name}', together with the lines below ${keys.length === 1 ? "it" : "them"}`,
    }),
    {
      means: "The value has the wrong type. Keys that belong to a name are indented more than the name; here they stand beside it.",
      wrong: "interfaces:\n  users:\n  route: /users",
      right: "interfaces:\n  users:\n    route: /users",
    },
  ),
  exclude: error("PW115", (a: string, b: string) => ({ message: `'${a}' and '${b}' exclude each other`, hint: "keep one of them" }), {
    means: "The two keys say the same thing in two ways, so only one of them may be set.",
    wrong: "url: https://a.example\nhttp: { url: https://b.example }",
    right: "http: { url: https://b.example }",
  }),
  outside: error(
    "PW116",
    (key: string, value: number | string, minimum: number | string, maximum: number | string, things = "") =>
      minimum !== "" && maximum !== ""
        ? `'${key}': ${value}${things} is outside ${minimum}..${maximum}`
        : `'${key}': expected ${minimum === "" ? `at most ${maximum}` : `${minimum} or more`}${things}, got ${value}`,
    {
      means: "The number, or the number of items, is not within the bounds of the key.",
      wrong: "retry: { attempts: 1000 }",
      right: "retry: { attempts: 5 }",
    },
  ),
  /** `rename` is true when replacing only the key corrects the mistake. */
  legacy: warning(
    "PW120",
    (old: string, modern: string, rename = true) => ({
      message: `'${old}' is a legacy name for '${modern}'`,
      instead: rename ? modern : undefined,
    }),
    {
      means: "An older spelling that still works and does the same as the modern one.",
      wrong: "metrics_enabled: true",
      right: "expose_metrics: true",
    },
  ),
  openMarker: warning(
    "PW121",
    (closed: string) => ({ message: `marker is not closed / legacy form; write '${closed}'`, instead: closed }),
    {
      means: "Markers end with `|`. A few older forms without it are still read.",
      wrong: "input: a|body",
      right: "input: a|body|",
    },
  ),
};

const slotHint = "slots are whole databases, asserts, actions and network policies";
const nameHint = "names are unique among the configurations that are checked together";

/** 13x and 14x: names of configurations and their modules. */
export const config = {
  nameTwice: error(
    "PW130",
    (name: string, file: string) => ({ message: `config name '${name}' is also used in ${file}`, hint: nameHint }),
    {
      means: "Configurations that are built together need different names: the name also keeps the state of each apart.",
      wrong: "# a.yml\nname: users\n# b.yml\nname: users",
      right: "# a.yml\nname: users\n# b.yml\nname: posts",
    },
  ),
  interfaceName: error(
    "PW131",
    (name: string) => {
      const [, method, path] = /^([A-Za-z]+) +(\/\S*)$/.exec(name) ?? [];
      const characters = "1 to 200 of the characters A-Z a-z 0-9 . _ ~ / : { } -; any other path stands in 'route'";
      return {
        message: `bad interface name '${name}'`,
        hint: method === undefined ? characters : `name it freely, and write 'method: ${method.toUpperCase()}' and 'route: ${path}' in it`,
      };
    },
    {
      means: "An interface name is also its default route: 1 to 200 of the characters `A-Z a-z 0-9 . _ ~ / : { } -`.",
      wrong: "interfaces:\n  list users: {}",
      right: "interfaces:\n  list-users: {}",
    },
  ),
  actionName: error(
    "PW132",
    (name: string) => ({ message: `bad action name '${name}'`, hint: "a letter or _, then at most 99 letters, digits, _ or -" }),
    {
      means: "An action name is used in markers: a letter or `_`, then at most 99 letters, digits, `_` or `-`.",
      wrong: "- name: fetch user",
      right: "- name: FetchUser",
    },
  ),
  unnamed: warning("PW133", (name: string) => ({ message: `action has no name; using '${name}'`, hint: "add 'name: …' to it" }), {
    means:
      "Every action should have a name: it is its key in the response and in markers. The invented one changes when actions are moved.",
    wrong: "- input: a|body|",
    right: "- name: Body\n  input: a|body|",
  }),
  unknownModule: error(
    "PW140",
    (handle: string, nearest?: string) => {
      const message = `unknown module '${handle}'${suggestion(nearest).words}`;
      if (nearest !== undefined) return { message, instead: `a|module::${nearest}|` };
      return { message, hint: `a module is a file such as modules/${handle}.yaml beside the configuration` };
    },
    {
      means: "No file of that name is in the folder `modules` beside the configuration.",
      wrong: "main: a|module::databse|",
      right: "main: a|module::database|",
    },
  ),
  moduleType: error("PW141", (handle: string, type: string, expected: string) => `module '${handle}' is ${type}, expected ${expected}`, {
    means: "A module can only stand where a value of its `type` is expected.",
    wrong: "assert: a|module::main_database|",
    right: "assert: a|module::require_login|",
  }),
  modulePlace: error("PW142", () => ({ message: "a module marker must be the whole value of a module slot", hint: slotHint }), {
    means: "A module replaces a whole database, assert, action or network policy. It cannot be part of a text or stand anywhere else.",
    wrong: "description: see a|module::main|",
    right: "databases:\n  main: a|module::main|",
  }),
  moduleTwice: error(
    "PW143",
    (handle: string) => ({ message: `module handle '${handle}' is defined twice`, hint: "rename one of the files" }),
    {
      means: "The name of the file is the name of the module, so it must be unique below `modules`.",
      wrong: "# modules/a/login.yml and modules/b/login.yml",
      right: "# modules/a/login.yml and modules/b/admin_login.yml",
    },
  ),
  nestedModule: error("PW144", () => ({ message: "a module cannot use another module", hint: "write the value out" }), {
    means: "A module cannot take a part from another module.",
    wrong: "# modules/users.yml\nspec: a|module::other|",
    right: "# modules/users.yml\nspec: { tests: [] }",
  }),
  include: error(
    "PW145",
    (
      path: string,
      reason:
        | "outside the config directory"
        | "not readable"
        | "not valid JSON"
        | "neither an OpenAPI 3 document nor a configuration with interfaces",
    ) => `include '${path}' is ${reason}`,
    {
      means:
        "An included file is read when compiling. It must exist in the folder of the configuration or below. A file of `compare_value` holds JSON; a file of `contract` is an OpenAPI 3 document or a configuration.",
      wrong: "query: a|include::../../other/users.sql|",
      right: "query: a|include::sql/users.sql|",
    },
  ),
};

/** 195: comments for the compiler. */
export const ignored = {
  nothing: warning(
    "PW195",
    (code: string) => ({ message: `nothing is ignored here: there is no warning ${code}`, hint: "remove the comment" }),
    {
      means:
        "A comment `# pipewright-ignore PWnnn reason` silences the warnings of that code on its own line. On a line of its own it silences those of the next line that is not only a comment. This comment silences nothing: the warning is gone, or has another code or line. Errors cannot be silenced.",
      wrong: "# pipewright-ignore PW331 count is no id\nnotes/read:\n  route: /notes/:id",
      right: "notes/read:\n  route: /notes/:id",
    },
  ),
};
