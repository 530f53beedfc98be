import { Help } from "commander";

/** Columns of the help where no terminal says how many it has. */
export const usualWidth = 80;

/** Columns that a description needs beside its flag. */
export const leastWidth = 24;

/** Columns before a flag, and before a description below it. */
const [indent, deeper] = [2, 6];

/** A flag with its description, which stands below it where the terminal is too narrow for both. */
export function helpItem(term: string, termWidth: number, description: string, helper: Help): string {
  const width = helper.helpWidth ?? usualWidth;
  if (description === "" || width - termWidth - 2 * indent >= leastWidth)
    return Help.prototype.formatItem.call(helper, term, termWidth, description, helper);
  const wrapped = helper.boxWrap(description, Math.max(width - deeper, leastWidth));
  return `${" ".repeat(indent)}${term}\n${wrapped.replace(/^/gm, " ".repeat(deeper))}`;
}
