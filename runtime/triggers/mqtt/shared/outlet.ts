import { setTimeout as pause } from "node:timers/promises";
import type { Bus, BusMessage } from "../../../bus/bus.ts";

/** Milliseconds until a full bus is tried again that cannot tell when it has room. */
const retryMs = 20;

/** Sends messages to all processes in the order of the calls. Messages that find no room on the bus wait here. */
export class Outlet {
  readonly #bus: Bus;
  readonly #waiting: BusMessage[] = [];
  #work: Promise<void> | undefined;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  /** True while messages wait: callers that can wait have to. */
  get isFull(): boolean {
    return this.#work !== undefined;
  }

  /** Sends a message; a promise while it waits. */
  send(message: BusMessage): Promise<void> | undefined {
    if (this.#work === undefined && this.#bus.publish(message)) return undefined;
    this.#waiting.push(message);
    this.#work ??= this.#drain();
    return this.#work;
  }

  async #drain(): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#bus.publish(next)) this.#waiting.shift();
      else await (this.#bus.settled() ?? pause(retryMs));
    }
    this.#work = undefined;
  }
}
