import { native } from "#runtime/languages/native-pattern.ts";
import type { Pattern } from "#runtime/languages/pattern.ts";
import { compile } from "#runtime/languages/regex.ts";
import { sharedPattern } from "../../compiler/6-print/regex/index.ts";
import { nanoseconds } from "./micro.ts";
import { median, ratios } from "./statistics.ts";
import { figure, table } from "./table.ts";

/** A pattern, and a text that it matches. */
const subjects: readonly (readonly [string, string])[] = [
  ["^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$", "someone.with.a.name@mail.example.com"],
  ["^(\\d{4})-(\\d{2})-(\\d{2})T", "2026-11-21T13:01:30Z"],
  ["(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", "9B2C41E0-66F6-4B1D-9A57-0E8C1FD3A7C2"],
  ["^[a-z0-9]+(?:-[a-z0-9]+)*$", "a-slug-of-a-post-with-some-words"],
];

/** Nanoseconds of one match with its groups, by pattern, for each round. */
export interface PatternReport {
  readonly [pattern: string]: { readonly native: readonly number[]; readonly engine: readonly number[] };
}

/** Measures the gain of a pattern that is JavaScript's: both engines on the same text, in turns. */
export function benchPatterns(rounds: number): PatternReport {
  return Object.fromEntries(
    subjects.map(([pattern, text]) => {
      const engines = { native: native(new RegExp(sharedPattern(pattern) ?? "", "u")), engine: compile(pattern) };
      const times = { native: [] as number[], engine: [] as number[] };
      // The first round warms up.
      for (let round = 0; round <= rounds; round++) {
        for (const name of ["native", "engine"] as const) {
          const time = nanoseconds(() => matched(engines[name], text));
          if (round > 0) times[name].push(time);
        }
      }
      return [pattern, times];
    }),
  );
}

function matched(pattern: Pattern, text: string): void {
  if (pattern.exec(text) === null) throw new Error(`no match in ${text}`);
}

export function patternTable(report: PatternReport): string {
  const rows = Object.entries(report).map(([pattern, { native, engine }]) => [
    pattern,
    figure(median(native)),
    figure(median(engine)),
    figure(median(ratios(engine, native))),
  ]);
  return table(["regular expression", "native ns", "re2js ns", "re2js to native"], rows);
}
