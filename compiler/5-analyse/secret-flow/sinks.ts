import { memberPath } from "#runtime/paths/member-path.ts";
import type { Span, Step } from "#runtime/plan/index.ts";
import { type Exposure, leaks } from "../../diagnostics/codes/leaks.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { type Taint, type Way, waysIn } from "./taint.ts";

/** The function that is told of a value that others can see. */
export type Tell = (exposure: Exposure, of: Taint, place: FieldPlace) => void;

/** The place at which a value becomes visible to others. */
export interface FieldPlace {
  /** The name of the field in the YAML, such as `custom_body`. Absent for the data of an action as a whole. */
  readonly field?: string;
  /** The place of the field, used when no marker has a more exact place. */
  readonly at: Span | undefined;
}

/** Reports each secret once for each place that shows it. */
export function telling(report: Report): Tell {
  const reports = new Set<string>();
  return (exposure, of, { field, at }) => {
    for (const [way, path] of waysIn(of)) {
      const last = field === undefined ? [] : [shownPath(field, path)];
      const span = (field === undefined ? (way.stops.at(-1)?.at ?? way.at) : way.read) ?? at;
      if (span === undefined) continue;
      const key = JSON.stringify([way.secret, exposure, span.file, span.start, last]);
      if (reports.has(key)) continue;
      reports.add(key);
      const code = exposure === "query" || exposure === "path" ? leaks.inQuery : leaks.reaches;
      report(code(way.secret, exposure, [...way.stops.map(({ name }) => name), ...last]), span, related(way, span));
    }
  };
}

/** The field with the path in it: `key` in `custom_body` is `custom_body.key`. */
export const shownPath = (field: string, path: readonly Step[]): string =>
  path.reduce<string>(
    (of, step) => (step === "*" ? `${of}[*]` : typeof step === "number" ? `${of}[${step}]` : memberPath(of, step)),
    field,
  );

function related({ secret, at, stops }: Way, shown: Span): { readonly at: Span; readonly message: string }[] {
  const read = at === undefined || at.start === shown.start ? [] : [{ at, message: `${secret} is read here` }];
  const on = stops.flatMap(({ name, at: place }) =>
    place === undefined || place.start === shown.start ? [] : [{ at: place, message: name }],
  );
  return [...read, ...on];
}
