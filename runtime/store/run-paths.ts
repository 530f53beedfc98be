// Paths under which the parts of a run are stored. No name of an action holds a tab, so that a tab separates the action from its part.

/** The path of the token of a wait. The wait's own path has the row of its time. */
export const tokenPath = (path: string): string => `${path}\ttoken`;

/** True for the path of a token. */
export const isOfToken = (path: string): boolean => path.endsWith("\ttoken");

/** The path of the wait whose token it is. */
export const waitOfToken = (path: string): string => path.slice(0, -"\ttoken".length);

/** The path of a step of an action. `tries` is how often the action has failed before. */
export const stepPath = (action: string, tries: number, step: string): string => `${action}${tries === 0 ? "" : `~${tries}`}\tstep ${step}`;

/** True for the path of a step, and for the paths of its token and its question. */
export const isOfStep = (path: string): boolean => path.includes("\tstep ");

/** True for a path that belongs to a step of the action. */
export const isStepOf = (path: string, action: string): boolean =>
  path.startsWith(action) && /^(?:~\d+)?\tstep /.test(path.slice(action.length));

/** The path of the question that a step asks, beside the path of its wait. */
export const questionPath = (path: string): string => `${path}\tquestion`;

/** The path of the wait whose question it is. */
export const waitOfQuestion = (path: string): string => path.slice(0, -"\tquestion".length);

/** The path of an action, without the step that it may belong to. */
export const actionOfPath = (path: string): string => path.replace(/(?:~\d+)?\tstep .*$/s, "");

/** The path of a wait as operators see and write it. */
export const shownPath = (path: string): string => path.replace(/(?:~\d+)?\tstep /, ": ");
