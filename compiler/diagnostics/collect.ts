import type { Span } from "#runtime/plan/index.ts";
import { present } from "../present.ts";
import { byPlace, type Diagnostic, type Report } from "./diagnostic.ts";

/** Most diagnostics shown for one file (spec/language 8). */
const limitPerFile = 100;

/** Gathers the findings of the phases. */
export interface Collector {
  readonly report: Report;
  /** True when a file, or without an argument any file, has errors. */
  hasErrors(file?: string): boolean;
  /** The places at which a code was found. */
  placesOf(code: string): readonly Span[];
  /**
   * The diagnostics in the order in which all renderings show them, at most 100 for each file. When there are more, errors are kept before
   * warnings.
   */
  diagnostics(): readonly Diagnostic[];
}

/** Gathers findings. One finding at one place counts once: an anchor that is used twice is still one mistake. */
export function collector(): Collector {
  const findings = new Map<string, Diagnostic>();
  return {
    report(finding, at, related) {
      const key = `${at.file}\0${at.start}\0${at.end}\0${finding.code}\0${finding.message}`;
      if (findings.has(key)) return;
      const fix = finding.instead === undefined ? {} : { fix: { title: `write ${finding.instead}`, at, text: finding.instead } };
      findings.set(key, { ...finding, at, ...fix, ...present({ related }) });
    },
    placesOf: (code) => [...findings.values()].filter((each) => each.code === code).map(({ at }) => at),
    hasErrors: (file) => [...findings.values()].some(({ severity, at }) => severity === "error" && (file ?? at.file) === at.file),
    diagnostics: () => limited([...findings.values()].filter((one) => !isConsequence(one, findings)).sort(byPlace)),
  };
}

/** The code of the cause, by that of its consequence: a key in place of a filter (PW287) is never a member (PW277). */
const causes: Readonly<Record<string, string>> = { PW277: "PW287" };

function isConsequence({ code, at }: Diagnostic, findings: ReadonlyMap<string, Diagnostic>): boolean {
  const cause = Object.hasOwn(causes, code) ? causes[code] : undefined;
  if (cause === undefined) return false;
  return [...findings.values()].some((one) => one.code === cause && one.at.file === at.file && one.at.start === at.start);
}

function limited(sorted: readonly Diagnostic[]): readonly Diagnostic[] {
  const files = Map.groupBy(sorted, ({ at }) => at.file);
  return [...files.values()].flatMap((ofFile) => {
    if (ofFile.length <= limitPerFile) return ofFile;
    const errors = ofFile.filter(({ severity }) => severity === "error");
    const others = ofFile.filter(({ severity }) => severity !== "error");
    return [...errors, ...others].slice(0, limitPerFile).sort(byPlace);
  });
}
