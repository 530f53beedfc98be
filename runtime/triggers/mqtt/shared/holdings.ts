import type { Bus } from "../../../bus/bus.ts";
import type { SessionRow, SessionStore } from "../../../store/mqtt-sessions.ts";
import { Broker } from "../broker.ts";
import { limits } from "../limits.ts";
import type { Delivery } from "../message.ts";
import { type Reason, reasons } from "../reasons.ts";
import type { Session } from "../session.ts";
import type { DueWill, Opened, Opening } from "../session-broker.ts";
import type { Subscription } from "../subscriptions.ts";
import type { TopicFilter } from "../topics.ts";
import { type Arrival, Arrivals, type Next, type Placed } from "./arrivals.ts";
import { WaitingClients } from "./clients.ts";
import type { Directory, Entry } from "./directory.ts";
import { catchUp } from "./fold.ts";
import { Journals, type JournalsHost } from "./journals.ts";
import { leftOf } from "./notices.ts";
import { forget } from "./orphans.ts";
import type { Own, Placement } from "./own.ts";
import { contentIn, filtersIn } from "./rows.ts";
import type { SessionJournal } from "./session-journal.ts";
import { Sharing } from "./sharing.ts";
import type { Speaker } from "./speaker.ts";

export interface HoldingsOptions {
  readonly host: JournalsHost;
  readonly bus: Bus;
  readonly store: SessionStore;
  readonly directory: Directory;
  readonly speaker: Speaker;
  /** The position of the bus up to which all messages were heard. */
  readonly position: () => number;
}

/** The sessions of this process. Sessions move between processes, and one process has each at a time. */
export class Holdings {
  readonly local: Broker;
  readonly journals: Journals;
  readonly arrivals: Arrivals;
  readonly sharing: Sharing;
  readonly #options: HoldingsOptions;
  readonly #own = new Map<string, Own>();
  readonly #clients = new WaitingClients();
  #names = 0;

  constructor(options: HoldingsOptions) {
    const { host, bus, store, position } = options;
    this.#options = options;
    this.local = new Broker(host.monotonic, { shares: !bus.alone, ended: (session, shared) => this.#ended(session, shared) });
    this.sharing = new Sharing(bus, options.speaker, options.directory);
    this.journals = new Journals({ host, store, owner: () => bus.source, position });
    this.arrivals = new Arrivals({
      bus,
      store,
      clock: host,
      idOf: (key) => this.journals.idOf(key),
      forget: (source) => void forget(source, { ...options, journals: this.journals }),
      recall: (...of) => options.directory.groups.recall(...of),
      arrived: (arrival, row, missed) => this.#arrived(arrival, row, missed),
    });
  }

  get(key: string): Own | undefined {
    return this.#own.get(key);
  }

  open({ key, keeps, keptMs, rights, will }: Opening): Promise<Opened | Reason> {
    const { bus, directory, speaker } = this.#options;
    if (will !== undefined && directory.willBytes + will.bare.payload.length > limits.willBytes)
      return Promise.resolve(reasons.quotaExceeded);
    this.#names += 1;
    const name = `${bus.source} ${this.#names}`;
    const answer = this.#clients.add(name);
    const left = will && { delayMs: will.delayMs, bare: will.bare, expiryMs: will.expiryMs, rights };
    void speaker.tell({ t: "open", key, name, keeps, keptMs, ...(keeps && directory.sharesOf(key)), ...(left && { will: left }) });
    return answer;
  }

  leave(session: Session, askedMs: number, will?: DueWill): void {
    const own = this.#own.get(session.key);
    const isCurrent = own?.session === session && this.#isCurrent(own);
    this.local.leave(session, askedMs, will);
    if (own === undefined || !isCurrent || this.#own.get(session.key) !== own) return;
    const { host, directory } = this.#options;
    const until = host.now() + Math.min(askedMs, limits.sessionMs);
    const delayMs = this.local.hasWill(session) ? directory.will(own.name)?.delayMs : undefined;
    this.#tellLeft(own, until, delayMs === undefined ? undefined : Math.min(host.now() + delayMs, until));
    this.sharing.leave(session);
  }

  /** Handles that a client of this process has opened a session. */
  take(opening: Placement): void {
    const { key, name, keeps, keptMs, epoch, before } = opening;
    const own = this.#own.get(key);
    const arrival = this.arrivals.get(key);
    const isElsewhere = before !== undefined && before.keptMs > 0 && before.owner !== this.#options.bus.source;
    if (own !== undefined) this.#reopen(own, opening);
    else if (arrival !== undefined && keeps) {
      this.#clients.answer(arrival.name, reasons.serverUnavailable);
      this.#tellEnd(key, arrival.name);
      Object.assign(arrival, { name, keptMs, until: undefined, epoch: arrival.epoch ?? epoch });
    } else if (keeps && isElsewhere) this.arrivals.expect({ ...before, name, keptMs, epoch, until: undefined }, before.owner);
    else this.#begin(opening);
  }

  /** Notes the place of an opening, because the session was opened before the bus had placed it. */
  confirm(opening: Placement): void {
    const { key, name, epoch } = opening;
    const own = this.#own.get(key);
    const arrival = this.arrivals.get(key);
    if (own?.name === name) this.#renew(own, epoch);
    else if (arrival?.name === name) arrival.epoch = epoch;
    else if (own === undefined && arrival === undefined) this.take(opening);
  }

  /** Handles that a client has opened the session at another process. */
  giveAway(next: Next, before: Entry | undefined): void {
    const { key, keeps } = next;
    const { bus, speaker } = this.#options;
    const arrival = this.arrivals.get(key);
    if (arrival !== undefined) {
      this.#clients.answer(arrival.name, reasons.serverUnavailable);
      this.arrivals.pass(arrival, next);
      return;
    }
    this.#own.get(key)?.session.link?.takeOver();
    const own = this.#own.get(key);
    if (own === undefined) {
      // The new owner waits for a session that it believes to be here.
      if (before?.owner === bus.source && before.keptMs > 0 && keeps) void speaker.tell({ t: "given", key, name: next.name });
    } else if (!keeps || own.journal === undefined) this.local.end(own.session);
    else this.#giveUp(own, own.journal, next);
  }

  /** Drops sessions that others have taken over without asking. A session unknown to the directory is also removed from the store. */
  loseOld(): void {
    for (const own of [...this.#own.values()]) {
      if (own.epoch === undefined || this.#isCurrent(own)) continue;
      this.#lose(own);
      if (this.#options.directory.get(own.session.key) === undefined) this.journals.end(own.session.key, own.epoch);
    }
  }

  /** Drops all sessions: the other processes took this one for gone, and have them. */
  loseAll(): void {
    for (const own of [...this.#own.values()]) this.#lose(own);
    for (const { name } of this.arrivals.clear()) this.#clients.answer(name, reasons.serverUnavailable);
  }

  /** Takes over sessions of an ended process. */
  inherit(entries: readonly Entry[], source: string): void {
    const missing = entries.filter(({ key }) => this.arrivals.get(key) === undefined && !this.#own.has(key));
    this.arrivals.inherit(missing, source);
  }

  /** Tells the other processes the shared subscriptions of a session. */
  tellShares(session: Session): void {
    const own = this.#own.get(session.key);
    if (own?.session === session) this.sharing.tell(session, own.name);
  }

  async close(): Promise<void> {
    this.arrivals.close();
    this.local.close();
    await this.journals.close();
  }

  /** Opens a session that this process already has. */
  #reopen(own: Own, opening: Placement): void {
    const { key, name, keeps, keptMs, epoch } = opening;
    const old = own.name;
    const { session, isPresent } = this.local.open({ key, keeps });
    if (session === own.session) {
      Object.assign(own, { name, keptMs });
      this.#renew(own, epoch);
      this.#tellEnd(key, old);
      this.tellShares(session);
    } else this.#adopt(session, opening);
    this.#clients.answer(name, { session, isPresent });
  }

  /** Begins a new session; an earlier one with this key is dropped. */
  #begin(opening: Placement): void {
    const { key, name, keptMs, epoch, before } = opening;
    const arrival = this.arrivals.forget(key);
    if (arrival !== undefined) {
      this.#clients.answer(arrival.name, reasons.serverUnavailable);
      this.#tellEnd(key, arrival.name);
    }
    const { session } = this.local.open({ key, keeps: false });
    this.#adopt(session, opening);
    if (keptMs === 0 && before !== undefined && before.keptMs > 0 && epoch !== undefined) this.journals.end(key, epoch);
    this.#clients.answer(name, { session, isPresent: false });
  }

  #adopt(session: Session, { key, name, keptMs, epoch }: Pick<Placement, "key" | "name" | "keptMs" | "epoch">, isNew = true): Own {
    const own: Own = { session, name, keptMs, epoch, journal: undefined };
    this.#own.set(key, own);
    if (keptMs > 0) own.journal = this.journals.begin(session, epoch, isNew);
    return own;
  }

  #renew(own: Own, epoch: number | undefined): void {
    if (epoch === undefined) return;
    own.epoch = epoch;
    own.journal?.renew(epoch);
  }

  #giveUp(own: Own, journal: SessionJournal, next: Next): void {
    this.#own.delete(next.key);
    this.local.detach(own.session);
    this.#tellEnd(next.key, own.name);
    this.#store(own.session, journal, next);
  }

  /** Stores a session that does not change any more, and tells its next owner. */
  #store(session: Session, journal: SessionJournal, { key, name, position }: Next): void {
    void this.journals.giveUp(journal, position, session).then(() => {
      session.end();
      void this.#options.speaker.tell({ t: "given", key, name });
    });
  }

  #arrived(arrival: Arrival, row: SessionRow | undefined, missed: readonly Placed[]): void {
    const { key, name, keptMs, epoch, next, until } = arrival;
    if (next !== undefined) {
      this.#passOn(arrival, row, missed, next);
      return;
    }
    const { session } = this.local.open({ key, keeps: false });
    if (row !== undefined) this.#fill(session, row, (filter, subscription) => this.local.resubscribe(session, filter, subscription));
    const own = this.#adopt(session, { key, name, keptMs: Math.max(keptMs, 1), epoch }, row === undefined);
    catchUp(session, missed);
    this.tellShares(session);
    if (this.#clients.has(name)) this.#clients.answer(name, { session, isPresent: row !== undefined });
    else if (until === undefined) this.leave(session, keptMs);
    else this.#stayAway(own, until);
  }

  /** Keeps an inherited session, whose client is away. */
  #stayAway(own: Own, until: number): void {
    const { host, directory } = this.#options;
    this.local.leave(own.session, Math.max(0, until - host.now()));
    if (this.#own.get(own.session.key) === own) this.#tellLeft(own, until, directory.will(own.name)?.due);
  }

  /** Tells the other processes that the client is away until `until`, and that its waiting will is due at `due`. */
  #tellLeft({ session: { key }, name, keptMs, epoch = 0 }: Own, until: number, due: number | undefined): void {
    const { host, directory, speaker } = this.#options;
    const will = due !== undefined && due > host.now() ? directory.will(name) : undefined;
    const left = will === undefined || due === undefined ? {} : { will: leftOf({ ...will, due }) };
    void speaker.tell({ t: "left", key, name, keptMs, epoch, until, ...left });
  }

  /** Stores a session for another process that has opened it already, in the state at that opening. */
  #passOn({ key, name, epoch }: Arrival, row: SessionRow | undefined, missed: readonly Placed[], next: Next): void {
    if (name !== next.name) this.#tellEnd(key, name);
    if (!next.keeps) {
      if (epoch !== undefined) this.journals.end(key, epoch);
      return;
    }
    const session = this.local.unknown(key);
    if (row !== undefined) this.#fill(session, row, (filter, subscription) => session.filters.set(filter.text, { filter, subscription }));
    const journal = this.journals.begin(session, epoch, row === undefined);
    catchUp(session, missed);
    session.journal = undefined;
    this.#store(session, journal, next);
  }

  #fill(session: Session, row: SessionRow, subscribe: (filter: TopicFilter, subscription: Subscription) => void): void {
    for (const { filter, subscription } of filtersIn(row)) subscribe(filter, subscription);
    session.restore(contentIn(row, this.#options.host));
  }

  /** Drops a session that another process has: its client has to connect again. */
  #lose(own: Own): void {
    const { session, journal } = own;
    if (journal !== undefined) this.journals.drop(journal);
    session.link?.takeOver();
    this.#own.delete(session.key);
    this.local.detach(session);
    session.end();
  }

  #ended(session: Session, shared: readonly Delivery[]): void {
    const own = this.#own.get(session.key);
    if (own?.session !== session) return;
    this.#own.delete(session.key);
    this.#tellEnd(session.key, own.name);
    this.sharing.giveBack(shared);
  }

  #tellEnd(key: string, name: string): void {
    void this.#options.speaker.tell({ t: "end", key, name });
  }

  #isCurrent({ session, name }: Own): boolean {
    const entry = this.#options.directory.get(session.key);
    return entry?.name === name && entry.owner === this.#options.bus.source;
  }
}
