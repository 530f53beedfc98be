import type { Session } from "./session.ts";
import type { SessionBroker } from "./session-broker.ts";
import { levelsOf, matches, type TopicFilter } from "./topics.ts";

/** Decides whether a client may subscribe; a promise when an authorizer is asked. */
export type Ask = (filter: TopicFilter) => boolean | Promise<boolean>;

/** The most authorizers that are asked at the same time for one client. */
const askedAtOnce = 16;

/**
 * Decides for each filter whether the client may subscribe; a promise as soon as an authorizer is asked. When the client has disconnected,
 * no authorizer is asked about the rest.
 */
export function decisionsOn(
  filters: readonly TopicFilter[],
  ask: Ask,
  isOver: () => boolean,
): readonly boolean[] | Promise<readonly boolean[]> {
  const first = filters.slice(0, askedAtOnce).map(ask);
  if (filters.length <= askedAtOnce && first.every((one) => typeof one === "boolean")) return first;
  return (async () => {
    const decided = await Promise.all(first);
    for (let i = askedAtOnce; i < filters.length && !isOver(); i += askedAtOnce)
      decided.push(...(await Promise.all(filters.slice(i, i + askedAtOnce).map(ask))));
    return decided;
  })();
}

/**
 * Decides anew about subscriptions that other rules or another process have granted, and removes the ones that the client may not have. If
 * the client disconnects meanwhile, nothing changes, and the next connection decides again.
 */
export async function decideAnew(session: Session, broker: SessionBroker, ask: Ask, isOver: () => boolean): Promise<void> {
  const all = [...session.filters];
  const decided = await decisionsOn(
    all.map(([, { filter }]) => filter),
    ask,
    isOver,
  );
  if (isOver()) return;
  session.needsRecheck = false;
  const refused = all.filter((_, i) => decided[i] !== true);
  if (refused.length === 0) return;
  for (const [text] of refused) broker.unsubscribe(session, text);
  const filters = [...session.filters.values()];
  session.keepOnly(({ topic }) => filters.some(({ filter }) => matches(filter.levels, levelsOf(topic))));
}
