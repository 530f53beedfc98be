/** Characters of the shortest token of a callback: a shorter one is found by trying. */
export const leastToken = 16;
