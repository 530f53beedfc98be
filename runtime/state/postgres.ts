import type { Connection } from "../features/actions/database.ts";
import { Failure } from "../value/failure.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";
import { Fullness } from "./fullness.ts";
import { sweepEvery } from "./local.ts";
import { advance, createTables, evict, expiring, forget, get, put, putNew, putVersion, remember, sweep } from "./postgres-queries.ts";
import { type Remember, type StateKey, type StateStore, type Stored, seenMost, serialised, type Write } from "./store.ts";

/** Milliseconds for one query, its wait for a connection included. */
const timeout = 5000;

/** The longest that PostgreSQL is asked to keep a value: a hundred years. */
const longestTtl = 100 * 365 * 86_400_000;

/** How often a value that was there while it was compared, and gone when it was read, is compared again. */
const rounds = 10;

/** The store of many nodes: tables of a PostgreSQL database. Each write is one statement, and the clock is that of the database. */
export class PostgresStore implements StateStore {
  readonly #connection: Connection;
  #tables: Promise<void> | undefined;
  #expiring = 0;
  readonly #fullness = new Fullness();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async get({ namespace, key }: StateKey): Promise<Stored | undefined> {
    return stored(await this.#ask(get, [namespace, key]));
  }

  async set({ namespace, key }: StateKey, value: Json, { ttl, expected }: Write): Promise<number | undefined> {
    const values = [namespace, key, serialised(value), await this.#lifetime(ttl)];
    if (expected === undefined) return version(await this.#ask(put, values));
    return version(expected === 0 ? await this.#ask(putNew, values) : await this.#ask(putVersion, [...values, expected]));
  }

  async advance(place: StateKey, value: Json, ttl: number | undefined): Promise<Stored> {
    const values = [place.namespace, place.key, serialised(value), await this.#lifetime(ttl)];
    for (let round = 0; round < rounds; round++) {
      const moved = stored(await this.#ask(advance, values));
      const entry = moved ?? (await this.get(place));
      if (entry !== undefined) return entry;
    }
    throw new Error(`the value of '${place.key}' disappears while it is compared`);
  }

  async delete({ namespace, key }: StateKey): Promise<boolean> {
    return (await this.#ask(forget, [namespace, key])) !== undefined;
  }

  async seen(set: StateKey, ids: readonly string[], { ttl, cap, most = seenMost }: Remember): Promise<boolean[]> {
    const { namespace, key } = set;
    if (ttl !== undefined && this.#fullness.isDoubtful(set, ids.length, most)) {
      const row = await this.#ask(expiring, [namespace, key]);
      this.#fullness.counted(set, Number(row?.count), ids.length, most);
    }
    const answer = await this.#ask(remember, [namespace, key, JSON.stringify(ids), await this.#lifetime(ttl)]);
    const fresh = new Set(Array.isArray(answer?.fresh) ? answer.fresh : []);
    if (ttl !== undefined) this.#fullness.added(set, fresh.size);
    else if (fresh.size > 0) await this.#ask(evict, [namespace, key, cap]);
    // An identity that comes twice in one call is new once.
    return ids.map((id) => fresh.delete(id));
  }

  close(): void | Promise<void> {
    return this.#connection.close();
  }

  /** The first row. */
  async #ask(query: string, params: readonly Json[]): Promise<JsonObject | undefined> {
    this.#tables ??= this.#create();
    await this.#tables;
    const [row] = await this.#connection.query(query, params, { timeout }).catch(refused);
    return isObject(row) ? row : undefined;
  }

  /** Tried again by the next operation when the database cannot be reached. */
  async #create(): Promise<void> {
    try {
      await this.#connection.script(createTables, { timeout });
    } catch (error) {
      this.#tables = undefined;
      throw error;
    }
  }

  /** Now and then a write that expires removes what has expired before. */
  async #lifetime(ttl: number | undefined): Promise<number | null> {
    if (ttl === undefined) return null;
    if (this.#expiring++ % sweepEvery === 0) await this.#ask(sweep, []);
    return Math.min(ttl, longestTtl);
  }
}

function stored(row: JsonObject | undefined): Stored | undefined {
  const number = version(row);
  return row === undefined || number === undefined ? undefined : { value: row.value ?? null, version: number };
}

const version = (row: JsonObject | undefined): number | undefined => (typeof row?.version === "number" ? row.version : undefined);

/** JSON can name characters that a text of PostgreSQL cannot hold: NUL, and half of a surrogate pair. */
function refused(error: unknown): never {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "22P05" && code !== "22P02") throw error;
  throw new Failure("state", "state value holds a character that PostgreSQL cannot store", { cause: error });
}
