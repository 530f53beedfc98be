import type { Host } from "../process/host.ts";
import type { PostgresStore } from "../store/postgres-store.ts";
import { type BusMessage, type Follower, type Heard, isOf, membership, mostWaiting, sizeOf } from "./bus.ts";
import { Followers, goneIn, goneOf, helloOf } from "./followers.ts";
import { Inbox } from "./inbox.ts";
import type { Sent, Sequencer } from "./local-bus.ts";
import { Outbound } from "./outbound.ts";
import { PostgresLine } from "./postgres-line.ts";
import type { BusReport } from "./report.ts";
import { usualTimes } from "./times.ts";
import { Watch } from "./watch.ts";

/** A gap of more messages than a log of a minute can hold. */
const mostMissed = 10_000_000;

export interface PostgresBusOptions {
  readonly host: Pick<Host, "bytes" | "monotonic" | "log" | "organisation" | "environment">;
  readonly store: PostgresStore;
  /** Closes the store when no other part of the process uses it. */
  readonly release: () => void | Promise<void>;
  /** False for the first of several processes, which serves nothing. */
  readonly serves?: boolean;
  readonly times?: Partial<typeof usualTimes>;
}

/**
 * The bus between nodes: a log in PostgreSQL that gives every message its position, and notifications that tell all processes of new
 * messages. Messages collect while others are sent. While the database is away a process hears its own messages, and sends them later.
 */
export class PostgresBus implements Sequencer {
  readonly source: string;
  readonly alone = false;
  readonly #options: PostgresBusOptions;
  readonly #times: typeof usualTimes;
  readonly #followers = new Followers(
    () => this.source,
    () => this.#lineFailed(new Error("the others have taken this process for gone")),
  );
  readonly #out = new Outbound();
  readonly #inbox: Inbox;
  readonly #watch: Watch;
  readonly #joined = Promise.withResolvers<void>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #line: PostgresLine | undefined;
  /** True when the connection is made and missed messages are heard. */
  #isReady = false;
  #hasState = false;
  #isFlushing = false;
  #isOver = false;
  #number = 0;
  #lost = 0;
  #wait: number;
  #connecting: Promise<void> | undefined;
  /** True while own messages are heard early, without those of other nodes. */
  #isCutOff = false;

  constructor(options: PostgresBusOptions) {
    const { host } = options;
    this.#options = options;
    this.#times = { ...usualTimes, ...options.times };
    this.#wait = this.#times.retry;
    this.source = host.bytes(9).toString("base64url");
    this.#inbox = new Inbox({
      hear: (message) => this.#hear(message),
      read: (after, upTo) => this.#connected().log(after, upTo),
      broken: (missed) => this.#restore(missed),
      failed: (error) => this.#lineFailed(error),
    });
    this.#watch = new Watch(this.source, this.#times, host.monotonic, {
      gone: (source) => void this.publish(goneOf(source, this.#followers.heirOf(source))),
      deaf: () => this.#lineFailed(new Error("the database does not return notifications: is there a pooler in transaction mode?")),
      full: (usage) =>
        host.log("warn", "bus: the queue of notifications fills: some listener of the database is stuck in a transaction", { usage }),
    });
  }

  get report(): BusReport {
    return { connected: this.#isReady && !this.#isCutOff, lost: this.#lost, ...this.#watch.report };
  }

  follow(kind: string, follower: Follower): void {
    this.#followers.set(kind, follower);
  }

  join(): Promise<void> {
    if (this.#connecting === undefined) {
      this.#later(this.#times.join, () => this.#joined.resolve());
      this.#later(this.#times.alone, () => this.#cutOff());
      this.#connect();
    }
    return this.#joined.promise;
  }

  publish(message: BusMessage, heard?: () => void): boolean {
    // A node that is cut off goes on by itself: messages beyond the bound are lost to the other nodes only.
    if (!this.#isCutOff && message.kind !== membership && this.#out.bytes + sizeOf(message) > mostWaiting) return false;
    this.#number += 1;
    this.send({ ...message, source: this.source, number: this.#number }, heard);
    return true;
  }

  send(message: Sent, heard?: () => void): void {
    this.#out.add(message, heard);
    if (this.#isCutOff) this.#hearEarly();
    else this.#flush();
  }

  settled(): Promise<void> | undefined {
    return this.#out.settled();
  }

  async since(kind: string, position: number): Promise<readonly Heard[]> {
    return this.#connected().logOf(kind, position);
  }

  /** Says goodbye, so that other processes need not detect that this one has ended. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    if (this.#isReady) {
      this.publish(this.#followers.goodbye());
      await Promise.race([this.settled(), new Promise<void>((resolve) => this.#later(1_000, resolve))]);
    }
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#joined.resolve();
    const line = this.#line;
    this.#line = undefined;
    line?.close();
    await this.#connecting?.catch(() => undefined);
    await this.#options.release();
  }

  #connect(): void {
    this.#connecting = this.#open().catch((error: Error) => this.#lineFailed(error));
  }

  async #open(): Promise<void> {
    const { host, store } = this.#options;
    let line: PostgresLine | undefined;
    // Messages that arrive before the state is read are part of the state.
    const isOurs = (): boolean => line !== undefined && line === this.#line;
    line = await PostgresLine.open({
      store,
      organisation: host.organisation,
      environment: host.environment,
      source: this.source,
      notified: (notification) => {
        if (isOurs()) this.#inbox.take(notification);
      },
      beat: (source) => this.#watch.heard(source),
      lost: (error) => {
        if (isOurs()) this.#lineFailed(error);
      },
      unansweredMs: this.#times.unanswered,
      silent: (isSilent) => {
        if (isOurs() && this.#isReady) this.#fellSilent(isSilent);
      },
    });
    if (this.#isOver) return line.close();
    this.#line = line;
    this.#inbox.pause();
    if (this.#hasState && (await line.position()) >= this.#inbox.position) this.#inbox.goOn(await line.position());
    else await this.#restore(0);
    await this.#inbox.idle();
    this.#ready(line);
  }

  #ready(line: PostgresLine): void {
    if (line !== this.#line) return;
    this.#isReady = true;
    this.#rejoin();
    this.#wait = this.#times.retry;
    this.#watch.begin();
    this.#out.again();
    if (this.#options.serves !== false && !this.#followers.present.has(this.source)) this.publish(helloOf(this.source));
    this.#flush();
    this.#joined.resolve();
    this.#later(this.#times.beat, () => this.#look(line));
  }

  /** Replaces the state by the kept messages: at the start, and when the log has lost messages of other nodes. */
  async #restore(missed: number): Promise<void> {
    if (missed > 0) {
      // After a crash the server has lost its log, and positions go on far beyond the last one: the number of lost messages is then
      // unknown.
      const messages = missed > mostMissed ? 1 : missed;
      this.#lost += messages;
      this.#options.host.log("warn", "bus: messages of other nodes were lost", { messages });
    }
    const { position, kept } = await this.#connected().snapshot();
    this.#followers.restore(kept);
    this.#hasState = true;
    this.#inbox.begin(position);
    if (this.#options.serves === false) return;
    for (const owner of this.#followers.orphaned(kept)) this.publish(goneOf(owner, this.source));
  }

  #hear(message: Heard): void {
    const gone = goneIn(message)?.gone;
    if (gone !== undefined) this.#watch.forget(gone);
    if (!isOf(message.source, this.source)) {
      this.#followers.hear(message);
      return;
    }
    const entry = this.#out.heard(message);
    if (entry === undefined) this.#followers.hear(message);
    else {
      this.#followers.hear(entry.isEarly ? { ...message, when: "late" } : message);
      entry.tell();
    }
  }

  /** Sends the waiting messages; messages that are added meanwhile are sent together after the answer. */
  #flush(): void {
    const line = this.#line;
    if (this.#isFlushing || !this.#isReady || line === undefined) return;
    const messages = this.#out.next();
    if (messages.length === 0) return;
    this.#isFlushing = true;
    void line
      .publish(messages)
      .catch((error: Error) => line === this.#line && this.#lineFailed(error))
      .finally(() => {
        this.#isFlushing = false;
        this.#flush();
      });
  }

  #look(line: PostgresLine): void {
    if (line !== this.#line) return;
    this.#watch.beats(this.#inbox.position);
    const expired = isOf(this.#followers.oldest ?? this.source, this.source) ? this.#watch.expiredPosition() : undefined;
    void (async () => {
      const { missing, usage } = await line.look();
      if (expired !== undefined) await line.prune(expired);
      if (line === this.#line) this.#watch.observe(missing, usage);
    })()
      .catch((error: Error) => line === this.#line && this.#lineFailed(error))
      .finally(() => line === this.#line && this.#later(this.#times.beat, () => this.#look(line)));
  }

  /** The connection is lost or could not be made; another attempt follows. */
  #lineFailed(error: Error): void {
    const { host } = this.#options;
    if (this.#isOver) return;
    if (this.#isReady) host.log("warn", `bus: the other nodes are not heard: ${error.message}`);
    const line = this.#line;
    this.#line = undefined;
    line?.close();
    if (this.#isReady) this.#later(this.#times.alone, () => this.#cutOff());
    this.#isReady = false;
    this.#later(this.#wait, () => this.#connect());
    this.#wait = Math.min(2 * this.#wait, this.#times.longestRetry);
  }

  /** The database has stopped answering, or answers again. The connection stays, and sent messages may still come back. */
  #fellSilent(isSilent: boolean): void {
    if (isSilent) this.#cutOff(true);
    else {
      this.#rejoin();
      this.#flush();
    }
  }

  #rejoin(): void {
    if (this.#isCutOff) this.#options.host.log("info", "bus: the other nodes are heard again");
    this.#isCutOff = false;
  }

  #cutOff(isSilent = false): void {
    if ((this.#isReady && !isSilent) || this.#isOver || this.#isCutOff) return;
    this.#isCutOff = true;
    this.#options.host.log("warn", "bus: the database is away: messages reach only the clients of this node until it is back");
    this.#hearEarly();
  }

  #hearEarly(): void {
    if (!this.#isReady) this.#out.again();
    for (const entry of this.#out.early()) {
      this.#followers.hear({ ...entry.message, position: this.#inbox.position, when: "early" });
      entry.tell();
    }
    this.#lost += this.#out.bound(mostWaiting);
  }

  #connected(): PostgresLine {
    if (this.#line === undefined) throw new Error("not connected");
    return this.#line;
  }

  #later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#isOver) work();
    }, ms);
    timer.unref();
    this.#timers.add(timer);
  }
}
