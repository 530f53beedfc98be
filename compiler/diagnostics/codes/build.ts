import { error, note, type Page } from "./code.ts";

const page: Page = {
  means:
    "The key is part of the language, but this version cannot compile it yet. Everything else of the file was checked as usual. The feature is reported once per file, at its first use. A note instead of an error says that the configuration works without it.",
  wrong: "- name: Notify\n  wait_for_callback: { token: a|uuid|, timeout: 1h }",
  right: "- name: Notify\n  http: { url: https://mail.example/send, body: a|body| }",
};

/** 7xx: what this version of the compiler can build. */
export const build = {
  /**
   * Reported once per file and feature. `further`: how often it is used besides; `reason`: what is missing, where the key does not say it.
   */
  unsupported: error(
    "PW700",
    (key: string, further = 0, reason?: string) => {
      const why = reason === undefined ? "" : `${reason}; `;
      const uses = further === 0 ? "" : `; used ${further} more time${further === 1 ? "" : "s"} in this file`;
      return { message: `'${key}' is not supported by this version`, hint: `${why}nothing else of the file is affected${uses}` };
    },
    page,
  ),
  /** For what a configuration can do without: it is compiled as if the key were not there. */
  withoutEffect: note("PW700", (key: string) => ({ message: `'${key}' is not supported by this version`, hint: "it has no effect" }), page),
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
        "The filter is right, but the compiler has no TypeScript for the part that is named, so that jq itself runs it: about a millisecond each time, in a thread of its own. `--deny jq-fallback` makes that an error.",
      wrong: "- extract_with_jq: '[.rows[] | @csv]'",
      right: '- extract_with_jq: "[.rows[] | {id, name}]"\n- to_csv: .',
    },
  ),
};
