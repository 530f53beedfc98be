import { type Delivery, publishOf, type Sending } from "./message.ts";
import { encode } from "./packets.ts";

/**
 * The bytes of a message for a subscriber. Subscribers that get the same bytes share one buffer: else a message to many slow ones would
 * be copied, and would wait, once for each.
 */
export function frameOf(delivery: Delivery, sending: Sending): Buffer {
  const { frames, message, identifiers, retain } = delivery;
  const isOwn = frames === undefined || sending.id !== undefined || identifiers.length > 0 || message.expiresAt !== undefined;
  if (isOwn) return bytesFor(delivery, sending);
  const version = sending.isNew ? "new" : "old";
  const kind = retain ? (`${version} retained` as const) : version;
  const frame = frames.get(kind) ?? bytesFor(delivery, sending);
  frames.set(kind, frame);
  return frame;
}

const bytesFor = (delivery: Delivery, sending: Sending): Buffer => encode(publishOf(delivery, sending), sending.isNew ? 5 : 4);
