import { hasBranchesLeft } from "../../realtime/branches.ts";
import { TopicCensus } from "./census.ts";
import { limits } from "./limits.ts";
import type { Delivery, Message, QoS, SameFrames } from "./message.ts";
import { Retained } from "./retained.ts";
import { Session, type SessionTotals } from "./session.ts";
import type { DueWill, Elsewhere, Opened, Opening, Outcome, Receipt, SessionBroker } from "./session-broker.ts";
import { type Subscription, Subscriptions } from "./subscriptions.ts";
import { levelsOf, parseFilter, type TopicFilter } from "./topics.ts";

/** A will that waits for its due time. */
interface PendingWill extends DueWill {
  readonly timer: NodeJS.Timeout;
}

/** Sessions, subscriptions and retained messages of one process, by the rules of MQTT 5 and 3.1.1. It does not know sockets and rights. */
export class Broker implements SessionBroker {
  readonly #sessions = new Map<string, Session>();
  readonly #subscriptions = new Subscriptions<Session>();
  readonly retained: Retained;
  readonly #topics: TopicCensus;
  /** Timers that end sessions whose clients stay away; the session that was left first is the first entry. */
  readonly #absent = new Map<Session, NodeJS.Timeout>();
  readonly #wills = new Map<Session, PendingWill>();

  readonly #totals: SessionTotals;
  readonly #elsewhere: Elsewhere | undefined;

  /** `now` is a monotonic clock, in milliseconds. `elsewhere` are the other processes, if there may be some. */
  constructor(now: () => number, elsewhere?: Elsewhere) {
    this.#elsewhere = elsewhere;
    this.#totals = { now, kept: 0, dropped: 0 };
    this.retained = new Retained(now);
    this.#topics = new TopicCensus(now);
  }

  /** The number of messages that were dropped because a client was too slow or away for too long. */
  get dropped(): number {
    return this.#totals.dropped;
  }

  /**
   * Opens the session of this key: a new one, or with `keeps` the existing one. A client that holds the session is disconnected
   * [MQTT-3.1.4-3]; a waiting will is not published if the session continues.
   */
  open({ key, keeps }: Pick<Opening, "key" | "keeps">): Opened {
    this.#sessions.get(key)?.link?.takeOver();
    const before = this.#sessions.get(key);
    if (before !== undefined) {
      clearTimeout(this.#absent.get(before));
      this.#absent.delete(before);
      if (keeps) {
        this.#cancelWill(before);
        return { session: before, isPresent: true };
      }
      this.#end(before);
    }
    const session = new Session(key, this.#totals);
    this.#sessions.set(key, session);
    return { session, isPresent: false };
  }

  /** Notes that the rules have changed, so that rights are checked anew, even for clients that come back. */
  requireRecheck(): void {
    for (const session of this.#sessions.values()) session.needsRecheck = true;
  }

  /**
   * Detaches the client from the session, which is kept for `askedMs`. Its `will` is published at its due time, at the latest when the
   * session ends.
   */
  leave(session: Session, askedMs: number, will?: DueWill): void {
    session.detach();
    const keptMs = Math.min(askedMs, limits.sessionMs);
    if (this.#sessions.get(session.key) !== session) {
      will?.publish();
      return;
    }
    const delay = Math.min(will?.delayMs ?? 0, keptMs);
    const hasRoom = this.#totals.kept + (will?.bytes ?? 0) <= limits.allQueuesBytes;
    if (will !== undefined && delay > 0 && hasRoom) this.#postpone(session, will, delay);
    else will?.publish();
    if (keptMs <= 0) this.#end(session);
    else this.#absent.set(session, setTimeout(() => this.#end(session), keptMs).unref());
    const [oldest] = this.#absent.keys();
    if (oldest !== undefined && this.#absent.size > limits.absentSessions) this.#end(oldest);
  }

  /** Adds a subscription; false when the session, or all sessions together, have too many. */
  subscribe(session: Session, filter: TopicFilter, subscription: Subscription): boolean {
    if (!session.filters.has(filter.text)) {
      if (session.filters.size >= limits.subscriptions || this.#subscriptions.size >= limits.topics) return false;
      if (!this.#subscriptions.hasRoom(filter) || !hasBranchesLeft(session.filters.values(), filter)) return false;
    }
    this.resubscribe(session, filter, subscription);
    session.journal?.subscribed();
    return true;
  }

  /** Adds a subscription that the session had before. */
  resubscribe(session: Session, filter: TopicFilter, subscription: Subscription): void {
    session.filters.set(filter.text, { filter, subscription });
    if (!this.#isShared(filter)) this.#subscriptions.set(filter, session, subscription);
  }

  /** True for a shared subscription with members in other processes: then the shared broker chooses the receiver of a message. */
  #isShared({ group }: TopicFilter): boolean {
    return group !== undefined && this.#elsewhere?.shares === true;
  }

  /** Removes a subscription; false when there was none. */
  unsubscribe(session: Session, text: string): boolean {
    const subscription = session.filters.get(text);
    if (subscription === undefined) return false;
    session.filters.delete(text);
    this.#subscriptions.delete(subscription.filter, session);
    session.journal?.subscribed();
    return true;
  }

  /** Sends retained messages for a new subscription; a shared one gets none (MQTT 5, 3.8.4). */
  replay(session: Session, filter: TopicFilter, { qos, identifier }: Subscription): void {
    if (filter.group !== undefined) return;
    for (const message of this.retained.find(filter.levels)) {
      session.deliver({ message, qos: lower(message.qos, qos), retain: true, identifiers: identifier === undefined ? [] : [identifier] });
    }
  }

  publish(message: Message, { accepted, done }: Receipt): undefined {
    const outcome = this.send(message);
    if (outcome !== "too many topics") accepted();
    done(outcome);
  }

  settled(): undefined {
    return undefined;
  }

  /** Delivers a message once to each subscriber of its topic. Retains the message if it asks for this and there is room. */
  send(message: Message): Outcome {
    if (!this.admits(message.topic)) return "too many topics";
    // Beyond the bound of retained messages, the message is delivered but not retained (spec/surfaces 4).
    if (message.retain && !this.retained.keep(message)) return this.route({ ...message, retain: false });
    return this.route(message);
  }

  /** False for a new topic when there are too many. */
  admits(topic: string): boolean {
    return this.#topics.admits(topic);
  }

  /** The session of a key, if this process has it. */
  find(key: string): Session | undefined {
    return this.#sessions.get(key);
  }

  /** Makes a session that no client can open and no message reaches. */
  unknown(key: string): Session {
    return new Session(key, this.#totals);
  }

  /** True while the will of the session waits for its due time. */
  hasWill(session: Session): boolean {
    return this.#wills.has(session);
  }

  /** Ends a session. */
  end(session: Session): void {
    this.#end(session);
  }

  /** Removes a session that another process has from now on: it does not change here any more. A waiting will is not published. */
  detach(session: Session): void {
    this.#cancelWill(session);
    this.#remove(session);
    session.journal = undefined;
    session.isOver = true;
    for (const { filter } of session.filters.values()) this.#subscriptions.delete(filter, session);
  }

  /** Ends all sessions without telling their clients; called once. */
  close(): void {
    for (const timer of this.#absent.values()) clearTimeout(timer);
    for (const { timer } of this.#wills.values()) clearTimeout(timer);
  }

  /** Delivers a message to the subscribers of this process. */
  route(message: Message): Outcome {
    const deliveries = new Map<Session, Delivery>();
    const shared: [Session, Delivery][] = [];
    for (const { owner, subscription, share } of this.#subscriptions.find(levelsOf(message.topic), isThere)) {
      if (subscription.noLocal && message.publisher === owner.key) continue;
      const delivery = deliveryOf(message, subscription);
      if (share !== undefined) shared.push([owner, { ...delivery, share }]);
      else deliveries.set(owner, joined(deliveries.get(owner), delivery));
    }
    const frames: SameFrames = new Map();
    for (const [session, delivery] of [...deliveries, ...shared]) session.deliver(delivery.qos === 0 ? { ...delivery, frames } : delivery);
    return deliveries.size + shared.length === 0 ? "nobody" : "delivered";
  }

  #end(session: Session): void {
    const shared = session.takeShared("all");
    this.#forget(session);
    this.#wills.get(session)?.publish();
    this.#elsewhere?.ended(session, shared);
    if (this.#elsewhere?.shares !== true) for (const delivery of shared) this.#share(delivery);
  }

  /** Gives a message of a removed member to another member. */
  #share({ message, share = "" }: Delivery): void {
    const filter = parseFilter(share);
    if (filter === undefined) return;
    for (const { owner, subscription } of this.#subscriptions.inGroup(filter, isThere))
      owner.deliver({ ...deliveryOf(message, subscription), share });
  }

  #remove(session: Session): void {
    clearTimeout(this.#absent.get(session));
    this.#absent.delete(session);
    if (this.#sessions.get(session.key) === session) this.#sessions.delete(session.key);
  }

  #forget(session: Session): void {
    this.#remove(session);
    session.end();
    for (const text of [...session.filters.keys()]) this.unsubscribe(session, text);
  }

  #postpone(session: Session, will: DueWill, delayMs: number): void {
    const publish = (): void => {
      this.#cancelWill(session);
      will.publish();
    };
    this.#totals.kept += will.bytes;
    this.#wills.set(session, { ...will, publish, timer: setTimeout(publish, delayMs).unref() });
  }

  #cancelWill(session: Session): void {
    const will = this.#wills.get(session);
    if (will === undefined) return;
    clearTimeout(will.timer);
    this.#wills.delete(session);
    this.#totals.kept -= will.bytes;
  }
}

const isThere = ({ link }: Session): boolean => link !== undefined;

const lower = (one: QoS, other: QoS): QoS => (one < other ? one : other);

/**
 * The message for one subscriber. The retain flag tells a client that the message is an old one; a client may also ask to see the flag as
 * it was published (MQTT 5, 3.3.1.3).
 */
export function deliveryOf(message: Message, { qos, retainAsPublished, identifier }: Subscription): Delivery {
  return {
    message,
    qos: lower(message.qos, qos),
    retain: retainAsPublished && message.retain,
    identifiers: identifier === undefined ? [] : [identifier],
  };
}

/** Joins overlapping subscriptions: the highest QoS counts, and the client gets the identifiers of all [MQTT-3.3.4-2]. */
export function joined(first: Delivery | undefined, second: Delivery): Delivery {
  if (first === undefined) return second;
  return {
    message: second.message,
    qos: first.qos > second.qos ? first.qos : second.qos,
    retain: first.retain || second.retain,
    identifiers: [...first.identifiers, ...second.identifiers],
  };
}
