/** Longest wait of a timer in milliseconds, almost 25 days: Node fires one that is longer at once. */
export const longestWait = 2_147_483_647;
