import type { Meter } from "../../metrics/meter.ts";
import { isOurs, type Order, placeOf, type WorkerPlace, type WorkerReport, workerVariable } from "./crew.ts";

/** A worker's side of the channel to the first process. */
export class Worker {
  readonly place: WorkerPlace;
  readonly #outside: NodeJS.Process;
  #serving = 0;
  #isLead = false;
  #lead: (() => void) | undefined;
  #meter: Meter | undefined;
  /** Resolves when the worker has to end, because the first process has told it so or has itself ended. */
  readonly drained: Promise<void>;

  constructor(outside: NodeJS.Process, place: WorkerPlace) {
    this.#outside = outside;
    this.place = place;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.drained = promise;
    outside.on("message", (message: unknown) => {
      if (isOurs(message)) this.#take(message as Order, resolve); // the first process sends no other messages of this protocol
    });
    outside.on("disconnect", resolve);
    // A terminal sends its signals to all processes. A worker ignores them, because the first process passes on their meaning.
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) outside.on(signal, () => undefined);
  }

  /** Reports that this worker serves at this address. */
  listening(url: string): void {
    this.#say({ crew: "listening", url });
  }

  /** Calls `begin` if this worker becomes the leader, which alone runs triggers that run once for all workers. */
  whenLead(begin: () => void): void {
    this.#lead = begin;
    if (this.#isLead) begin();
  }

  measures(meter: Meter): void {
    this.#meter = meter;
  }

  /** The reason why this process is not ready although it serves: other workers are still starting. */
  missing(): readonly string[] {
    const { count } = this.place;
    return this.#serving < count ? [`${count - this.#serving} of ${count} workers`] : [];
  }

  #take(order: Order, drain: () => void): void {
    switch (order.crew) {
      case "serving":
        this.#serving = order.count;
        return;
      case "lead":
        if (!this.#isLead) this.#lead?.();
        this.#isLead = true;
        return;
      case "drain":
        drain();
        return;
      case "measure":
        void this.#measure(order.id);
    }
  }

  async #measure(id: number): Promise<void> {
    this.#say({ crew: "measured", id, metrics: (await this.#meter?.values()) ?? [] });
  }

  #say(report: WorkerReport): void {
    // The first process may have ended already.
    if (this.#outside.connected) this.#outside.send?.(report, undefined, undefined, () => undefined);
  }
}

/** The worker that this process is; undefined when it is the only one. */
export async function workerHere(outside: NodeJS.Process): Promise<Worker | undefined> {
  const place = outside.send === undefined ? undefined : placeOf(outside.env[workerVariable]);
  if (place === undefined) return undefined;
  const { default: cluster } = await import("node:cluster");
  // Without this, Node ends a worker at once when the first process has ended, with all runs under way.
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
  return new Worker(outside, place);
}
