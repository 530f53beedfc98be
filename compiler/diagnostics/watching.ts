import type { Report } from "./diagnostic.ts";

/** Hands on what it is told, and knows whether an error was among it: a value whose text was reported is not judged again. */
export function watching(report: Report): { readonly report: Report; readonly hasErrors: () => boolean } {
  let hasErrors = false;
  return {
    report: (finding, at, related) => {
      if (finding.severity === "error") hasErrors = true;
      report(finding, at, related);
    },
    hasErrors: () => hasErrors,
  };
}
