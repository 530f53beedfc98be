import type { Log, Resource } from "../process/host.ts";
import { type Heard, type Kept, sizeOf } from "./bus.ts";
import { Followers, goneOf } from "./followers.ts";
import { KeptMessages } from "./kept.ts";
import type { Sent, Sequencer } from "./local-bus.ts";
import type { BusReport } from "./report.ts";

/** Messages from a worker to the first process. */
export type FromWorker =
  | { readonly join: true }
  | { readonly send: readonly Omit<Sent, "source">[] }
  /** The bytes of the messages that the worker has taken. */
  | { readonly took: number }
  | { readonly since: number; readonly kind: string; readonly position: number };

/** Messages from the first process to a worker. */
export type ToWorker =
  | { readonly source: string; readonly restore: readonly Kept[]; readonly report: BusReport }
  | { readonly hear: readonly Heard[]; readonly report: BusReport }
  /** An answer without `messages` says that they cannot be read at the moment. */
  | { readonly since: number; readonly messages?: readonly Heard[] };

/** The most bytes on their way to one worker; a worker that falls behind further is ended and started again. */
const mostUntaken = 64 * 1_048_576;

interface Member {
  readonly source: string;
  readonly say: (line: ToWorker) => void;
  readonly end: () => void;
  hasJoined: boolean;
  untaken: number;
}

/** Gives the messages of all workers one order, and carries them to other nodes, if there are any. */
export class Hub implements Resource {
  readonly #bus: Sequencer;
  readonly #log: Log;
  readonly #members = new Map<number, Member>();
  readonly #kept = new KeptMessages();
  readonly #followers: Followers;
  #waiting: Heard[] = [];
  #isScheduled = false;
  #starts = 0;
  #reported: BusReport;
  readonly #timer: NodeJS.Timeout;

  constructor(bus: Sequencer, log: Log) {
    this.#bus = bus;
    this.#log = log;
    this.#reported = bus.report;
    this.#followers = new Followers(
      () => bus.source,
      () => undefined,
    );
    this.#followers.set("", {
      hear: (message) => this.#kept.hear(message),
      restore: (kept) => this.#kept.restore(kept),
      gone: (source, heir) => this.#kept.gone(source, heir),
    });
    bus.follow("", { hear: (message) => this.#hear(message), restore: (kept) => this.#restore(kept) });
    this.#timer = setInterval(() => this.#tell(), 1_000).unref();
  }

  /** A worker has been started; `say` reaches it, and `end` ends it. */
  began(worker: number, say: Member["say"], end: () => void): void {
    this.#starts += 1;
    this.#members.set(worker, { source: `${this.#bus.source}.${this.#starts}`, say, end, hasJoined: false, untaken: 0 });
  }

  take(worker: number, line: FromWorker): void {
    const member = this.#members.get(worker);
    if (member === undefined) return;
    if ("send" in line) for (const message of line.send) this.#bus.send({ ...message, source: member.source });
    else if ("took" in line) member.untaken -= line.took;
    else if ("join" in line) void this.#bus.join().then(() => this.#join(member));
    else void this.#answer(member, line);
  }

  async #answer({ say }: Member, { since, kind, position }: Extract<FromWorker, { since: number }>): Promise<void> {
    try {
      say({ since, messages: await this.#bus.since(kind, position) });
    } catch {
      say({ since });
    }
  }

  ended(worker: number): void {
    const member = this.#members.get(worker);
    if (member === undefined) return;
    this.#members.delete(worker);
    this.#bus.publish(goneOf(member.source, this.#followers.heirOf(member.source)));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#bus.close();
  }

  /** The kept messages include everything that was heard so far: the worker starts from them. */
  #join(member: Member): void {
    this.#forward();
    member.hasJoined = true;
    member.say({ source: member.source, restore: this.#kept.all(), report: this.#bus.report });
  }

  #restore(kept: readonly Kept[]): void {
    this.#followers.restore(kept);
    this.#forward();
    for (const { source, say, hasJoined } of this.#members.values())
      if (hasJoined) say({ source, restore: this.#kept.all(), report: this.#bus.report });
  }

  #hear(message: Heard): void {
    this.#followers.hear(message);
    this.#waiting.push(message);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#forward());
  }

  #forward(): void {
    this.#isScheduled = false;
    const messages = this.#waiting;
    if (messages.length === 0) return;
    this.#waiting = [];
    const bytes = messages.reduce((sum, message) => sum + sizeOf(message), 0);
    for (const member of this.#members.values()) {
      if (!member.hasJoined) continue;
      member.untaken += bytes;
      if (member.untaken <= mostUntaken) member.say({ hear: messages, report: this.#bus.report });
      else this.#giveUp(member);
    }
  }

  #giveUp(member: Member): void {
    this.#log("error", "bus: a worker takes no messages any more: it is ended, and started again");
    member.hasJoined = false;
    member.end();
  }

  /** Tells workers whether the other nodes are reachable, how many messages were lost, and the lag of messages. */
  #tell(): void {
    const report = this.#bus.report;
    const { connected, lost, lag } = report;
    if (connected === this.#reported.connected && lost === this.#reported.lost && lag === this.#reported.lag) return;
    this.#reported = report;
    for (const { hasJoined, say } of this.#members.values()) if (hasJoined) say({ hear: [], report: this.#reported });
  }
}
