import { type Nested, programAt, wrappers } from "./nested.ts";
import { commandsIn, type Word } from "./words.ts";

/**
 * Programs with options that start another program, or write or delete files, such as `tar --to-command` and `find -delete`. Each has the
 * letters of its options that take the next word as their value.
 */
const programs: Readonly<Record<string, string>> = {
  tar: "bCfFgHIKLNTVX",
  rsync: "BefMT",
  sort: "koSTt",
  git: "cCFm",
  curl: "AbcCdDeEFhHKmoPQrTuUwxXyYz",
  wget: "aABDeiIlOoPQRtTUwX",
  zip: "bintx",
  find: "",
  split: "abCln",
  tcpdump: "BcCEFGijmMQrsTVwWyz",
  gpg: "Norsu",
  mail: "abcrsSu",
  sendmail: "BFfhLNOopqRrV",
};

/** The values of a script that a program may read as its options. Values are NUL characters in its text. */
export const optionsIn = (script: string): readonly Nested[] => commandsIn(script).flatMap(({ words }) => optionsAmong(words));

/** The values of one command that its program may read as options. The words are the program and its arguments. */
export function optionsAmong(words: readonly Word[]): readonly Nested[] {
  const start = programAt(words);
  const first = words[start];
  if (first === undefined) return [];
  const index = wrappers.test(baseOf(first)) ? words.findIndex((word) => Object.hasOwn(programs, baseOf(word))) : start;
  const program = words[index];
  const valued = program === undefined ? undefined : ownLetters(baseOf(program));
  if (program === undefined || valued === undefined) return [];
  const args = dashed(baseOf(program), words.slice(index + 1));
  const end = args.findIndex(({ text }) => text === "--" || text === "--end-of-options");
  return args
    .slice(0, end < 0 ? undefined : end)
    .flatMap((word, i, all) =>
      word.text.startsWith("\0") && !takesNext(all[i - 1], valued)
        ? word.holes.slice(0, 1).map((hole) => ({ hole, place: baseOf(program) }))
        : [],
    );
}

/** The first word of `tar` may be options without their dash: `xf`. */
const dashed = (name: string, [first, ...rest]: readonly Word[]): readonly Word[] => {
  if (first === undefined) return [];
  return [name === "tar" && /^[a-zA-Z]/.test(first.text) ? { ...first, text: `-${first.text}` } : first, ...rest];
};

const ownLetters = (name: string): string | undefined => (Object.hasOwn(programs, name) ? programs[name] : undefined);

/** True when the word before is an option that takes the next word as its value. A long option without `=` may be one. */
const takesNext = (before: Word | undefined, valued: string): boolean =>
  before !== undefined &&
  (/^--[^=]+$/.test(before.text) || (/^-[a-zA-Z]+$/.test(before.text) && valued.includes(before.text.at(-1) ?? "-")));

const baseOf = ({ text }: Word): string => text.replace(/^.*\//, "");
