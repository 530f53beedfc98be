import cluster, { type Worker as Child } from "node:cluster";
import type { Resource } from "../process/host.ts";
import type { CrewLine } from "./crew-bus.ts";
import type { FromWorker, Hub, ToWorker } from "./hub.ts";

// The channel between the first process and a worker carries the bus beside their orders and reports (runtime/process/workers/crew.ts).

const isBus = (message: unknown): message is { readonly bus: unknown } =>
  typeof message === "object" && message !== null && "bus" in message;

/** Carries messages between the workers of this process and the hub. */
export class Lines implements Resource {
  readonly #hub: Hub;
  readonly #began = (child: Child): void => this.#follow(child);

  constructor(hub: Hub) {
    this.#hub = hub;
    cluster.on("fork", this.#began);
  }

  close(): Promise<void> {
    cluster.off("fork", this.#began);
    return this.#hub.close();
  }

  #follow(child: Child): void {
    const say = (bus: ToWorker): void => {
      // The worker may end at this very moment, and its end is noticed elsewhere.
      if (child.isConnected()) child.send({ bus }, () => undefined);
    };
    this.#hub.began(child.id, say, () => child.process.kill("SIGKILL"));
    child.on("message", (message: unknown) => {
      if (isBus(message)) this.#hub.take(child.id, message.bus as FromWorker); // a worker says nothing else
    });
    child.on("exit", () => this.#hub.ended(child.id));
  }
}

/** The line from a worker to the first process. */
export const lineOf = (worker: NodeJS.Process): CrewLine => ({
  say: (bus) => {
    // The first process may have ended already.
    if (worker.connected) worker.send?.({ bus }, undefined, undefined, () => undefined);
  },
  hears: (take) => {
    worker.on("message", (message: unknown) => {
      if (isBus(message)) take(message.bus as ToWorker); // the first process says nothing else
    });
  },
});
