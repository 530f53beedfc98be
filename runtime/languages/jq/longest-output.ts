/** Characters of output that a filter may have: this process reads them at one go. */
export const longestOutput = 16_777_216;
