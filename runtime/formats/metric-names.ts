/** True for a name that every reader of the text format takes. */
export const isMetricName = (name: string): boolean => /^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name);

/** Labels that every measurement has. */
export const ownLabels: readonly string[] = ["config", "interface", "action"];

/** True for a label that an author may add: one of the text format that is neither the format's own nor ours. */
export const isLabel = (name: string): boolean =>
  /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name) && !name.startsWith("__") && name !== "le" && !ownLabels.includes(name);

/** True for a name that only metrics of the service have: authors may not use it, since the service may get new metrics at any time. */
export const isOurs = (name: string): boolean => name.startsWith("pipewright_");

/** Endings of the samples of a metric, in either format. */
const endings: Readonly<Record<string, readonly string[]>> = {
  counter: ["_total"],
  histogram: ["_bucket", "_sum", "_count"],
  summary: ["_sum", "_count"],
};

/** All names that a metric has in the plain format and in OpenMetrics, where a counter is announced without `_total`. */
export function namesOf(name: string, type: string): readonly string[] {
  const family = type === "counter" ? name.replace(/_total$/, "") : name;
  return [family, ...(endings[type] ?? []).map((ending) => family + ending)];
}
