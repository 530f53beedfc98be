import type { Host } from "../../process/host.ts";
import type { Retaining } from "../../realtime/durable-retained.ts";
import { maxKeyBytes } from "../../state/store.ts";
import { isObject, type Json } from "../../value/json.ts";
import type { Message } from "./message.ts";
import type { Retained } from "./retained.ts";
import { readMessage, storedMessage } from "./stored-message.ts";
import { isTopicName } from "./topics.ts";

/** Messages that an earlier version, or a process without others, has retained in the durable state. */
export class EarlierRetained implements Retaining {
  readonly #host: Pick<Host, "now" | "monotonic">;
  readonly #messages: Message[] = [];
  #keep: ((topic: string, data: null) => void) | undefined;

  constructor(host: Pick<Host, "now" | "monotonic">) {
    this.#host = host;
  }

  keepWith(keep: (topic: string, data: Json) => void): void {
    this.#keep = keep;
  }

  restore(topic: string, data: Json): void {
    const message = isObject(data) && isTopicName(topic) ? readMessage(topic, data, true, this.#host) : undefined;
    if (message !== undefined) this.#messages.push(message);
  }

  /** Moves each message to its new place, once, and removes it from the state. */
  move(retain: (message: Message) => void): void {
    for (const message of this.#messages.splice(0)) {
      retain(message);
      this.#keep?.(message.topic, null);
    }
  }
}

/** Retained messages as the durable state keeps them: only messages whose topics may be keys of the state. */
export function durable(retained: Retained, host: Pick<Host, "now" | "monotonic">): Retaining {
  return {
    keepWith: (keep) =>
      retained.keepWith((topic, message) => {
        if (Buffer.byteLength(topic) <= maxKeyBytes) keep(topic, message === undefined ? null : storedMessage(message, host));
      }),
    restore: (topic, data) => {
      const message = isObject(data) && isTopicName(topic) ? readMessage(topic, data, true, host) : undefined;
      if (message !== undefined) retained.restore(message);
    },
  };
}
