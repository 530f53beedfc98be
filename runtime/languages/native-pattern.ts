import type { Work } from "../threads/slices.ts";
import { bounded, type Groups, type Pattern } from "./pattern.ts";

/** A pattern for which the compiler has found a JavaScript pattern with the same matches in linear time (compiler/6-print/regex). */
export function native(regexp: RegExp): Pattern {
  let every: RegExp | undefined;
  const [, ...groups] = new RegExp(`|${regexp.source}`, "u").exec("") ?? [];
  return {
    groups: groups.length,
    get names() {
      return namesIn(regexp.source);
    },
    test: (text) => regexp.test(bounded(text)),
    exec: (text) => {
      const match = regexp.exec(bounded(text));
      return match === null ? null : groupsOf(match);
    },
    replace: (text, fill) => {
      every ??= new RegExp(regexp, "gu");
      return replaced(every, bounded(text), fill);
    },
  };
}

/** Matches that are replaced in about a millisecond. The compiler gives only patterns that do not read far beyond their matches. */
const matchesOfSlice = 1_000;

/** As in Rust, an empty match right behind another one does not count. */
function* replaced(every: RegExp, text: string, fill: (groups: Groups) => string): Work<string> {
  let out = "";
  let end = 0;
  let matches = 0;
  for (const match of text.matchAll(every)) {
    if (++matches % matchesOfSlice === 0) yield;
    const [found] = match;
    if (found === "" && match.index === end && end > 0) continue;
    out += text.slice(end, match.index) + fill(groupsOf(match));
    end = match.index + found.length;
  }
  return out + text.slice(end);
}

const groupsOf = (match: RegExpExecArray): Groups => match.map((group: string | undefined) => group ?? null);

/** Matches the opening of a group that counts, with its name; escapes and sets are read over. */
const opening = /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?<([^>]+)>|(?!\?))/gsu;

function namesIn(source: string): Readonly<Record<string, number>> {
  const groups = Array.from(source.matchAll(opening)).filter(([text]) => text.startsWith("("));
  return Object.fromEntries(groups.flatMap(([, name], i) => (name === undefined ? [] : [[name, i + 1]])));
}
