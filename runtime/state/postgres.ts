import type { PostgresStore } from "../store/postgres-store.ts";
import type { Row } from "../store/run-rows.ts";
import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import { codeOf } from "../value/thrown.ts";
import { Fullness } from "./fullness.ts";
import { sweepEvery } from "./local.ts";
import { advance, evict, expiring, forget, get, put, putNew, putVersion, remember, sweep } from "./postgres-queries.ts";
import { type Remember, type StateKey, type StateStore, type Stored, seenMost, serialised, type Write } from "./store.ts";

/** The longest milliseconds for which PostgreSQL keeps a value with a `ttl`: a hundred years. */
const longestTtl = 100 * 365 * 86_400_000;

/** How often a comparison is repeated when the value existed while it was compared, and was gone when it was read. */
const rounds = 10;

/** State in a database that nodes share. Each write is one statement, by the clock of the database. */
export class PostgresState implements StateStore {
  readonly #store: PostgresStore;
  readonly #release: () => void | Promise<void>;
  #expiring = 0;
  readonly #fullness = new Fullness();

  /** `release` is called in `close`. */
  constructor(store: PostgresStore, release: () => void | Promise<void>) {
    this.#store = store;
    this.#release = release;
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

  async seen(set: StateKey, ids: readonly string[], { ttl, cap, most = seenMost, mark }: Remember): Promise<boolean[]> {
    const { namespace, key } = set;
    if (ttl !== undefined && this.#fullness.isDoubtful(set, ids.length, most)) {
      const row = await this.#askAlone(expiring, [namespace, key]);
      this.#fullness.counted(set, Number(row?.count), ids.length, most);
    }
    const answer = await this.#askAlone(remember, [namespace, key, JSON.stringify(ids), await this.#lifetime(ttl), mark ?? null]);
    const fresh = new Set<unknown>(typeof answer?.fresh === "string" ? JSON.parse(answer.fresh) : []);
    if (ttl !== undefined) this.#fullness.added(set, fresh.size);
    else if (fresh.size > 0) await this.#askAlone(evict, [namespace, key, cap]);
    // An identity that comes twice in one call is new once.
    return ids.map((id) => fresh.delete(id));
  }

  close(): void | Promise<void> {
    return this.#release();
  }

  /** Gives the first row of a statement that writes at most one row, whose place the first two params name. */
  async #ask(query: string, params: readonly Param[]): Promise<Row | undefined> {
    const lock = `state ${JSON.stringify(params.slice(0, 2))}`;
    const [row] = await this.#store.ask(query, params, lock).catch(refused);
    return row;
  }

  /** Gives the first row of a statement that writes many rows. */
  async #askAlone(query: string, params: readonly Param[]): Promise<Row | undefined> {
    const [[row] = []] = await this.#store.alone({ text: query, values: params }).catch(refused);
    return row;
  }

  /** The milliseconds for which a value is kept; null for no end. Some of these calls also remove expired values. */
  async #lifetime(ttl: number | undefined): Promise<number | null> {
    if (ttl === undefined) return null;
    if (this.#expiring++ % sweepEvery === 0) await this.#askAlone(sweep, []);
    return Math.min(ttl, longestTtl);
  }
}

type Param = string | number | null;

function stored(row: Row | undefined): Stored | undefined {
  const number = version(row);
  return number === undefined ? undefined : { value: JSON.parse(String(row?.value)) as Json, version: number };
}

const version = (row: Row | undefined): number | undefined => (row === undefined ? undefined : Number(row.version));

/**
 * Turns a refusal by PostgreSQL into a failure: JSON can hold characters that a text of PostgreSQL cannot, NUL and half of a surrogate
 * pair. The failure has no cause, since a cause would mean that the backend did not answer.
 */
function refused(error: unknown): never {
  const code = codeOf(error);
  if (code !== "22P05" && code !== "22P02") throw error;
  throw new Failure("state", "state value holds a character that PostgreSQL cannot store");
}
