import { setTimeout as pause } from "node:timers/promises";
import { type Bus, isOf } from "../../../bus/bus.ts";
import type { SessionRow, SessionStore } from "../../../store/mqtt-sessions.ts";
import type { Message } from "../message.ts";
import type { Clock } from "../stored-message.ts";
import type { Entry } from "./directory.ts";
import type { Chooser, Share } from "./groups.ts";
import { decode, kind, type Published } from "./notices.ts";

/** Milliseconds until a store, or a bus, that did not answer is asked again. */
const retryMs = 500;

/** The most sessions that are read together. */
const atOnce = 200;

/** A published message at its place in the order of all processes. */
export interface Placed {
  readonly position: number;
  readonly message: Message;
  /** Members of shared subscriptions that get the message. */
  readonly shares: readonly Share[];
  /** True for a message that only members of shared subscriptions get, or no session at all. */
  readonly isShared: boolean;
}

/** A session that is moving to this process. */
export interface Arrival {
  readonly key: string;
  /** The name under which the session was requested, at the position `epoch`. */
  readonly asked: string;
  /** The name under which the session was last opened here. */
  name: string;
  keptMs: number;
  epoch: number | undefined;
  /** The time at which the session ends; undefined while a client has opened it. */
  until: number | undefined;
  /** Set when another process has opened the session meanwhile: it gets the session as soon as it has arrived. */
  next: Next | undefined;
  /** True when no process needs the session any more. */
  isForgotten: boolean;
}

/** The opening of a session at another process. */
export interface Next {
  readonly key: string;
  readonly name: string;
  readonly position: number;
  readonly keeps: boolean;
}

/** Sessions that are read together. */
interface Batch {
  /** The process that has to store the sessions first; undefined when it has ended. */
  from: string | undefined;
  readonly arrivals: readonly Arrival[];
  /** Messages that were published since the batch was added. */
  readonly heard: Placed[];
  isStarted: boolean;
  /** The ended process whose sessions this process has inherited. */
  heirOf?: string;
}

export interface ArrivalsOptions {
  readonly bus: Bus;
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly idOf: (key: string) => string;
  /** Removes the stored data of an ended process, except sessions that others still read. */
  readonly forget: (source: string) => void;
  /** The members of shared subscriptions that were chosen for an earlier message. */
  readonly recall: Chooser;
  /** Called when a session has arrived: `row` is absent when the store has nothing of it, `missed` are the messages since its row. */
  readonly arrived: (arrival: Arrival, row: SessionRow | undefined, missed: readonly Placed[]) => void;
}

/**
 * Sessions that move to this process from another one, which stores them or has ended. After that, their rows are read from the store, and
 * messages since then from the log of the bus. Messages that are published meanwhile wait here.
 */
export class Arrivals {
  readonly #options: ArrivalsOptions;
  readonly #byKey = new Map<string, Arrival>();
  readonly #batches = new Set<Batch>();
  #isOver = false;

  constructor(options: ArrivalsOptions) {
    this.#options = options;
  }

  get(key: string): Arrival | undefined {
    return this.#byKey.get(key);
  }

  /** Forgets the session, because it is not needed any more. */
  forget(key: string): Arrival | undefined {
    const arrival = this.#byKey.get(key);
    this.#byKey.delete(key);
    if (arrival !== undefined) arrival.isForgotten = true;
    return arrival;
  }

  /** Notes that the session moves on to another process when it has arrived. */
  pass(arrival: Arrival, next: Next): void {
    arrival.next = next;
    this.#byKey.delete(arrival.key);
  }

  /** Expects a session that a client has opened, and that the process `from` has. */
  expect(entry: Entry, from: string): void {
    this.#add([arrivalOf(entry)], from);
  }

  /** Takes over the sessions of an ended process. */
  inherit(entries: readonly Entry[], source: string): void {
    const arrivals = entries.map(arrivalOf);
    for (let i = 0; i < arrivals.length; i += atOnce) this.#start(this.#add(arrivals.slice(i, i + atOnce), undefined));
    // A position that a session still needs must stay in the store.
    if (arrivals.length === 0) this.#options.forget(source);
    else for (const batch of this.#batches) if (batch.arrivals.some((one) => arrivals.includes(one))) batch.heirOf = source;
  }

  /** Notes that the session is stored for the client that has opened it under this name. */
  given(key: string, name: string): void {
    for (const batch of this.#batches)
      if (batch.arrivals.some((arrival) => arrival.key === key && arrival.asked === name)) this.#start(batch);
  }

  /**
   * Waits for the heir of an ended process, which stores the sessions in its place: only an old process knows to which members of shared
   * subscriptions earlier messages went.
   */
  gone(source: string, heir: string | undefined): void {
    for (const batch of [...this.#batches]) {
      if (batch.from === undefined || !isOf(batch.from, source)) continue;
      if (heir === undefined || heir === this.#options.bus.source) this.#start(batch);
      else batch.from = heir;
    }
  }

  /** Stores a session of an ended process for the process that has opened it. */
  forward(entry: Entry, next: Next): void {
    const arrival = { ...arrivalOf(entry), name: next.name, epoch: next.position, next };
    const batch: Batch = { from: undefined, arrivals: [arrival], heard: [], isStarted: false };
    this.#batches.add(batch);
    this.#start(batch);
  }

  hear(placed: Placed): void {
    for (const { heard } of this.#batches) heard.push(placed);
  }

  /** Forgets all arrivals, because other processes have the sessions. */
  clear(): readonly Arrival[] {
    const all = [...this.#byKey.values()];
    for (const { arrivals } of this.#batches) for (const arrival of arrivals) arrival.isForgotten = true;
    this.#byKey.clear();
    this.#batches.clear();
    return all;
  }

  close(): void {
    this.#isOver = true;
    this.clear();
  }

  #add(arrivals: readonly Arrival[], from: string | undefined): Batch {
    const batch: Batch = { from, arrivals, heard: [], isStarted: false };
    this.#batches.add(batch);
    for (const arrival of arrivals) this.#byKey.set(arrival.key, arrival);
    return batch;
  }

  #start(batch: Batch): void {
    if (batch.isStarted) return;
    batch.isStarted = true;
    void this.#load(batch);
  }

  async #load(batch: Batch): Promise<void> {
    const epoch = Math.max(...batch.arrivals.map((arrival) => arrival.epoch ?? 0));
    const read = await this.#read(batch, epoch);
    if (read !== undefined && this.#batches.has(batch)) this.#arrive(batch, read.rows, read.log);
    if (batch.heirOf !== undefined) this.#options.forget(batch.heirOf);
  }

  /**
   * Reads the rows of sessions and the messages since then, as soon as the store and the bus answer; undefined when no session is needed
   * any more.
   */
  async #read(
    { arrivals }: Batch,
    epoch: number,
  ): Promise<{ readonly rows: readonly SessionRow[]; readonly log: readonly Placed[] } | undefined> {
    const { store, idOf } = this.#options;
    while (!this.#isOver && arrivals.some(({ isForgotten }) => !isForgotten)) {
      try {
        const rows = await store.claim(
          arrivals.map(({ key }) => idOf(key)),
          epoch,
        );
        return { rows, log: await this.#log(rows, epoch) };
      } catch {
        // The store or the bus is away, which is logged elsewhere.
        await pause(retryMs, undefined, { ref: false });
      }
    }
    return undefined;
  }

  /** Messages of the log after the oldest row, up to a position. */
  async #log(rows: readonly SessionRow[], epoch: number): Promise<readonly Placed[]> {
    const oldest = Math.min(...rows.map(({ position }) => position));
    if (rows.length === 0 || oldest >= epoch) return [];
    const heard = await this.#options.bus.since(kind, oldest);
    return heard.flatMap(({ body, position }) => {
      const notice = position <= epoch ? decode(body, this.#options.clock) : undefined;
      return notice?.t === "message" ? [placedOf(notice, position, this.#options.recall)] : [];
    });
  }

  #arrive(batch: Batch, rows: readonly SessionRow[], log: readonly Placed[]): void {
    this.#batches.delete(batch);
    for (const arrival of batch.arrivals) {
      if (arrival.isForgotten) continue;
      if (this.#byKey.get(arrival.key) === arrival) this.#byKey.delete(arrival.key);
      const row = rows.find(({ id }) => id === this.#options.idOf(arrival.key));
      const epoch = arrival.epoch ?? 0;
      const before = log.filter(({ position }) => position > (row?.position ?? epoch) && position <= epoch);
      const since = batch.heard.filter(({ position }) => position > epoch && position <= (arrival.next?.position ?? position));
      this.#options.arrived(arrival, row, [...before, ...since]);
    }
  }
}

const arrivalOf = ({ key, name, keptMs, epoch, until }: Entry): Arrival => ({
  key,
  asked: name,
  name,
  keptMs,
  epoch,
  until,
  next: undefined,
  isForgotten: false,
});

/** A message with the members of shared subscriptions that get it. */
export const placedOf = ({ message, share, isRetainedOnly = false }: Published, position: number, choose: Chooser): Placed => ({
  position,
  message,
  shares: isRetainedOnly ? [] : choose(position, message, share),
  isShared: isRetainedOnly || share !== undefined,
});
