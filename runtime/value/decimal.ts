import Big from "big.js";

// Rounding to decimal places: half away from zero, on the shortest decimal text of the double (spec/transforms 5), so that 1.005 is 1.01.

const rounded = (value: number, places: number): Big => new Big(value).round(places, Big.roundHalfUp);

export const round = (value: number, places: number): number => rounded(value, places).toNumber();

/** The rounded number with that many digits behind the point. Zero has no sign. */
export function fixed(value: number, places: number): string {
  return rounded(value, places)
    .toFixed(places)
    .replace(/^-(?=[0.]*$)/, "");
}
