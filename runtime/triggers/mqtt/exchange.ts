import { decisionsOn } from "./decisions.ts";
import type { Terms } from "./handshake.ts";
import { limits } from "./limits.ts";
import type { Link } from "./link.ts";
import { type Message, messageOf } from "./message.ts";
import type { Ack, Publish, Subscribe, Unsubscribe } from "./packets.ts";
import { type Reason, reasons, Violation } from "./reasons.ts";
import type { Publisher, Rules } from "./rules.ts";
import type { Session } from "./session.ts";
import type { Outcome, SessionBroker } from "./session-broker.ts";
import type { SubscriptionRequest } from "./subscriptions.ts";
import { isTopicName, parseFilter } from "./topics.ts";

/** The broker and the client of an exchange, with the session and the rules between them. */
export interface Setting {
  readonly broker: SessionBroker;
  readonly rules: Rules;
  readonly from: Publisher;
  readonly session: Session;
  readonly terms: Terms;
  /** `takes` is false for an answer that is larger than the packets which the client accepts. */
  readonly link: Link & { readonly takes: (packet: Answer) => boolean; readonly send: (packet: Answer) => void };
}

/** Answers to a SUBSCRIBE or an UNSUBSCRIBE. */
export interface Answer {
  readonly cmd: "suback" | "unsuback";
  readonly messageId: number;
  readonly granted: number[];
}

/** The packets that a client and the broker exchange once the client is let in (MQTT 3.3 to 3.11). */
export class Exchange {
  readonly #setting: Setting;
  /** Topics by the aliases that the client has given them. */
  readonly #aliases = new Map<number, string>();
  /** Numbers of messages that the client has released and that are being published. */
  readonly #released = new Set<number>();
  /** Numbers of messages of QoS 2 that are acknowledged when their runs are stored. */
  readonly #storing = new Set<number>();
  /** Acknowledgements that wait for runs to be stored, in the order of the messages [MQTT-4.6.0-2]. */
  #waiting: Promise<void> | undefined;
  #isOver = false;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  end(): void {
    this.#isOver = true;
  }

  /** Handles a packet; a promise while the next packet has to wait. */
  take(packet: Publish | Subscribe | Unsubscribe | Ack): Promise<void> | undefined {
    switch (packet.cmd) {
      case "publish":
        return this.#publish(packet);
      case "subscribe":
        return this.#subscribe(packet);
      case "unsubscribe":
        this.#unsubscribe(packet);
        return undefined;
      case "puback":
      case "pubcomp":
        this.#setting.session.acknowledged(packet.cmd, packet.messageId);
        return undefined;
      case "pubrec":
        this.#received(packet);
        return undefined;
      case "pubrel":
        return this.#release(packet);
    }
  }

  /** Delivers a message of the client, and runs the interface of its topic. A promise while too much waits. */
  accept(message: Message, isDuplicate: boolean, answer: (reason: Reason) => void = ignore): Promise<void> | undefined {
    const { broker, rules, from } = this.#setting;
    const permission = rules.mayPublish(from.caller, message.topic);
    const { isStoredRun = false, ...bare } = message;
    let run: Promise<boolean> | undefined;
    const begin = (): void => {
      if (!isStoredRun) run = rules.accepted(bare, from, isDuplicate);
    };
    if (permission === "deliver")
      return broker.publish(bare, {
        accepted: begin,
        done: (outcome) => this.#whenStored(run, (isStored) => this.#answered(isStored ? outcome : "lost", answer)),
      });
    if (permission === "run") begin();
    const outcome = permission === "refuse" ? reasons.notAuthorized : reasons.success;
    this.#whenStored(run, (isStored) => (isStored ? answer(outcome) : this.#answered("lost", answer)));
    return undefined;
  }

  /** Calls `tell` with true when a run was stored. Without a run it is called at once, unless an earlier acknowledgement waits. */
  #whenStored(run: Promise<boolean> | undefined, tell: (isStored: boolean) => void): void {
    if (run === undefined && this.#waiting === undefined) {
      tell(true);
      return;
    }
    const answers = (this.#waiting ?? Promise.resolve()).then(async () => tell((await run) ?? true)).catch(this.#setting.rules.bug);
    this.#waiting = answers;
    void answers.then(() => {
      if (this.#waiting === answers) this.#waiting = undefined;
    });
  }

  #answered(outcome: Outcome, answer: (reason: Reason) => void): void {
    // MQTT 3.1.1 has no refusal: a message without an acknowledgement comes again with the next connection.
    if (outcome !== "lost" || this.#setting.terms.version === 5) answer(reasonOf(outcome));
  }

  #publish(packet: Publish): Promise<void> | undefined {
    const { session, rules, from, terms } = this.#setting;
    const topic = this.#topicOf(packet);
    const { messageId: id = 0, qos } = packet;
    if (qos === 2 && session.holding(id) !== undefined) {
      session.whenStored(() => this.#answer("pubrec", id, reasons.success));
      return undefined;
    }
    if (rules.mayPublish(from.caller, topic) === "refuse") {
      // In MQTT 3.1.1 the only refusal is the end of the connection (spec/surfaces 4).
      if (terms.version < 5) throw new Violation(reasons.notAuthorized, "the client may not publish to this topic");
      if (qos > 0) this.#answer(qos === 1 ? "puback" : "pubrec", id, reasons.notAuthorized);
      return undefined;
    }
    const message = messageOf({ ...packet, topic }, rules.now(), session.key);
    if (qos === 0) return this.accept(message, packet.dup);
    if (qos === 1) return this.accept(message, packet.dup, (reason) => this.#answer("puback", id, reason));
    this.#store(id, message, packet.dup);
    return undefined;
  }

  /** The topic of a PUBLISH, which a client of MQTT 5 may name by an alias (3.3.2.3.4). */
  #topicOf({ topic, properties = {} }: Publish): string {
    const { topicAlias: alias, responseTopic } = properties;
    if (alias !== undefined && alias > limits.topicAliases) throw new Violation(reasons.badTopicAlias, `topic alias ${alias} is too large`);
    const name = topic === "" && alias !== undefined ? this.#aliases.get(alias) : topic;
    if (name === undefined || name === "") throw new Violation(reasons.protocolError, "a message without a topic");
    if (!isTopicName(name)) throw new Violation(reasons.badTopic, "a message to what is no topic");
    if (responseTopic !== undefined && !isTopicName(responseTopic))
      throw new Violation(reasons.protocolError, "a response topic that is none");
    if (alias !== undefined) this.#aliases.set(alias, name);
    return name;
  }

  /** Holds a message of QoS 2, which is published when the client releases it, so that it is published exactly once. */
  #store(id: number, message: Message, isDuplicate: boolean): void {
    const { session, terms, rules, from } = this.#setting;
    if (this.#storing.has(id)) return;
    const storing = session.inbound.storing(id);
    if (storing !== undefined) {
      this.#answerHeld(id, storing);
      return;
    }
    const most = terms.version === 5 ? limits.receiveMaximum : limits.silentReceiveMaximum;
    if (session.inbound.all >= most)
      throw new Violation(reasons.receiveMaximumExceeded, "too many messages that the client has not released");
    const permission = rules.mayPublish(from.caller, message.topic);
    const runs = permission === "deliver" || permission === "run";
    if (runs && rules.isDurable(message.topic)) this.#storeRun(id, message, rules.accepted(message, from, isDuplicate));
    else if (session.hold(id, message)) this.#whenStored(undefined, () => this.#took(id));
    else throw new Violation(reasons.quotaExceeded, "too many bytes that clients have not released");
  }

  /**
   * Stores the run of a durable interface before the message is acknowledged, and holds the message once the run is stored: if the process
   * ends in between, the client sends the message again.
   */
  #storeRun(id: number, message: Message, run = Promise.resolve(true)): void {
    const { session } = this.#setting;
    const stored = run.then((isStored): Message | undefined => (isStored ? { ...message, isStoredRun: true } : undefined));
    this.#answerHeld(
      id,
      session.inbound.store(id, stored, (one) => !session.isOver && session.hold(id, one)),
    );
  }

  #answerHeld(id: number, held: Promise<boolean>): void {
    this.#storing.add(id);
    this.#whenStored(held, (isHeld) => {
      this.#storing.delete(id);
      if (isHeld) this.#took(id);
      else if (this.#setting.terms.version === 5) this.#answer("pubrec", id, reasons.quotaExceeded);
    });
  }

  /** Acknowledges a message of QoS 2 when it is stored. */
  #took(id: number): void {
    this.#setting.session.whenStored(() => this.#answer("pubrec", id, reasons.success));
  }

  #release({ messageId: id }: Ack): Promise<void> | undefined {
    const message = this.#setting.session.holding(id);
    // A repeated release is answered together with the first one.
    if (this.#released.has(id)) return undefined;
    if (message === undefined) {
      this.#answer("pubcomp", id, reasons.packetIdNotFound);
      return undefined;
    }
    this.#released.add(id);
    return this.accept({ ...message, release: id }, false, () => {
      this.#released.delete(id);
      this.#setting.session.release(id);
      this.#answer("pubcomp", id, reasons.success);
    });
  }

  #received({ messageId: id, reasonCode = 0 }: Ack): void {
    const isRefused = reasonCode >= 0x80;
    const isKnown = this.#setting.session.received(id, isRefused);
    const reason = isKnown ? reasons.success : reasons.packetIdNotFound;
    if (!isRefused) this.#setting.session.whenStored(() => this.#answer("pubrel", id, reason));
  }

  #answer(cmd: Ack["cmd"], messageId: number, reason: Reason): void {
    const { link, terms } = this.#setting;
    if (this.#isOver) return;
    link.acknowledge(terms.version === 5 ? { cmd, messageId, reasonCode: reason } : { cmd, messageId });
  }

  /** Refuses a packet whose answer would be too large for the client, so that nothing is done without an answer. */
  #requireRoom(cmd: Answer["cmd"], messageId: number, filters: readonly unknown[]): void {
    if (!this.#setting.link.takes({ cmd, messageId, granted: filters.map(() => 0) }))
      throw new Violation(reasons.packetTooLarge, `the ${cmd} would be larger than the client takes`);
  }

  #subscribe({ messageId, subscriptions, properties = {} }: Subscribe): Promise<void> | undefined {
    const { subscriptionIdentifier: identifier } = properties;
    this.#requireRoom("suback", messageId, subscriptions);
    const requests = subscriptions.map(({ topic, qos, nl = false, rap = false, rh = 0 }) => {
      const filter = parseFilter(topic);
      if (filter === undefined) throw new Violation(reasons.malformed, "a filter that is not well formed");
      if (nl && filter.group !== undefined) throw new Violation(reasons.protocolError, "a shared subscription takes all messages"); // [MQTT-3.8.3-4]
      const subscription = { qos, noLocal: nl, retainAsPublished: rap, ...(identifier === undefined ? {} : { identifier }) };
      return { filter, subscription, replays: rh };
    });
    // A session has no more subscriptions than this, so that no authorizer is asked about further ones.
    const { rules, from } = this.#setting;
    const decisions = decisionsOn(
      requests.slice(0, limits.subscriptions).map(({ filter }) => filter),
      (filter) => rules.maySubscribe(from.caller, filter, from.peer),
      () => this.#isOver,
    );
    const grant = (decided: readonly boolean[]): Promise<void> | undefined => {
      if (this.#isOver) return undefined;
      return this.#grant(
        messageId,
        requests.map((one, i) => ({ ...one, isAllowed: decided[i] })),
      );
    };
    return decisions instanceof Promise ? decisions.then(grant) : grant(decisions);
  }

  /** Adds the subscriptions; a promise until all processes know the members of shared ones. */
  #grant(messageId: number, requests: readonly SubscriptionRequest[]): Promise<void> | undefined {
    const { broker, session, link, terms } = this.#setting;
    const replayed: SubscriptionRequest[] = [];
    const granted = requests.map((request) => {
      const { filter, subscription, replays, isAllowed } = request;
      if (isAllowed === false) return terms.version === 5 ? reasons.notAuthorized : reasons.unspecified;
      const isNew = !session.filters.has(filter.text);
      const isShort = Buffer.byteLength(filter.text) <= limits.filter;
      if (isAllowed === undefined || !isShort || !broker.subscribe(session, filter, subscription))
        return terms.version === 5 ? reasons.quotaExceeded : reasons.unspecified;
      if (replays === 0 || (replays === 1 && isNew)) replayed.push(request);
      return subscription.qos;
    });
    const answer = (): void =>
      session.whenTried(() => {
        if (this.#isOver) return;
        link.send({ cmd: "suback", messageId, granted });
        for (const { filter, subscription } of replayed) broker.replay(session, filter, subscription);
      });
    const wait = requests.some(({ filter }) => filter.group !== undefined) ? broker.settled() : undefined;
    if (wait !== undefined) return wait.then(answer);
    answer();
    return undefined;
  }

  #unsubscribe({ messageId, unsubscriptions }: Unsubscribe): void {
    const { broker, session, link } = this.#setting;
    if (unsubscriptions.some((text) => parseFilter(text) === undefined))
      throw new Violation(reasons.malformed, "a filter that is not well formed");
    this.#requireRoom("unsuback", messageId, unsubscriptions);
    const granted = unsubscriptions.map((text) => (broker.unsubscribe(session, text) ? reasons.success : reasons.noSubscription));
    session.whenTried(() => {
      if (!this.#isOver) link.send({ cmd: "unsuback", messageId, granted });
    });
  }
}

const ignore = (): void => undefined;

function reasonOf(outcome: Outcome): Reason {
  if (outcome === "too many topics" || outcome === "lost") return reasons.quotaExceeded;
  return outcome === "nobody" ? reasons.noMatchingSubscribers : reasons.success;
}
