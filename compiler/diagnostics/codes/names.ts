import { error, type Page, suggestion, warning } from "./code.ts";

const unknownNamePage: Page = {
  means:
    "No template, variable or secret of that name is declared. For a variable or a secret this is a warning, since the environment may supply it.",
  wrong: "global:\n  templates: { hello: Hi }\n# …\njson_output: { text: a|template::helo| }",
  right: "global:\n  templates: { hello: Hi }\n# …\njson_output: { text: a|template::hello| }",
};

/** 30x and 333: names that must exist. */
export const names = {
  /**
   * `marker` is the text of the diagnostic's place. `loop` is true if the action is a loop around that place. `remedy` is present for a
   * word of another tool.
   */
  unknownAction: error(
    "PW301",
    (
      name: string,
      nearest?: string,
      where: { readonly marker?: string; readonly loop?: boolean; readonly remedy?: string | undefined } = {},
    ) => {
      const { words } = suggestion(nearest);
      const hint = where.loop
        ? "a loop has no data before its items have run; the item is a|body|"
        : nearest === undefined
          ? (where.remedy ?? "write '\\a|' where literal text is meant")
          : undefined;
      const instead = nearest === undefined ? undefined : where.marker?.replace(name, () => nearest);
      return { message: `unknown action or root '${name}'${words}`, hint, instead };
    },
    {
      means:
        "A marker starts with a root (`body`, `params`, `headers`, `var`, …) or the name of an action of the same list; inside a loop also of the lists around it. Write `\\a|` where the two characters are meant as text.",
      wrong: "- name: FetchUser\n- input: a|Fetchuser|",
      right: "- name: FetchUser\n- input: a|FetchUser|",
    },
  ),
  unknownActionIn: error(
    "PW302",
    (name: string, gate: string, nearest?: string, isOutside = false) => {
      const { words, instead } = suggestion(nearest);
      const hint = isOutside ? `'${name}' is outside of the loop: write the gate in the loop itself` : undefined;
      return { message: `unknown action '${name}' in ${gate}${words}`, hint, instead };
    },
    {
      means: "Gates and other lists of names hold names of actions of the same list.",
      wrong: "- name: Load\n- name: Save\n  run_when_succeeded: [Laod]",
      right: "- name: Load\n- name: Save\n  run_when_succeeded: [Load]",
    },
  ),
  usedTwice: error(
    "PW303",
    (name: string, line: number) => ({ message: `action name '${name}' is used twice (first at ${line})`, hint: "rename one" }),
    {
      means: "Two actions of a list have the same name, so a marker could mean either.",
      wrong: "- name: Load\n- name: Load",
      right: "- name: LoadUser\n- name: LoadPosts",
    },
  ),
  reserved: error(
    "PW304",
    (name: string) => ({ message: `'${name}' is reserved`, hint: `a|${name}| already has a meaning; name it otherwise` }),
    {
      means: "The names of the built-in roots, and `previous`, cannot name an action: markers could not tell them apart.",
      wrong: "- name: body",
      right: "- name: Body",
    },
  ),
  unknownTemplate: error(
    "PW308",
    (name: string, nearest?: string) => `unknown template '${name}'${suggestion(nearest).words}`,
    unknownNamePage,
  ),
  unknownVariable: warning(
    "PW308",
    (name: string, nearest?: string) => `unknown variable '${name}'${suggestion(nearest).words}`,
    unknownNamePage,
  ),
  unknownSecret: warning(
    "PW308",
    (name: string, nearest?: string) => `unknown secret '${name}'${suggestion(nearest).words}`,
    unknownNamePage,
  ),
  unsealedVariable: warning(
    "PW680",
    (name: string) => ({
      message: `variable '${name}' is called encrypted and is not sealed`,
      hint: `pipewright vars set ${name} - --env …`,
    }),
    {
      means:
        "By convention a variable whose name begins with `ENCRYPTED_` is sealed. The value of this one is plain text in `vars/<environment>.yaml`: everybody who sees the file can read it.",
      wrong: "ENCRYPTED_TOKEN: hunter2",
      right: "ENCRYPTED_TOKEN: { sealed: v1.… }",
    },
  ),
  unsetVariable: warning(
    "PW356",
    (name: string, environment: string, nearest?: string) => {
      const { words } = suggestion(nearest);
      return {
        message: `variable '${name}' is not set for the environment ${environment}${words}`,
        hint: `pipewright vars set ${name} … --env ${environment}, or a ->default(…) where it may be unset`,
      };
    },
    {
      means:
        "With `--env`, every name that `var` or `ap_var` reads must be in `vars/<environment>.yaml`, in `vars/base.yaml` or, for `var`, in `global.variables`; a name that is not set gives null. `build` refuses it. When none of these files exists, names are not checked. A name that only `--vars` sets needs a `->default(…)`, or a value in a file.",
      wrong: "# vars/production.yaml has PAGE_SIZE\nvalue: a|var::PAGE_SZIE|",
      right: "value: a|var::PAGE_SIZE|",
    },
  ),
  unknownInterface: error(
    "PW333",
    (name: string, nearest?: string) => {
      const { words, instead } = suggestion(nearest);
      return { message: `unknown interface '${name}'${words}`, instead };
    },
    {
      means: "The name must be that of an interface of the same configuration.",
      wrong: "on_error: { interface: Alarm }\ninterfaces:\n  alert: {}",
      right: "on_error: { interface: alert }\ninterfaces:\n  alert: {}",
    },
  ),
};
