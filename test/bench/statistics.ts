/** The value below which a share of the values lies, between two of them in proportion. NaN for no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = (sorted.length - 1) * share;
  const [below = Number.NaN, above = Number.NaN] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]];
  return below + (above - below) * (rank % 1);
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Each value divided by the one of the same round: what changes from round to round, such as the load of the machine, drops out. */
export const ratios = (values: readonly number[], to: readonly number[]): number[] =>
  values.map((value, i) => value / (to[i] ?? Number.NaN));

/** The difference of each value and the one of the same round. */
export const differences = (values: readonly number[], than: readonly number[]): number[] =>
  values.map((value, i) => value - (than[i] ?? Number.NaN));
