import { type Bus, type BusMessage, type Follower, type Heard, mostWaiting, sizeOf } from "./bus.ts";
import { Followers, goneOf, helloOf } from "./followers.ts";
import type { FromWorker, ToWorker } from "./hub.ts";
import type { Sent } from "./local-bus.ts";
import type { BusReport } from "./report.ts";

/** The line from a worker to the first process. */
export interface CrewLine {
  readonly say: (line: FromWorker) => void;
  /** Sets the function that receives the messages of the first process. */
  readonly hears: (take: (line: ToWorker) => void) => void;
}

/** A message that this worker has sent and not heard yet. */
interface Sending {
  readonly bytes: number;
  readonly heard: (() => void) | undefined;
}

/** The bus of a worker: the first process gives messages their order (hub.ts). Messages of one turn of the event loop are sent together. */
export class CrewBus implements Bus {
  readonly alone = false;
  readonly #line: CrewLine;
  readonly #followers: Followers;
  readonly #sending = new Map<number, Sending>();
  readonly #joined = Promise.withResolvers<void>();
  readonly #asked = new Map<number, (messages: readonly Heard[] | undefined) => void>();
  #waiting: Omit<Sent, "source">[] = [];
  #source = "";
  #report: BusReport = { connected: true, lost: 0 };
  #bytes = 0;
  #number = 0;
  #questions = 0;
  #isScheduled = false;
  #hasAsked = false;

  constructor(line: CrewLine) {
    this.#line = line;
    this.#followers = new Followers(
      () => this.#source,
      () => void this.publish(helloOf(this.#source)),
    );
    line.hears((message) => this.#take(message));
  }

  get source(): string {
    return this.#source;
  }

  get report(): BusReport {
    return this.#report;
  }

  follow(kind: string, follower: Follower): void {
    this.#followers.set(kind, follower);
  }

  join(): Promise<void> {
    if (!this.#hasAsked) this.#line.say({ join: true });
    this.#hasAsked = true;
    return this.#joined.promise;
  }

  publish(message: BusMessage, heard?: () => void): boolean {
    const bytes = sizeOf(message);
    if (this.#bytes + bytes > mostWaiting) return false;
    this.#number += 1;
    this.#bytes += bytes;
    this.#sending.set(this.#number, { bytes, heard });
    this.#waiting.push({ ...message, number: this.#number });
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => this.#send());
    }
    return true;
  }

  settled(): Promise<void> | undefined {
    const last = this.#sending.get(this.#number);
    if (last === undefined) return undefined;
    return new Promise((resolve) => {
      this.#sending.set(this.#number, {
        ...last,
        heard: () => {
          last.heard?.();
          resolve();
        },
      });
    });
  }

  since(kind: string, position: number): Promise<readonly Heard[]> {
    this.#questions += 1;
    const since = this.#questions;
    return new Promise((resolve, reject) => {
      this.#asked.set(since, (messages) => {
        if (messages === undefined) reject(new Error("messages of the bus cannot be read now"));
        else resolve(messages);
      });
      this.#line.say({ since, kind, position });
    });
  }

  close(): void {
    this.#send();
    this.#joined.resolve();
  }

  #send(): void {
    this.#isScheduled = false;
    // A worker has no name before it has joined, so that it cannot send yet.
    if (this.#waiting.length === 0 || this.#source === "") return;
    this.#line.say({ send: this.#waiting });
    this.#waiting = [];
  }

  #take(line: ToWorker): void {
    if ("since" in line) {
      this.#asked.get(line.since)?.(line.messages);
      this.#asked.delete(line.since);
      return;
    }
    this.#report = line.report;
    if ("restore" in line) this.#begin(line);
    else this.#hear(line.hear);
  }

  #begin({ source, restore }: Extract<ToWorker, { source: string }>): void {
    const isFirst = this.#source === "";
    this.#source = source;
    this.#followers.restore(restore);
    if (!this.#followers.present.has(source)) this.publish(helloOf(source));
    if (isFirst) for (const owner of this.#followers.orphaned(restore)) this.publish(goneOf(owner, source));
    this.#send();
    this.#joined.resolve();
  }

  #hear(messages: readonly Heard[]): void {
    for (const message of messages) {
      this.#followers.hear(message);
      if (message.source === this.#source) this.#done(message.number);
    }
    const took = messages.reduce((sum, message) => sum + sizeOf(message), 0);
    if (took > 0) this.#line.say({ took });
  }

  #done(number: number): void {
    const sent = this.#sending.get(number);
    if (sent === undefined) return;
    this.#sending.delete(number);
    this.#bytes -= sent.bytes;
    sent.heard?.();
  }
}
