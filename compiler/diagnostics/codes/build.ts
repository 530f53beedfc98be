import { error } from "./code.ts";

/** 7xx: what the compiler can build. */
export const build = {
  /** A value exceeds a bound of the compiler. `bound` is a sentence without its end. */
  tooMuch: error("PW700", (bound: string) => ({ message: bound, hint: "divide the value: give a part of it an action of its own" }), {
    means:
      "Markers nest at most 16 deep, and one value uses at most 1,000 templates, including templates in templates. Beyond that the program could not be read or compiled. The rest of the file was checked as usual.",
    wrong: `- name: Notify
  input: ${"a|body::name->default(".repeat(17)}a|body::id|${")|".repeat(17)}`,
    right: `- name: Name
  input: a|body::name->default(a|body::id|)|
- name: Notify
  input: a|Name->default(unknown)|`,
  }),
  /** A statement of a printed module, for `check --types`. */
  types: error(
    "PW701",
    (reason: string, module: string, line: number, printed: string) => ({
      message: `the printed module does not type-check: ${reason}`,
      hint: `line ${line} of ${module} is: ${printed} -- this is a bug of pipewright, not a mistake of this file; please report it with this text`,
    }),
    {
      means:
        "The TypeScript printed from this place has a type error. Whatever the configuration says, its module must type-check, so this is a bug of pipewright: please report it with the text shown and, if you can, the lines of the configuration around the place. Other places are not affected.",
      wrong: "# nothing is wrong in the file",
      right: "# until the bug is mended: `disable_fastpath: true` on the interface prints it as data",
    },
  ),
  /** Reported by `--deny jq-fallback`. */
  jqFallback: error(
    "PW702",
    (reason: string) => ({
      message: `jq filter falls back to jq itself: ${reason}`,
      hint: "leave --deny jq-fallback out, or write the filter without it",
    }),
    {
      means:
        "The filter is valid, but the compiler has no TypeScript for the named part. So jq itself runs the filter: about a millisecond each time, in a thread. `--deny jq-fallback` makes that an error.",
      wrong: "- extract_with_jq: '[.rows[] | @csv]'",
      right: '- extract_with_jq: "[.rows[] | {id, name}]"\n- to_csv: .',
    },
  ),
};
