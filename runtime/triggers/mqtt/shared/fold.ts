import { deliveryOf, joined } from "../broker.ts";
import type { Delivery, Message } from "../message.ts";
import type { Session } from "../session.ts";
import { levelsOf, matches } from "../topics.ts";

/** The message as one session gets it that has no place among the others yet; undefined when it has not subscribed to the topic. */
export function deliveryFor({ key, filters }: Session, message: Message): Delivery | undefined {
  const topic = levelsOf(message.topic);
  let delivery: Delivery | undefined;
  for (const { filter, subscription } of filters.values()) {
    const isOwn = subscription.noLocal && message.publisher === key;
    if (filter.group === undefined && !isOwn && matches(filter.levels, topic))
      delivery = joined(delivery, deliveryOf(message, subscription));
  }
  return delivery;
}
