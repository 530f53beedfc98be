import { createHash } from "node:crypto";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import type { Host } from "../../../process/host.ts";
import type { SessionBatch, SessionChange, SessionEnd, SessionStore } from "../../../store/mqtt-sessions.ts";
import { messageOf } from "../../../value/thrown.ts";
import type { Session } from "../session.ts";
import { SessionJournal } from "./session-journal.ts";

/** Milliseconds until a store that did not answer is asked again. */
const retryMs = 500;

/** Milliseconds between two writes of the position, which also moves while no session changes. */
const positionMs = 1_000;

/** The parts of a host that sessions need. */
export type JournalsHost = Pick<Host, "organisation" | "environment" | "log" | "now" | "monotonic">;

export interface JournalsOptions {
  readonly host: JournalsHost;
  readonly store: SessionStore;
  /** The name of this process. */
  readonly owner: () => string;
  /** The position of the bus up to which all messages are in the sessions. */
  readonly position: () => number;
}

/**
 * Writes the durable sessions of a process to the store: all changes so far as one step, with the position of the bus to which they belong.
 * Changes during a write are in the next batch. A failed batch is written again until the store answers.
 */
export class Journals {
  readonly #options: JournalsOptions;
  readonly #dirty = new Set<SessionJournal>();
  readonly #ends: SessionEnd[] = [];
  readonly #timer: NodeJS.Timeout;
  #sessions = 0;
  #waiting: (() => void)[] = [];
  #trying: (() => void)[] = [];
  #work: Promise<void> | undefined;
  #written = 0;
  #isAway = false;
  #isOver = false;

  constructor(options: JournalsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      if (this.#sessions > 0 && options.position() > this.#written) this.#schedule();
    }, positionMs).unref();
  }

  /** The id of a session in the store. */
  idOf(key: string): string {
    const { organisation, environment } = this.#options.host;
    return createHash("sha256")
      .update(JSON.stringify([organisation, environment, key]))
      .digest("base64url");
  }

  /** Stores the changes of the session from now on. `epoch` is the position at which this process got it, once that is known. */
  begin(session: Session, epoch: number | undefined, isNew: boolean): SessionJournal {
    this.#sessions += 1;
    const journal = new SessionJournal(this.idOf(session.key), session, this.#options.host, epoch, isNew, {
      changed: (one) => {
        this.#dirty.add(one);
        this.#schedule();
      },
      ended: (one) => {
        this.#forget(one);
        if (one.epoch !== undefined) this.end(session.key, one.epoch);
      },
      after: (work) => this.#after(work),
      tried: (work) => {
        if (this.#isAway || this.#isIdle) work();
        else this.#trying.push(work);
      },
    });
    session.journal = journal;
    journal.touch();
    return journal;
  }

  /** Removes the session from the store, unless a later epoch has it. */
  end(key: string, epoch: number): void {
    this.#ends.push({ id: this.idOf(key), epoch });
    this.#schedule();
  }

  /** Removes sessions that no process has; resolves when that is stored. */
  async sweep(ends: readonly SessionEnd[]): Promise<void> {
    if (ends.length === 0) return;
    this.#ends.push(...ends);
    this.#schedule();
    await new Promise<void>((resolve) => this.#after(resolve));
  }

  /**
   * Stores the session for the process that has it from a position on, including the messages of its client whose runs are being stored.
   * After that this process does not change it any more.
   */
  async giveUp(journal: SessionJournal, position: number, { inbound }: Session): Promise<void> {
    journal.giveUp(position);
    for (const [id, message] of await inbound.settled()) journal.held(id, message);
    await new Promise<void>((resolve) => this.#after(resolve));
    this.#forget(journal);
  }

  /** Drops the changes that are not stored yet, because another process has the session. */
  drop(journal: SessionJournal): void {
    this.#forget(journal);
  }

  /** Calls `work` when all changes so far are stored. */
  after(work: () => void): void {
    this.#after(work);
  }

  /** Stores all changes so far, if the store answers. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#isOver = true;
    if (!this.#isIdle) this.#schedule();
    await this.#work;
    await this.#options.store.close();
  }

  get #isIdle(): boolean {
    return this.#work === undefined;
  }

  #after(work: () => void): void {
    if (this.#isIdle) work();
    else this.#waiting.push(work);
  }

  #forget(journal: SessionJournal): void {
    if (journal.isOver) return;
    journal.isOver = true;
    this.#sessions -= 1;
    this.#dirty.delete(journal);
  }

  #schedule(): void {
    this.#work ??= this.#write();
  }

  async #write(): Promise<void> {
    // Changes of one turn of the event loop are written together.
    await turn();
    do {
      const [waiting, trying] = [this.#waiting, this.#trying];
      [this.#waiting, this.#trying] = [[], []];
      const { batch, done } = this.#take();
      const isWritten = await this.#store(batch, trying);
      if (!isWritten) break;
      done();
      for (const tell of [...waiting, ...trying]) tell();
    } while ([...this.#dirty].some((one) => one.canBeStored) || this.#ends.length > 0 || this.#waiting.length > 0);
    this.#work = undefined;
  }

  #take(): { readonly batch: SessionBatch; readonly done: () => void } {
    const { owner, position } = this.#options;
    const taken: { readonly change: SessionChange; readonly done: () => void }[] = [];
    for (const journal of [...this.#dirty]) {
      const one = journal.take(owner(), position());
      if (one === undefined) continue;
      this.#dirty.delete(journal);
      taken.push(one);
    }
    const batch = { owner: owner(), position: position(), changes: taken.map(({ change }) => change), ends: this.#ends.splice(0) };
    return {
      batch,
      done: () => {
        this.#written = batch.position;
        for (const { done } of taken) done();
      },
    };
  }

  /**
   * Writes a batch; false when the process ends before the store answers. While the store is away, the functions in `trying` are called and
   * removed.
   */
  async #store(batch: SessionBatch, trying: (() => void)[]): Promise<boolean> {
    const { store, host } = this.#options;
    for (;;) {
      try {
        await store.write(batch);
        if (this.#isAway) host.log("info", "mqtt: sessions are stored again");
        this.#isAway = false;
        return true;
      } catch (error) {
        if (!this.#isAway) host.log("warn", `mqtt: sessions cannot be stored, and will be tried again: ${messageOf(error)}`);
        this.#isAway = true;
        for (const tell of [...trying.splice(0), ...this.#trying.splice(0)]) tell();
        if (this.#isOver) return false;
        await pause(retryMs, undefined, { ref: false });
      }
    }
  }
}
