import type { Report } from "./diagnostic.ts";

/**
 * A report that passes on its findings and remembers whether one was an error, so that a value with a reported text is not checked again.
 */
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
