import { deliveryOf, joined } from "../broker.ts";
import type { Delivery, Message } from "../message.ts";
import type { Session } from "../session.ts";
import { levelsOf, matches } from "../topics.ts";
import type { Placed } from "./arrivals.ts";

/** The message as a member of a shared subscription gets it; undefined when it is none any more. */
export function sharedFor({ filters }: Session, message: Message, share: string): Delivery | undefined {
  const subscribed = filters.get(share);
  return subscribed === undefined ? undefined : { ...deliveryOf(message, subscribed.subscription), share };
}

/** The message as one session gets it that has no place among the others yet; undefined when it has not subscribed to the topic. */
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

/** Gives a session what was published since it was stored. */
export function catchUp(session: Session, missed: readonly Placed[]): void {
  for (const { message, shares, isShared } of missed) {
    if (message.publisher === session.key && message.release !== undefined) session.release(message.release);
    const shared = shares.flatMap(({ key, text }) => (key === session.key ? [sharedFor(session, message, text)] : []));
    for (const delivery of [isShared ? undefined : deliveryFor(session, message), ...shared])
      if (delivery !== undefined) session.deliver(delivery);
  }
}
