import { type Message, messageOf, type QoS, sizeOf } from "./message.ts";
import type { Connect } from "./packets.ts";

/** A will and its delay (MQTT 5, 3.1.3.2). */
export interface Will {
  readonly delayMs: number;
  readonly bytes: number;
  /** The message without its expiry, for the process that may have to publish it. */
  readonly bare: Message;
  /** Milliseconds for which the message is delivered after it was published. */
  readonly expiryMs: number | undefined;
  readonly message: () => Message;
}

/** The will of a client; undefined when it has none. */
export function willOf({ will }: Connect, publisher: string, now: () => number): Will | undefined {
  if (will === undefined) return undefined;
  const { topic, payload, qos = 0, retain = false, properties = {} } = will;
  const { willDelayInterval = 0, ...rest } = properties;
  const packet = { topic, payload: Buffer.from(payload), qos: qos as QoS, retain, properties: rest }; // the decoder accepts no other values
  const { expiresAt: expiryMs, ...bare } = { ...messageOf(packet, 0, publisher), isWill: true };
  const message = (): Message => ({ ...bare, ...(expiryMs === undefined ? {} : { expiresAt: now() + expiryMs }) });
  return { delayMs: willDelayInterval * 1000, bytes: sizeOf(bare), bare, expiryMs, message };
}
