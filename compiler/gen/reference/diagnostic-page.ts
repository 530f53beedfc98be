import type { DiagnosticCode } from "../../diagnostics/codes/code.ts";
import type { FailureCode } from "../../diagnostics/codes/failures.ts";
import { fence } from "./cases.ts";
import { notice } from "./feature-page.ts";

/** A code with a page: a diagnostic, or a class of run-time failures. */
type Explained = Pick<DiagnosticCode<never> | FailureCode, "code" | "severity" | "page">;

/** A code with its entries in the tables, one for each severity. All entries share one page. */
export interface Documented {
  readonly code: string;
  readonly entries: readonly Explained[];
}

export function documented(codes: readonly Explained[]): readonly Documented[] {
  return [...Map.groupBy(codes, ({ code }) => code)].map(([code, entries]) => ({ code, entries }));
}

/**
 * The page of a diagnostic: the text that `pipewright explain` prints, and an example of the diagnostic in a terminal. `frame` comes from a
 * fixture.
 */
export function diagnosticPage({ code, entries }: Documented, frame: string | undefined): string {
  const pages = [...new Set(entries.map(({ page }) => page))];
  const frames = frame === undefined ? [] : [`Shown as:\n\n${fence("text", frame)}`];
  return [`${notice}\n\n# ${code} (${severities({ code, entries })})\n`, ...pages, ...frames].join("\n");
}

export const severities = ({ entries }: Documented): string => [...new Set(entries.map(({ severity }) => severity))].join(" or ");

/** The first sentence of the first page. */
export const inShort = ({ entries }: Documented): string => /^.*?[.:](?=\s|$)/s.exec(entries[0]?.page ?? "")?.[0].replace(/:$/, ".") ?? "";

/**
 * A frame of each code from texts of rendered frames: the first frame of the text that has most frames of the code, since that text is
 * about the code.
 */
export function framesOf(rendered: readonly string[]): ReadonlyMap<string, string> {
  const best = new Map<string, { readonly frame: string; readonly count: number }>();
  for (const text of rendered) {
    const frames = text.split("\n\n").flatMap((frame) => {
      const code = /^\S+: (?:error|warning|note) (PW\d{3}): /.exec(frame)?.[1];
      return code === undefined ? [] : [{ code, frame: frame.trimEnd() }];
    });
    for (const [code, [first, ...more]] of Map.groupBy(frames, ({ code }) => code)) {
      if (first !== undefined && more.length >= (best.get(code)?.count ?? 0))
        best.set(code, { frame: first.frame, count: more.length + 1 });
    }
  }
  return new Map([...best].map(([code, { frame }]) => [code, frame]));
}
