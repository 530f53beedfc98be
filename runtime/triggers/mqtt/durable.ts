import type { Host } from "../../process/host.ts";
import type { Retaining } from "../../realtime/durable-retained.ts";
import { maxKeyBytes } from "../../state/store.ts";
import { isObject } from "../../value/json.ts";
import type { Retained } from "./retained.ts";
import { readMessage, storedMessage } from "./stored-message.ts";
import { isTopicName } from "./topics.ts";

/** Retained messages as the durable state keeps them: those whose topics may be keys there. */
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
