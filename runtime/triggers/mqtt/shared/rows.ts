import { parseJson } from "../../../formats/json-text.ts";
import type { MessageRow, SessionRow } from "../../../store/mqtt-sessions.ts";
import { asList, isObject, type Json } from "../../../value/json.ts";
import type { Content, Item } from "../item.ts";
import { limits } from "../limits.ts";
import type { Message, QoS } from "../message.ts";
import type { Session } from "../session.ts";
import type { Clock } from "../stored-message.ts";
import type { Subscription } from "../subscriptions.ts";
import { parseFilter, type TopicFilter } from "../topics.ts";
import { packed, unpacked } from "./notices.ts";

/** A subscription as it was granted. */
export interface Filtered {
  readonly filter: TopicFilter;
  readonly subscription: Subscription;
}

/** The row of a message for the client. */
export const rowOf = ({ delivery, place, id, isReceived }: Item, clock: Clock): MessageRow => ({
  inbound: false,
  place,
  exchange: id,
  received: isReceived,
  body: JSON.stringify({
    message: packed(delivery.message, clock),
    qos: delivery.qos,
    ...(delivery.retain ? { retain: true } : {}),
    ...(delivery.identifiers.length === 0 ? {} : { identifiers: delivery.identifiers }),
    ...(delivery.share === undefined ? {} : { share: delivery.share }),
  }),
});

/** The row of a message of QoS 2 from the client. */
export const heldRowOf = (id: number, message: Message, clock: Clock): MessageRow => ({
  inbound: true,
  place: id,
  exchange: undefined,
  received: false,
  body: JSON.stringify({ message: packed(message, clock), qos: 2 }),
});

/** The subscriptions of a session as JSON text. */
export const filtersOf = ({ filters }: Session): string =>
  JSON.stringify(
    [...filters].map(
      ([
        text,
        {
          subscription: { qos, noLocal, retainAsPublished, identifier },
        },
      ]) => [text, qos, noLocal, retainAsPublished, ...(identifier === undefined ? [] : [identifier])],
    ),
  );

/** Reads the subscriptions of a session; invalid ones are left out. */
export function filtersIn({ filters }: Pick<SessionRow, "filters">): readonly Filtered[] {
  const data = parseJson(filters);
  return Array.isArray(data) ? data.slice(0, limits.subscriptions).flatMap(filteredIn) : [];
}

function filteredIn(data: Json): readonly Filtered[] {
  const [text, qos, noLocal, retainAsPublished, identifier] = asList(data);
  const filter = typeof text === "string" && Buffer.byteLength(text) <= limits.filter ? parseFilter(text) : undefined;
  if (filter === undefined || !isQoS(qos)) return [];
  const number = typeof identifier === "number" ? { identifier } : {};
  return [{ filter, subscription: { qos, noLocal: noLocal === true, retainAsPublished: retainAsPublished === true, ...number } }];
}

/** Reads the messages of a session; rows that no process of this program has written are left out. */
export function contentIn({ messages }: Pick<SessionRow, "messages">, clock: Clock): Content {
  const read = messages.slice(-mostRows).flatMap((row) => deliveryIn(row, clock));
  return {
    items: read.flatMap(({ row, delivery }) =>
      row.inbound ? [] : [{ delivery, place: row.place, id: row.exchange, isReceived: row.received }],
    ),
    held: read.flatMap(({ row, delivery }) => (row.inbound ? [[row.place, delivery.message] as const] : [])),
  };
}

/** The most messages of a session: waiting ones, and those on their way in both directions. */
const mostRows = limits.queue + 2 * limits.silentReceiveMaximum;

function deliveryIn(row: MessageRow, clock: Clock): readonly { readonly row: MessageRow; readonly delivery: Item["delivery"] }[] {
  const data = parseJson(row.body);
  if (!isObject(data) || !isObject(data.message) || !isQoS(data.qos) || data.qos === 0) return [];
  const message = unpacked(data.message, clock);
  const { identifiers, share } = data;
  if (message === undefined || !isNumber(row.place) || (row.exchange !== undefined && !isNumber(row.exchange))) return [];
  const numbers = Array.isArray(identifiers) ? identifiers.filter((one) => typeof one === "number") : [];
  const shared = typeof share === "string" ? { share } : {};
  return [{ row, delivery: { message, qos: data.qos, retain: data.retain === true, identifiers: numbers, ...shared } }];
}

const isQoS = (value: Json | undefined): value is QoS => value === 0 || value === 1 || value === 2;

const isNumber = (value: number): boolean => Number.isSafeInteger(value) && value > 0;
