import type { Host, Log } from "../process/host.ts";
import type { SqliteStore } from "../store/sqlite-store.ts";
import type { Use } from "../store/stores.ts";
import { messageOf } from "../value/thrown.ts";
import type { Heard, Keep, Kept } from "./bus.ts";
import { goneIn } from "./followers.ts";
import type { KeptStore } from "./local-bus.ts";
import { idOf } from "./postgres-texts.ts";

/** Changes that may wait while the file cannot be written; further ones are not stored. */
const mostWaiting = 100_000;

/** Milliseconds until a file that could not be written is tried again. */
const pause = 5_000;

/**
 * Messages that outlive the process, in a file of SQLite: the last one of each key. They are written soon after they are heard. A file that
 * cannot be opened or written is tried again later.
 */
export class SqliteKept implements KeptStore {
  readonly #open: () => Use<SqliteStore>;
  readonly #log: Log;
  readonly #scope: string;
  #use: Use<SqliteStore> | undefined;
  #changes = new Map<string, Change>();
  #work: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasFailed = false;

  /** `open` opens the file, and throws the reason when the file cannot be used. */
  constructor({ organisation, environment, log }: Pick<Host, "organisation" | "environment" | "log">, open: () => Use<SqliteStore>) {
    this.#open = open;
    this.#log = log;
    this.#scope = JSON.stringify([organisation, environment]);
  }

  async load(): Promise<readonly Kept[]> {
    try {
      const store = this.#opened();
      const text = "SELECT kind, key, position, owner, outlives, body FROM pw_bus_kept WHERE channel = ? ORDER BY position";
      return (await store.read(() => store.ask(text).all(this.#scope))).map((row) => ({
        kind: String(row.kind),
        body: String(row.body),
        position: Number(row.position),
        owner: String(row.owner),
        keep: {
          key: JSON.parse(String(row.key)) as string,
          ...(row.owner === "" ? {} : { owned: true }),
          ...(Number(row.outlives) === 1 ? { outlives: true } : {}),
        },
      }));
    } catch (error) {
      this.#log("warn", `bus: kept messages cannot be read: ${messageOf(error)}`);
      return [];
    }
  }

  hear(message: Heard): void {
    const gone = goneIn(message);
    if (gone !== undefined) this.#change(`gone ${gone.gone}`, { message, gone });
    for (const keep of message.keep ?? []) {
      // A message that ends with the process is not stored.
      if (keep.depth === undefined && (!keep.owned || keep.outlives === true))
        this.#change(idOf(message.kind, keep.key), { message, keep });
    }
  }

  #change(id: string, change: Change): void {
    if (this.#changes.size >= mostWaiting && !this.#changes.has(id)) return;
    this.#changes.delete(id);
    this.#changes.set(id, change);
    if (this.#timer === undefined) this.#work ??= this.#write();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#work;
    if (this.#changes.size > 0) await this.#write(true);
    await this.#use?.release();
  }

  async #write(isLast = false): Promise<void> {
    // Changes of one turn of the event loop are written together.
    await null;
    while (this.#changes.size > 0) {
      const changes = this.#changes;
      this.#changes = new Map();
      try {
        const store = this.#opened();
        await store.write(() => {
          for (const [id, change] of changes) this.#apply(store, id, change);
        });
        this.#hasFailed = false;
      } catch (error) {
        this.#changes = new Map([...changes, ...this.#changes]);
        if (!this.#hasFailed) this.#log("warn", `bus: retained messages cannot be written, and will be tried again: ${messageOf(error)}`);
        this.#hasFailed = true;
        if (isLast) return;
        this.#timer = setTimeout(() => {
          this.#timer = undefined;
          this.#work ??= this.#write();
        }, pause).unref();
        break;
      }
    }
    this.#work = undefined;
  }

  #apply(store: SqliteStore, id: string, { message, keep, gone }: Change): void {
    const { kind, position, source, body } = message;
    if (gone !== undefined) {
      if (gone.heir === undefined) return;
      const owners = "channel = ? AND (owner = ? OR substr(owner, 1, ?) = ?)";
      const update = store.ask(`UPDATE pw_bus_kept SET owner = ? WHERE ${owners}`);
      update.run(gone.heir, this.#scope, gone.gone, gone.gone.length + 1, `${gone.gone}.`);
    } else if (keep?.drops) store.ask("DELETE FROM pw_bus_kept WHERE channel = ? AND id = ?").run(this.#scope, id);
    else if (keep !== undefined) {
      const values =
        "INSERT OR REPLACE INTO pw_bus_kept (channel, id, kind, key, position, owner, outlives, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
      const owner = keep.outlives ? source : "";
      store.ask(values).run(this.#scope, id, kind, JSON.stringify(keep.key), position, owner, keep.outlives ? 1 : 0, body);
    }
  }

  #opened(): SqliteStore {
    this.#use ??= this.#open();
    return this.#use.store;
  }
}

/** A change of one row, or of all rows of a process that has ended. */
interface Change {
  readonly message: Heard;
  readonly keep?: Keep;
  readonly gone?: ReturnType<typeof goneIn>;
}
