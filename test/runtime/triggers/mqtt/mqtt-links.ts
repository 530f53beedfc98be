import type { Broker } from "#runtime/triggers/mqtt/broker.ts";
import type { Link } from "#runtime/triggers/mqtt/link.ts";
import type { Delivery, Message } from "#runtime/triggers/mqtt/message.ts";
import type { Session } from "#runtime/triggers/mqtt/session.ts";
import { parseFilter } from "#runtime/triggers/mqtt/topics.ts";

/** The time of the virtual clock. */
export const now = (): number => performance.now();

/** A message. */
export const message = (topic: string, text = "x", more: Partial<Message> = {}): Message => ({
  topic,
  payload: Buffer.from(text),
  qos: 1,
  retain: false,
  ...more,
});

/** A client that remembers what it is sent, as `topic payload`. */
export function client(window = 64): Link & { readonly got: string[]; readonly ids: number[]; isFull: boolean; isGone: boolean } {
  const got: string[] = [];
  const ids: number[] = [];
  const link = {
    window,
    got,
    ids,
    isFull: false,
    isGone: false,
    publish: ({ message: { topic, payload } }: Delivery, id: number | undefined) => {
      got.push(`${topic} ${payload}`);
      if (id !== undefined) ids.push(id);
      return true;
    },
    acknowledge: () => undefined,
    takeOver: () => {
      link.isGone = true;
    },
  };
  return link;
}

/** Subscribes a session to a filter. */
export function subscribe(broker: Broker, session: Session, text: string, qos: 0 | 1 | 2 = 1): boolean {
  const filter = parseFilter(text);
  if (filter === undefined) throw new Error(`no filter: ${text}`);
  const subscription = { qos, noLocal: false, retainAsPublished: false };
  const isGranted = broker.subscribe(session, filter, subscription);
  if (isGranted) broker.replay(session, filter, subscription);
  return isGranted;
}

/** A client whose session is open. */
export function connected(broker: Broker, name: string, window?: number) {
  const { session, isPresent } = broker.open({ key: name, keeps: true });
  const link = client(window);
  session.attach(link);
  return { session, link, isPresent };
}
