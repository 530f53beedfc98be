import type { MessageRow, SessionChange } from "../../../store/mqtt-sessions.ts";
import type { Item, SessionChanges } from "../item.ts";
import type { Message } from "../message.ts";
import type { Session } from "../session.ts";
import type { Clock } from "../stored-message.ts";
import { filtersOf, heldRowOf, rowOf } from "./rows.ts";

/** The events that the journal of one session reports to the journals of all. */
export interface JournalEvents {
  readonly changed: (journal: SessionJournal) => void;
  readonly ended: (journal: SessionJournal) => void;
  readonly after: (work: () => void) => void;
  readonly tried: (work: () => void) => void;
}

/** Collects the changes of one durable session since its last write. */
export class SessionJournal implements SessionChanges {
  readonly #id: string;
  readonly #session: Session;
  readonly #clock: Clock;
  readonly #events: JournalEvents;
  readonly #items = new Set<Item>();
  readonly #removed = new Set<number>();
  readonly #held = new Map<number, Message | undefined>();
  /** Numbers of held messages that the store may have. */
  readonly #heldRows = new Set<number>();
  /** Work that waits until the epoch is known. */
  #blocked: (() => void)[] = [];
  #epoch: number | undefined;
  #isNew: boolean;
  #hasFilters: boolean;
  /** The position at which another process got the session. */
  #givenUp: number | undefined;
  isOver = false;

  constructor(id: string, session: Session, clock: Clock, epoch: number | undefined, isNew: boolean, events: JournalEvents) {
    this.#id = id;
    this.#session = session;
    this.#clock = clock;
    this.#epoch = epoch;
    this.#isNew = isNew;
    this.#hasFilters = isNew;
    this.#events = events;
  }

  /** The position at which this process got the session; undefined until the bus has placed the opening. */
  get epoch(): number | undefined {
    return this.#epoch;
  }

  get canBeStored(): boolean {
    return this.#epoch !== undefined;
  }

  /** Notes that the client has opened its session anew, at this position. */
  renew(epoch: number): void {
    this.#epoch = epoch;
    const blocked = this.#blocked;
    this.#blocked = [];
    this.touch();
    for (const work of blocked) this.#events.after(work);
  }

  /** Lets the row of the session itself be written. */
  touch(): void {
    if (!this.isOver) this.#events.changed(this);
  }

  /** Notes that another process has the session from this position on. */
  giveUp(position: number): void {
    this.#givenUp = position;
    this.touch();
  }

  changed(item: Item): void {
    if (item.stored === "all") item.stored = "older";
    this.#items.add(item);
    this.touch();
  }

  removed(item: Item): void {
    this.#items.delete(item);
    if (item.stored === "nothing") return;
    this.#removed.add(item.place);
    this.touch();
  }

  held(id: number, message: Message | undefined): void {
    if (message === undefined && !this.#heldRows.has(id)) this.#held.delete(id);
    else this.#held.set(id, message);
    this.touch();
  }

  subscribed(): void {
    this.#hasFilters = true;
    this.touch();
  }

  ended(): void {
    this.#events.ended(this);
  }

  after(work: () => void): void {
    if (this.canBeStored) this.#events.after(work);
    else this.#blocked.push(work);
  }

  tried(work: () => void): void {
    if (this.canBeStored) this.#events.tried(work);
    else work();
  }

  /** Takes all changes; `done` is called when they are stored. Undefined while they cannot be stored. */
  take(owner: string, position: number): { readonly change: SessionChange; readonly done: () => void } | undefined {
    const epoch = this.#epoch;
    if (epoch === undefined) return undefined;
    const items = [...this.#items];
    const held = [...this.#held];
    const change: SessionChange = {
      id: this.#id,
      name: JSON.stringify(this.#session.key),
      epoch,
      owner: this.#givenUp === undefined ? owner : "",
      position: this.#givenUp ?? position,
      filters: this.#hasFilters ? filtersOf(this.#session) : undefined,
      isNew: this.#isNew,
      set: [...items.map((item) => rowOf(item, this.#clock)), ...held.flatMap((one) => this.#heldRow(one))],
      removed: [
        ...[...this.#removed].map((place) => ({ inbound: false, place })),
        ...held.flatMap(([place, message]) => (message === undefined ? [{ inbound: true, place }] : [])),
      ],
    };
    // From this point on, the store may have the rows.
    for (const item of items) item.stored = "older";
    this.#items.clear();
    this.#removed.clear();
    this.#held.clear();
    this.#isNew = false;
    this.#hasFilters = false;
    return {
      change,
      done: () => {
        for (const item of items) if (!this.#items.has(item)) item.stored = "all";
      },
    };
  }

  #heldRow([id, message]: readonly [number, Message | undefined]): readonly MessageRow[] {
    if (message === undefined) {
      this.#heldRows.delete(id);
      return [];
    }
    this.#heldRows.add(id);
    return [heldRowOf(id, message, this.#clock)];
  }
}
