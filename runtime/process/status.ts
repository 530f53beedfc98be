/** Exit statuses of a process (spec/command-line 4). */
export const status = { done: 0, failed: 1, graceRanOut: 1, usage: 3, bug: 70, unmet: 78, secondSignal: 130 } as const;
