import type { Host } from "../host.ts";

// Several processes behind one address (`--workers N`): a first process that serves nothing, and workers that all serve in the same way.
// The messages between them are in this file; `first.ts` is the first process, `worker.ts` a worker.

/** An order of the first process to a worker. */
export type Order =
  /** The number of workers that serve; a worker is ready when all of them do. */
  | { readonly crew: "serving"; readonly count: number }
  /** This worker runs the triggers that only one worker runs, such as schedules. */
  | { readonly crew: "lead" }
  | { readonly crew: "drain" }
  | { readonly crew: "measure"; readonly id: number };

/** A report of a worker to the first process. */
export type WorkerReport =
  | { readonly crew: "listening"; readonly url: string }
  /** The metrics of the worker, as plain data of its meter. */
  | { readonly crew: "measured"; readonly id: number; readonly metrics: unknown };

/** The variable that tells a worker its number and the number of workers. The first process sets it. */
export const workerVariable = "PIPEWRIGHT_WORKER";

/** A worker among others. */
export interface WorkerPlace {
  readonly number: number;
  readonly count: number;
}

export function placeOf(text: string | undefined): WorkerPlace | undefined {
  const [, number, count] = /^([1-9]\d{0,2})\/([1-9]\d{0,2})$/.exec(text ?? "") ?? [];
  return number === undefined ? undefined : { number: Number(number), count: Number(count) };
}

/** The worker that this process is; undefined when it is the only process. */
export const workerOf = (host: Host): WorkerPlace | undefined => placeOf(host.env(workerVariable));

/** True for a message of this protocol, since other parts may use the same channel. */
export const isOurs = (message: unknown): message is Order | WorkerReport =>
  typeof message === "object" && message !== null && "crew" in message;
