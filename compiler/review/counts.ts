/** The number of findings of each severity, in the order of the severities. */
export const countsOf = <Severity extends string>(
  severities: readonly Severity[],
  found: readonly { readonly severity: Severity }[],
): Record<string, number> =>
  Object.fromEntries(severities.map((severity) => [severity, found.filter((one) => one.severity === severity).length]));

/** The numbers in words, such as `2 breaking, 1 changed`. */
export const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .flatMap(([severity, count]) => (count === 0 ? [] : [`${count} ${severity}`]))
    .join(", ");
