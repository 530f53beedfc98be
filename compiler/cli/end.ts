/** Takes the exit status of the command that ran. */
export type End = (result: number | Promise<number>) => Promise<void>;
