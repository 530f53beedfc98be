/** Exit statuses (spec/command-line 4). */
export const status = {
  done: 0,
  failed: 1,
  difference: 2,
  usage: 3,
  bug: 70,
  unmet: 78,
  timeout: 124,
  interrupted: 130,
  terminated: 143,
} as const;
