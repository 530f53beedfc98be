/** Two last arguments of a call, of which the first may be left out: no option of any of them is required. */
export const withOptions = <Options extends object, Last>([first, second]: readonly [Last, undefined?] | readonly [Options, Last]) =>
  (second === undefined ? [{}, first] : [first, second]) as readonly [Options, Last];
