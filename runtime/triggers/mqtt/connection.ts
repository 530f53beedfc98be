import type { Duplex } from "node:stream";
import { longestWait } from "../../value/duration.ts";
import type { Work } from "../work-queue.ts";
import { decideAnew } from "./decisions.ts";
import { type Answer, Exchange } from "./exchange.ts";
import { largestFor, problemOfWill, type Terms, termsOf, versionOf, welcome } from "./handshake.ts";
import { limits } from "./limits.ts";
import type { Link } from "./link.ts";
import { type Delivery, isExpired, type Message } from "./message.ts";
import { type Ack, type Connack, type Connect, Decoder, type Disconnect, encode, type Packet, type Version } from "./packets.ts";
import { type Reason, reasons, returnCode, Violation } from "./reasons.ts";
import type { Caller, Peer, Rules } from "./rules.ts";
import { RunsInOrder } from "./runs-in-order.ts";
import { frameOf } from "./same-frames.ts";
import type { Session } from "./session.ts";
import type { Opened, SessionBroker } from "./session-broker.ts";
import { type Will, willOf } from "./will.ts";
import { Wire } from "./wire.ts";

/** The parts that all connections of a service share. */
export interface Service {
  readonly broker: SessionBroker;
  readonly rules: Rules;
  /** True while no further client may connect. */
  readonly isFull: () => boolean;
  /** Called when a client was admitted. */
  readonly entered: (connection: Connection) => void;
  /** Called when a connection is over. */
  readonly left: (connection: Connection) => void;
}

/** The end of a connection. `tells` is the reason for a client of MQTT 5; `will` is true when its will is published. */
interface End {
  readonly tells?: Reason;
  readonly will: boolean;
}

/** The state of a connection once its client is admitted. */
interface Open {
  readonly terms: Terms;
  readonly session: Session;
  readonly exchange: Exchange;
  readonly publish: (message: Message) => void;
}

/** The connection of one client: handshake, keep-alive, and its end. `Exchange` handles the packets in between. */
export class Connection implements Link {
  readonly #service: Service;
  readonly #peer: Peer;
  readonly #wire: Wire;
  readonly #decoder = new Decoder();
  #state: "new" | "open" | "over" = "new";
  #version: Version = 4;
  /** The most bytes of a packet that the client accepts. */
  #largest = Number.POSITIVE_INFINITY;
  /** Ends the connection when its client is silent: before its CONNECT, or for too long. */
  #timer: NodeJS.Timeout | undefined;
  /** Ends the connection when the client's token expires. */
  #token: NodeJS.Timeout | undefined;
  #opened: Open | undefined;
  /** The session for which the client waits while its subscriptions are decided. */
  #awaited: Session | undefined;
  #will: Will | undefined;
  /** Seconds for which the session is kept after the connection. */
  #expiry = 0;

  constructor(stream: Duplex, peer: Peer, service: Service) {
    this.#service = service;
    this.#peer = peer;
    this.#timer = setTimeout(() => this.#end({ will: false }), limits.connectMs).unref();
    this.#wire = new Wire(stream, {
      packet: (frame) => this.#packet(frame),
      violated: ({ reason, message }) => this.#violated(reason, message),
      drained: () => this.#opened?.session.pump(),
      gone: () => this.#end({ will: true }),
      bug: (error) => {
        this.#service.rules.bug(error);
        this.#end({ tells: reasons.unspecified, will: true });
      },
    });
  }

  get window(): number {
    return this.#opened?.terms.window ?? 0;
  }

  get isFull(): boolean {
    return this.#opened === undefined || this.#wire.isFull;
  }

  publish(delivery: Delivery, id: number | undefined, isAgain: boolean): boolean {
    const now = this.#service.rules.now();
    return !isExpired(delivery.message, now) && this.#write(frameOf(delivery, { id, isAgain, now, isNew: this.#version === 5 }));
  }

  acknowledge(ack: Ack): void {
    const reason = this.#version === 5 && ack.reasonCode === undefined ? { reasonCode: 0 } : {};
    this.#write({ ...ack, ...reason });
  }

  takes(answer: Answer): boolean {
    return encode(answer, this.#version).length <= this.#largest;
  }

  send(answer: Answer): void {
    this.#write(answer);
  }

  /** Sends a packet. False for one that is larger than the client accepts, which is not sent at all [MQTT-3.1.2-24]. */
  #write(packet: Packet | Buffer, version: Version = this.#version): boolean {
    const frame = Buffer.isBuffer(packet) ? packet : encode(packet, version);
    if (frame.length > this.#largest) return false;
    this.#wire.write(frame);
    return true;
  }

  takeOver(): void {
    this.#end({ tells: reasons.takenOver, will: true });
  }

  /** Ends the connection with the process. No will is published, because no subscriber is left to read it. */
  shutDown(): void {
    this.#end({ tells: reasons.shuttingDown, will: false });
  }

  #packet(frame: Buffer): Promise<void> | undefined {
    if (this.#state === "over") return undefined;
    if (this.#state === "new") return this.#connect(frame);
    this.#timer?.refresh();
    const packet = this.#decoder.decode(frame);
    const open = this.#opened;
    if (open === undefined || packet.cmd === "connect" || packet.cmd === "auth")
      throw new Violation(reasons.protocolError, `${packet.cmd} in the midst of a connection`);
    if (packet.cmd === "disconnect") {
      this.#disconnect(packet);
      return undefined;
    }
    if (packet.cmd === "pingreq") this.#write({ cmd: "pingresp" });
    else return open.exchange.take(packet);
    return undefined;
  }

  #connect(frame: Buffer): Promise<void> | undefined {
    const { level, version } = versionOf(frame);
    if (version === undefined) this.#refuse(reasons.unsupportedVersion, level > 5 ? 5 : 4);
    else {
      this.#version = version;
      const connect = this.#decoder.decode(frame);
      if (connect.cmd !== "connect") throw new Violation(reasons.protocolError, "the first packet is no CONNECT");
      this.#largest = largestFor(connect);
      const terms = this.#service.isFull() ? reasons.serverBusy : termsOf(connect, version, this.#service.rules.uuid);
      const caller = typeof terms === "number" ? terms : this.#service.rules.admit(connect, this.#peer);
      const refusal = typeof caller === "number" ? caller : (problemOfWill(connect) ?? this.#refusalOfWill(caller, connect));
      if (refusal !== undefined) this.#refuse(refusal);
      else if (typeof terms !== "number" && typeof caller !== "number") return this.#open(caller, terms, connect);
    }
    return undefined;
  }

  #refusalOfWill(caller: Caller, { will }: Connect): Reason | undefined {
    const isFree = will === undefined || this.#service.rules.mayPublish(caller, will.topic) !== "refuse";
    return isFree ? undefined : reasons.notAuthorized;
  }

  /** Admits the client; a promise while another process has its session, or its subscriptions are decided. */
  #open(caller: Caller, terms: Terms, connect: Connect): Promise<void> | undefined {
    const { broker, rules } = this.#service;
    const connack = welcome(terms, connect);
    if (connack === undefined) {
      this.#end({ will: false });
      return undefined;
    }
    const key = `${caller.scope}\0${terms.clientId}`;
    const will = willOf(connect, key, rules.now);
    const keptMs = terms.expiry * 1000;
    const opened = broker.open({ key, keeps: terms.keeps, keptMs, rights: caller.kind, will });
    if (!(opened instanceof Promise) && !opened.session.needsRecheck) {
      this.#enter(caller, terms, connack, opened, will);
      return undefined;
    }
    clearTimeout(this.#timer);
    return (async () => {
      const answer = await opened;
      if (typeof answer === "number") this.#refuse(answer);
      else if (this.#isOver()) broker.leave(answer.session, keptMs);
      else {
        this.#expiry = terms.expiry;
        if (answer.session.needsRecheck) await this.#ask(caller, answer.session);
        if (this.#isOver()) return;
        // Another client may have opened the session meanwhile.
        if (answer.session.isOver) this.#refuse(reasons.serverUnavailable);
        else this.#enter(caller, terms, connack, answer, will);
      }
    })();
  }

  /**
   * Decides the subscriptions. Meanwhile this connection owns the session: the session gets no messages, and another client that opens it
   * takes it over.
   */
  async #ask(caller: Caller, session: Session): Promise<void> {
    const { broker, rules } = this.#service;
    const isOver = (): boolean => this.#isOver() || session.isOver;
    this.#awaited = session;
    session.attach(this);
    await decideAnew(session, broker, (filter) => rules.maySubscribe(caller, filter, this.#peer), isOver);
    this.#awaited = undefined;
  }

  #enter(caller: Caller, terms: Terms, connack: Connack, { session, isPresent }: Opened, will: Will | undefined): void {
    const { broker, rules } = this.#service;
    const runs = new RunsInOrder(rules.now);
    const from = { caller, peer: this.#peer, inOrder: (work: Work) => runs.add(work) };
    const exchange = new Exchange({ broker, rules, from, session, terms, link: this });
    this.#opened = { terms, session, exchange, publish: (message) => void exchange.accept(message, false) };
    this.#expiry = terms.expiry;
    this.#will = will;
    this.#state = "open";
    this.#service.entered(this);
    this.#keepAlive(terms.keepAlive);
    this.#expireWith(caller);
    this.#write({ ...connack, sessionPresent: isPresent });
    session.attach(this);
  }

  /** Ends the connection of a client that is silent for one and a half times its keep-alive [MQTT-3.1.2-22]. */
  #keepAlive(seconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (seconds === 0) return;
    const check = (): void => {
      // While a packet of the client is being processed, the client need not send another one.
      if (this.#wire.isBusy) this.#timer?.refresh();
      else this.#end({ tells: reasons.keepAliveTimeout, will: true });
    };
    this.#timer = setTimeout(check, seconds * 1500).unref();
  }

  /** Ends the connection when the token with which it was opened expires. */
  #expireWith(caller: Caller): void {
    const { until } = caller;
    if (until === undefined) return;
    const left = (): number => Math.max(0, until - this.#service.rules.now());
    const expire = (): void => {
      if (left() > 0) this.#expireWith(caller);
      else this.#end({ tells: reasons.notAuthorized, will: true });
    };
    this.#token = setTimeout(expire, Math.min(left(), longestWait)).unref();
  }

  /** Handles a DISCONNECT (MQTT 3.14): the client leaves normally, or for a reason with which its will is published. */
  #disconnect({ reasonCode = 0, properties }: Disconnect): void {
    const { sessionExpiryInterval: expiry } = properties ?? {};
    if (expiry !== undefined && expiry > 0 && this.#expiry === 0)
      throw new Violation(reasons.protocolError, "a session that was to end with its connection is to be kept");
    if (expiry !== undefined) this.#expiry = expiry;
    this.#end({ will: reasonCode !== reasons.success }); // [MQTT-3.14.4-3]
  }

  #violated(reason: Reason, message: string): void {
    // Only admitted clients are logged, because others could fill the log.
    if (this.#state === "open")
      this.#service.rules.note("an MQTT client was disconnected", { reason: message, address: this.#peer.peer ?? null });
    this.#end({ tells: reason, will: true });
  }

  /** Refuses a client, which gets only the reason. */
  #refuse(reason: Reason, version: Version = this.#version): void {
    const connack = { cmd: "connack", sessionPresent: false, returnCode: returnCode(reason), reasonCode: reason } as const;
    this.#write(connack, version);
    this.#end({ will: false });
  }

  #end({ tells, will }: End): void {
    if (this.#isOver()) return;
    const isOpen = this.#state === "open";
    this.#state = "over";
    clearTimeout(this.#timer);
    clearTimeout(this.#token);
    if (isOpen && tells !== undefined && this.#version === 5) this.#write({ cmd: "disconnect", reasonCode: tells });
    this.#wire.end();
    this.#leave(will);
    this.#service.left(this);
  }

  #leave(isWillDue: boolean): void {
    const { broker } = this.#service;
    const open = this.#opened;
    if (this.#awaited !== undefined) broker.leave(this.#awaited, this.#expiry * 1000);
    if (open === undefined) return;
    open.exchange.end();
    const will = isWillDue ? this.#will : undefined;
    const due = will === undefined ? undefined : { ...will, publish: () => open.publish(will.message()) };
    broker.leave(open.session, this.#expiry * 1000, due);
  }

  #isOver(): boolean {
    return this.#state === "over";
  }
}
