import type { Host } from "../host.ts";

// Several processes behind one address (`--workers N`): a first process that serves nothing, and workers that serve alike. The messages
// between them are in this file; `first.ts` is the first process, `worker.ts` a worker.

/** An order of the first process to a worker. */
export type Order =
  /** How many serve now; a worker is ready when all do. */
  | { readonly crew: "serving"; readonly count: number }
  /** This worker does what must happen once in all workers: schedules. */
  | { readonly crew: "lead" }
  | { readonly crew: "drain" }
  | { readonly crew: "measure"; readonly id: number };

/** A report of a worker to the first process. */
export type WorkerReport =
  | { readonly crew: "listening"; readonly url: string }
  /** The metrics of the worker, as its meter writes them. */
  | { readonly crew: "measured"; readonly id: number; readonly metrics: unknown };

/** The variable that tells a worker who it is: its number and how many there are. The first process sets it. */
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

/** A message of ours: others may use the same channel. */
export const isOurs = (message: unknown): message is Order | WorkerReport =>
  typeof message === "object" && message !== null && "crew" in message;
