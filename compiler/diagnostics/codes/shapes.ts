import { suggestion, warning } from "./code.ts";

/** The facts about a value without the member: its known members, or its type if it is no object. */
interface Place {
  readonly nearest?: string | undefined;
  readonly known: readonly string[];
  readonly type?: string | undefined;
}

const hintFor = (name: string, type: string): string =>
  type === "array" ? `[0].${name} reads it of the first element, [*].${name} of each` : "read the value itself";

/** 277 to 280, 286, 288: mistakes that follow from the shapes of values. */
export const shapes = {
  missing: warning(
    "PW277",
    (name: string, of: string, { nearest, known, type }: Place) => ({
      message:
        type === undefined
          ? `'${of}' never has a member '${name}'${suggestion(nearest).words}`
          : `'${of}' is ${type === "array" ? "a list" : `a ${type}`} and never has a member '${name}'`,
      hint: type === undefined ? (known.length === 0 ? undefined : `it has ${listed(known)}`) : hintFor(name, type),
    }),
    {
      means:
        "A marker, a selector or a path reads a member that its value can never have, so that it is always unset. The members are known from the source of the value (a literal, the answer of a service, the columns of a query) and its transforms. An element of a list is read by its index, and `[*]` reads the member of each. A value that may have any member is not reported.",
      wrong: "- name: User\n  json_output: { id: 1, title: a|body::title| }\n- name: Answer\n  json_output: { heading: a|User::titel| }",
      right: "- name: User\n  json_output: { id: 1, title: a|body::title| }\n- name: Answer\n  json_output: { heading: a|User::title| }",
    },
  ),
  neverThere: warning(
    "PW278",
    (transform: string, path: string, nearest: string | undefined, known: readonly string[]) => ({
      message: `${transform} names '${path}', which is never there${suggestion(nearest).words}`,
      hint: known.length === 0 ? undefined : `there ${known.length === 1 ? "is" : "are"} ${listed(known)}`,
    }),
    {
      means:
        "The arguments of a transform name a member that its data can never have: the name is misspelt, or an earlier transform has removed the member.",
      wrong: "post_transforms:\n  - keep_attributes: [id, email]\n  - rename_keys: { emial: mail }",
      right: "post_transforms:\n  - keep_attributes: [id, email]\n  - rename_keys: { email: mail }",
    },
  ),
  failsAlways: warning(
    "PW288",
    (transform: string, data: string) => ({
      message: `${transform} always fails: the data is always ${data}`,
      hint: data === "a list" ? `for each element write nested_transforms: { "$[*]": [${transform}: …] }` : undefined,
    }),
    {
      means:
        "No data that this transform can get fits it, so that its action always fails. Most of such transforms write a key, which a list does not have: in `nested_transforms` the path `$[*]` runs a list of transforms on each element.",
      wrong: "query: SELECT id, email FROM users\npost_transforms:\n  - generate_bytes: { key: token, length: 16 }",
      right:
        'query: SELECT id, email FROM users\npost_transforms:\n  - nested_transforms: { "$[*]": [generate_bytes: { key: token, length: 16 }] }',
    },
  ),
  neverPasses: warning(
    "PW279",
    (matcher: string, target: string) => ({
      message: `${matcher} can never pass: the target is always ${target}`,
      hint: "test another value, or by another matcher",
    }),
    {
      means: "No value that the target of a test can have passes the matcher, so that the test always fails.",
      wrong: "- name: Count\n  json_output: { n: 1 }\n  assert: { tests: [{ value: n, is_string: true }] }",
      right: "- name: Count\n  json_output: { n: 1 }\n  assert: { tests: [{ value: n, is_number: true }] }",
    },
  ),
  unreadParameter: warning(
    "PW280",
    (name: string, meant: string, where: string) => ({
      message: `parameter '${name}' is nowhere declared (did you mean '${meant}'?)`,
      hint: `'${meant}' ${where}`,
    }),
    {
      means:
        "A marker reads a parameter that is not declared, and whose name is nearly that of a parameter in the route or under `params`: of one that nothing reads, or with one letter of difference. A caller may send any parameter in the query; if this one is meant, declare it under `params`.",
      wrong: "route: /users/:name\nactions:\n  - name: User\n    json_output: { name: a|params::nmae| }",
      right: "route: /users/:name\nactions:\n  - name: User\n    json_output: { name: a|params::name| }",
    },
  ),
  slip: warning(
    "PW286",
    (name: string, of: string, meant: string) => ({
      message: `nothing else says that '${of}' has a member '${name}' (did you mean '${meant}'?)`,
      hint: `a test, a schema, an example or a transform names '${meant}'`,
    }),
    {
      means:
        "A marker reads a member of a value that may have any member, such as a body. Nothing else names this member, and its name is nearly that of a known one: a letter is missing or too many, or two letters changed places. If both members exist, name this one in a test of the action.",
      wrong: "assert: { tests: [{ value: user_id, is_not_null: true }] }\n…\nv: a|Body::usre_id|",
      right: "assert: { tests: [{ value: user_id, is_not_null: true }] }\n…\nv: a|Body::user_id|",
    },
  ),
};

const shown = 8;

const listed = (known: readonly string[]): string =>
  known.length > shown ? `${known.slice(0, shown).join(", ")} and ${known.length - shown} more` : known.join(", ");
