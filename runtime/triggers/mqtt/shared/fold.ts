import { deliveryOf, joined } from "../broker.ts";
import type { Delivery, Message } from "../message.ts";
import type { Session } from "../session.ts";
import { levelsOf, matches } from "../topics.ts";
import type { Placed } from "./arrivals.ts";

/** The message for a member of a shared subscription; undefined when the session is no member any more. */
export function sharedFor({ filters }: Session, message: Message, share: string): Delivery | undefined {
  const subscribed = filters.get(share);
  return subscribed === undefined ? undefined : { ...deliveryOf(message, subscribed.subscription), share };
}

/** The message for a session by its other subscriptions; undefined when it has not subscribed to the topic. */
function deliveryFor({ key, filters }: Session, message: Message): Delivery | undefined {
  const topic = levelsOf(message.topic);
  let delivery: Delivery | undefined;
  for (const { filter, subscription } of filters.values()) {
    const isOwn = subscription.noLocal && message.publisher === key;
    if (filter.group === undefined && !isOwn && matches(filter.levels, topic))
      delivery = joined(delivery, deliveryOf(message, subscription));
  }
  return delivery;
}

/** Delivers to a session the messages that were published since it was stored. */
export function catchUp(session: Session, missed: readonly Placed[]): void {
  for (const { message, shares, isShared } of missed) {
    if (message.publisher === session.key && message.release !== undefined) session.release(message.release);
    const shared = shares.flatMap(({ key, text }) => (key === session.key ? [sharedFor(session, message, text)] : []));
    for (const delivery of [isShared ? undefined : deliveryFor(session, message), ...shared])
      if (delivery !== undefined) session.deliver(delivery);
  }
}
