/** Gives the last two arguments of a call, options and value. A call may leave the options out, because none of them is required. */
export const withOptions = <Options extends object, Last>([first, second]: readonly [Last, undefined?] | readonly [Options, Last]) =>
  (second === undefined ? [{}, first] : [first, second]) as readonly [Options, Last];
