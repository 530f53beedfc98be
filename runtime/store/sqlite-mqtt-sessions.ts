import type { MessageRow, SessionBatch, SessionChange, SessionEnd, SessionRow, SessionStore } from "./mqtt-sessions.ts";
import type { SqliteStore } from "./sqlite-store.ts";

const q = {
  epoch: "SELECT epoch FROM pw_mqtt_sessions WHERE id = ?",
  session: `INSERT INTO pw_mqtt_sessions (id, name, owner, epoch, position, filters) VALUES (?1, ?2, ?3, ?4, ?5, coalesce(?6, '[]'))
    ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, epoch = excluded.epoch, position = excluded.position,
      filters = coalesce(?6, pw_mqtt_sessions.filters)`,
  renew: "DELETE FROM pw_mqtt_messages WHERE session = ?",
  remove: "DELETE FROM pw_mqtt_messages WHERE session = ? AND inbound = ? AND place = ?",
  set: "INSERT OR REPLACE INTO pw_mqtt_messages (session, inbound, place, exchange, received, body) VALUES (?, ?, ?, ?, ?, ?)",
  end: "DELETE FROM pw_mqtt_sessions WHERE id = ? AND epoch <= ?",
  position: `INSERT INTO pw_mqtt_owners (owner, position) VALUES (?, ?)
    ON CONFLICT (owner) DO UPDATE SET position = max(position, excluded.position)`,
  claim: `UPDATE pw_mqtt_sessions SET epoch = ?2, owner = '',
    position = max(position, coalesce((SELECT position FROM pw_mqtt_owners AS o WHERE o.owner = pw_mqtt_sessions.owner), 0))
    WHERE id = ?1 AND epoch <= ?2 RETURNING position, filters`,
  messages: "SELECT inbound, place, exchange, received, body FROM pw_mqtt_messages WHERE session = ? ORDER BY inbound, place",
  left: "SELECT id, epoch FROM pw_mqtt_sessions WHERE owner = ?1 OR substr(owner, 1, length(?1) + 1) = ?1 || '.'",
  forget: `DELETE FROM pw_mqtt_owners WHERE (owner = ?1 OR substr(owner, 1, length(?1) + 1) = ?1 || '.')
    AND NOT EXISTS (SELECT 1 FROM pw_mqtt_sessions AS s WHERE s.owner = pw_mqtt_owners.owner)`,
} as const;

/** Sessions of MQTT that the processes of one machine share by a file of SQLite. */
export class SqliteSessions implements SessionStore {
  readonly #store: SqliteStore;
  readonly #release: () => void;

  /** `release` is called in `close`; without it, `close` closes the store. */
  constructor(store: SqliteStore, release: () => void = () => store.close()) {
    this.#store = store;
    this.#release = release;
  }

  async write({ owner, position, changes, ends }: SessionBatch): Promise<void> {
    await this.#store.write(() => {
      for (const change of changes) this.#change(change);
      for (const end of ends) this.#end(end);
      this.#store.ask(q.position).run(owner, position);
    });
  }

  async claim(ids: readonly string[], epoch: number): Promise<readonly SessionRow[]> {
    return this.#store.write(() => ids.flatMap((id) => this.#claim(id, epoch)));
  }

  async left(owner: string): Promise<readonly SessionEnd[]> {
    return this.#store
      .ask(q.left)
      .all(owner)
      .map(({ id, epoch }) => ({ id: String(id), epoch: Number(epoch) }));
  }

  async forget(owner: string): Promise<void> {
    await this.#store.write(() => this.#store.ask(q.forget).run(owner));
  }

  close(): void {
    this.#release();
  }

  #change({ id, name, owner, epoch, filters, isNew, set, removed, position }: SessionChange): void {
    if (Number(this.#store.ask(q.epoch).get(id)?.epoch ?? 0) > epoch) return;
    this.#store.ask(q.session).run(id, name, owner, epoch, position, filters ?? null);
    if (isNew) this.#store.ask(q.renew).run(id);
    for (const { inbound, place } of removed) this.#store.ask(q.remove).run(id, inbound ? 1 : 0, place);
    for (const row of set) this.#set(id, row);
  }

  #set(id: string, { inbound, place, exchange, received, body }: MessageRow): void {
    this.#store.ask(q.set).run(id, inbound ? 1 : 0, place, exchange ?? null, received ? 1 : 0, body);
  }

  #end({ id, epoch }: SessionEnd): void {
    this.#store.ask(q.end).run(id, epoch);
  }

  #claim(id: string, epoch: number): readonly SessionRow[] {
    const row = this.#store.ask(q.claim).get(id, epoch);
    if (row === undefined) return [];
    const messages = this.#store.ask(q.messages).all(id);
    return [
      {
        id,
        position: Number(row.position),
        filters: String(row.filters),
        messages: messages.map(({ inbound, place, exchange, received, body }) => ({
          inbound: inbound === 1,
          place: Number(place),
          exchange: exchange === null ? undefined : Number(exchange),
          received: received === 1,
          body: String(body),
        })),
      },
    ];
  }
}
