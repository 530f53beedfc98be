import { error, suggestion, warning } from "./code.ts";

/** 43x and 51x: post_transforms. Stage 1 itself gives the text of its findings (runtime/value/failure.ts `Reject`). */
export const transforms = {
  notOneKey: error(
    "PW430",
    () => ({ message: "transform entry must have exactly one key", hint: "start every transform with a '- ' of its own" }),
    {
      means: "Each entry of `post_transforms` is one transform. Several are several entries, applied in order.",
      wrong: "post_transforms:\n  - return_row: 0\n    remove_keys: [password]",
      right: "post_transforms:\n  - return_row: 0\n  - remove_keys: [password]",
    },
  ),
  unknown: error(
    "PW431",
    (name: string, nearest?: string, hint?: string) => {
      const { words, instead } = suggestion(nearest);
      return { message: `unknown transform '${name}'${words}`, hint, instead };
    },
    {
      means: "There is no transform of that name.",
      wrong: "post_transforms:\n  - extract_valeu: user.id",
      right: "post_transforms:\n  - extract_value: user.id",
    },
  ),
  pluralPath: error("PW510", (reason: string) => ({ message: reason, hint: "use extract_with_json_path to take all of them" }), {
    means: "The transform works on one value, and a path with `[*]`, `..`, a slice or a filter can find several.",
    wrong: "- extract_value: $.items[*].id",
    right: '- extract_with_json_path: "$.items[*].id"',
  }),
  movePath: error("PW511", (reason: string) => reason, {
    means:
      "`rename_attributes` and `move_attributes` rename members: the path must end in a name, and the destination must not have more wildcards than the source.",
    wrong: '- rename_attributes: { "items[0]": first }',
    right: '- rename_attributes: { "items": list }',
  }),
  option: error("PW512", (reason: string) => reason, {
    means: "An option is outside its range, or two options exclude each other.",
    wrong: "- bcrypt: { value: password, key: hash, cost: 40 }",
    right: "- bcrypt: { value: password, key: hash, cost: 10 }",
  }),
  math: error("PW513", (reason: string) => reason, {
    means: "The expression does not parse, or names a field without `target.`.",
    wrong: '- math: { expressions: { total: "price * 2" } }',
    right: '- math: { expressions: { total: "target.price * 2" } }',
  }),
  css: error("PW514", (reason: string) => reason, {
    means: "The CSS selector does not parse.",
    wrong: '- extract_with_css: { value: "", selector: "a[", key: links }',
    right: '- extract_with_css: { value: "", selector: "a[href]", key: links }',
  }),
  ownAction: warning(
    "PW515",
    (action: string) => ({
      message: `marker names its own action '${action}'`,
      hint: "arguments are evaluated before the first transform; use another action to read what a transform wrote",
    }),
    {
      means:
        "The arguments of all transforms of a list are evaluated before the first one runs, so a marker sees the data as it was before any of them.",
      wrong: "- name: A\n  post_transforms:\n    - add_attribute: { full: x }\n    - add_attribute: { copy: a|A::full| }",
      right:
        "- name: A\n  post_transforms:\n    - add_attribute: { full: x }\n- name: B\n  input: a|A|\n  post_transforms:\n    - add_attribute: { copy: a|A::full| }",
    },
  ),
  wholeResponse: warning(
    "PW516",
    () => ({ message: "only_new looks at the whole response, not at its records", hint: "extract the list first: - extract_value: body" }),
    {
      means: "The data of an `http` action is `{status, headers, body}`; the records are inside `body`.",
      wrong: "http: { url: https://a.example }\nonly_new: { key: seen }",
      right: "http: { url: https://a.example }\npost_transforms: [{ extract_value: body }]\nonly_new: { key: seen }",
    },
  ),
  literalSecret: warning(
    "PW517",
    (key: string) => ({ message: `'${key}' holds a literal secret`, hint: "use a|secret::NAME| or an encrypted variable" }),
    {
      means: "A secret written into the file ends up in version control and in the generated code.",
      wrong: "password: hunter2",
      right: "password: a|var::ENCRYPTED_PASSWORD|",
    },
  ),
};
