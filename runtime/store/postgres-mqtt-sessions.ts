import type { MessageRow, SessionBatch, SessionEnd, SessionRow, SessionStore } from "./mqtt-sessions.ts";
import type { Statement } from "./postgres-batch.ts";
import type { PostgresStore } from "./postgres-store.ts";
import type { Row } from "./run-rows.ts";

const sessions =
  "json_to_recordset($1::json) AS w (id text, name text, epoch bigint, owner text, position bigint, filters text, fresh boolean)";

/** True when the session has the epoch of its writer: a newer epoch protects its messages from changes. */
const isOurs = "EXISTS (SELECT FROM pw_mqtt_sessions AS s WHERE s.id = w.session AND s.epoch = w.epoch)";

const q = {
  /** $1 sessions. All writers lock rows in the same order. */
  sessions: `INSERT INTO pw_mqtt_sessions AS s (id, name, owner, epoch, position, filters)
    SELECT id, name, owner, epoch, position, coalesce(filters, '[]') FROM ${sessions} ORDER BY id
    ON CONFLICT (id) DO UPDATE SET owner = EXCLUDED.owner, epoch = EXCLUDED.epoch, position = EXCLUDED.position,
      filters = CASE WHEN (SELECT w.filters FROM ${sessions} WHERE w.id = s.id) IS NULL THEN s.filters ELSE EXCLUDED.filters END
    WHERE s.epoch <= EXCLUDED.epoch`,
  /** $1 sessions. */
  renew: `DELETE FROM pw_mqtt_messages AS m USING ${sessions}, pw_mqtt_sessions AS s
    WHERE w.fresh AND s.id = w.id AND s.epoch = w.epoch AND m.session = w.id`,
  /** $1 messages. */
  remove: `DELETE FROM pw_mqtt_messages AS m USING json_to_recordset($1::json) AS w (session text, epoch bigint, inbound bigint, place bigint)
    WHERE m.session = w.session AND m.inbound = w.inbound AND m.place = w.place AND ${isOurs}`,
  /** $1 messages. */
  set: `INSERT INTO pw_mqtt_messages (session, inbound, place, exchange, received, body)
    SELECT session, inbound, place, exchange, received, body FROM json_to_recordset($1::json)
      AS w (session text, epoch bigint, inbound bigint, place bigint, exchange bigint, received bigint, body text) WHERE ${isOurs}
    ON CONFLICT (session, inbound, place) DO UPDATE SET exchange = EXCLUDED.exchange, received = EXCLUDED.received, body = EXCLUDED.body`,
  /** $1 ends. */
  end: `DELETE FROM pw_mqtt_sessions AS s USING json_to_recordset($1::json) AS w (id text, epoch bigint) WHERE s.id = w.id AND s.epoch <= w.epoch`,
  /** $1 owner, $2 position. */
  position: `INSERT INTO pw_mqtt_owners AS o (owner, position) VALUES ($1, $2::bigint)
    ON CONFLICT (owner) DO UPDATE SET position = greatest(o.position, EXCLUDED.position)`,
  /** $1 ids, $2 epoch. */
  claim: `WITH held AS (SELECT id FROM pw_mqtt_sessions WHERE id IN (SELECT json_array_elements_text($1::json)) ORDER BY id FOR UPDATE)
    UPDATE pw_mqtt_sessions AS s SET epoch = $2::bigint, owner = '',
      position = greatest(s.position, (SELECT position FROM pw_mqtt_owners AS o WHERE o.owner = s.owner))
    FROM held WHERE s.id = held.id AND s.epoch <= $2::bigint RETURNING s.id, s.position, s.filters`,
  /** $1 ids, $2 epoch. */
  messages: `SELECT m.session, m.inbound, m.place, m.exchange, m.received, m.body FROM pw_mqtt_messages AS m
    JOIN pw_mqtt_sessions AS s ON s.id = m.session AND s.epoch = $2::bigint
    WHERE m.session IN (SELECT json_array_elements_text($1::json)) ORDER BY m.session, m.inbound, m.place`,
  /** $1 owner. */
  left: "SELECT id, epoch FROM pw_mqtt_sessions WHERE owner = $1 OR starts_with(owner, $1 || '.')",
  /** $1 owner. */
  forget: `DELETE FROM pw_mqtt_owners AS o WHERE (o.owner = $1 OR starts_with(o.owner, $1 || '.'))
    AND NOT EXISTS (SELECT FROM pw_mqtt_sessions AS s WHERE s.owner = o.owner)`,
} as const;

/** Sessions of MQTT that all nodes share by a database of PostgreSQL. */
export class PostgresSessions implements SessionStore {
  readonly #store: PostgresStore;
  readonly #release: () => void | Promise<void>;

  /** `release` is called in `close`; without it, `close` closes the store. */
  constructor(store: PostgresStore, release: () => void | Promise<void> = () => store.close()) {
    this.#store = store;
    this.#release = release;
  }

  async write({ owner, position, changes, ends }: SessionBatch): Promise<void> {
    const rows = changes.map(({ isNew, set: _, removed: __, ...session }) => ({ ...session, fresh: isNew }));
    const own = JSON.stringify(rows);
    const removed = changes.flatMap(({ id, epoch, removed: all }) =>
      all.map((one) => ({ session: id, epoch, place: one.place, ...asNumbers(one) })),
    );
    const set = changes.flatMap(({ id, epoch, set: all }) => all.map((one) => ({ session: id, epoch, ...one, ...asNumbers(one) })));
    await this.#store.alone(
      ...(rows.length === 0 ? [] : [{ text: q.sessions, values: [own] }]),
      ...(rows.some(({ fresh }) => fresh) ? [{ text: q.renew, values: [own] }] : []),
      ...listed(q.remove, removed),
      ...listed(q.set, set),
      ...listed(q.end, ends),
      { text: q.position, values: [owner, position] },
    );
  }

  async claim(ids: readonly string[], epoch: number): Promise<readonly SessionRow[]> {
    if (ids.length === 0) return [];
    const values = [JSON.stringify(ids), epoch];
    const [rows = [], messages = []] = await this.#store.alone({ text: q.claim, values }, { text: q.messages, values });
    const bySession = Map.groupBy(messages, ({ session }) => String(session));
    return rows.map(({ id, position, filters }) => ({
      id: String(id),
      position: Number(position),
      filters: String(filters),
      messages: (bySession.get(String(id)) ?? []).map(messageOf),
    }));
  }

  async left(owner: string): Promise<readonly SessionEnd[]> {
    return (await this.#store.ask(q.left, [owner])).map(({ id, epoch }) => ({ id: String(id), epoch: Number(epoch) }));
  }

  async forget(owner: string): Promise<void> {
    await this.#store.alone({ text: q.forget, values: [owner] });
  }

  close(): void | Promise<void> {
    return this.#release();
  }
}

const listed = (text: string, rows: readonly object[]): readonly Statement[] =>
  rows.length === 0 ? [] : [{ text, values: [JSON.stringify(rows)] }];

const asNumbers = ({ inbound, received = false }: { readonly inbound: boolean; readonly received?: boolean }) => ({
  inbound: inbound ? 1 : 0,
  received: received ? 1 : 0,
});

/** Reads a row of messages, whose values are texts or numbers. */
const messageOf = (row: Row): MessageRow => ({
  inbound: Number(row.inbound) === 1,
  place: Number(row.place),
  exchange: row.exchange === null ? undefined : Number(row.exchange),
  received: Number(row.received) === 1,
  body: String(row.body),
});
