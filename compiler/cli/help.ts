import { Help } from "commander";

/** The columns of the help without a terminal that tells its width. */
export const usualWidth = 80;

/** The least columns for a description beside its flag. */
export const leastWidth = 24;

/** Columns before a flag, and before a description below it. */
const [indent, deeper] = [2, 6];

/** A flag with its description. The description stands below the flag if the terminal is too narrow for both. */
export function helpItem(term: string, termWidth: number, description: string, helper: Help): string {
  const width = helper.helpWidth ?? usualWidth;
  if (description === "" || width - termWidth - 2 * indent >= leastWidth)
    return Help.prototype.formatItem.call(helper, term, termWidth, description, helper);
  const wrapped = helper.boxWrap(description, Math.max(width - deeper, leastWidth));
  return `${" ".repeat(indent)}${term}\n${wrapped.replace(/^/gm, " ".repeat(deeper))}`;
}
