import type { Session } from "./session.ts";
import type { SessionBroker } from "./session-broker.ts";
import { levelsOf, matches, type TopicFilter } from "./topics.ts";

/** Whether a client may subscribe; a promise where an authorizer is asked. */
export type Ask = (filter: TopicFilter) => boolean | Promise<boolean>;

/** Authorizers that are asked at once for one client. */
const askedAtOnce = 16;

/**
 * Says which filters may be subscribed to; a promise as soon as an authorizer is asked. When the client has gone, nobody is asked about the
 * rest.
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
 * Decides about subscriptions that were granted by other rules or by another process, and takes back what the client may not have. Where it
 * has gone meanwhile, nothing is changed: it is asked about again.
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
