/** The path under which the token of an action is kept, beside that of its time. No name of an action holds a tab. */
export const tokenPath = (path: string): string => `${path}\ttoken`;

/** True for the path of a token. */
export const isOfToken = (path: string): boolean => path.endsWith("\ttoken");

/** The path of the action whose token it is. */
export const actionOfToken = (path: string): string => path.slice(0, -"\ttoken".length);
