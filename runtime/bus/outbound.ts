import { type Heard, sizeOf } from "./bus.ts";
import type { Sent } from "./local-bus.ts";

/** A message that this process has not heard itself yet. */
interface Entry {
  readonly message: Sent;
  readonly bytes: number;
  isEarly: boolean;
  /** Tells the sender, once, that the message was heard. */
  readonly tell: () => void;
}

/** The most messages, and the most bytes, that are sent together. */
const [mostMessages, mostBytes] = [5_000, 1_048_576];

/** Messages on their way, in order. A message that has not come back may have to be sent once more. */
export class Outbound {
  #waiting: Entry[] = [];
  /** Messages that are sent and not heard yet. */
  #sent: Entry[] = [];
  #bytes = 0;
  #settled: { readonly entry: Entry; readonly resolve: () => void }[] = [];

  get bytes(): number {
    return this.#bytes;
  }

  add(message: Sent, heard: (() => void) | undefined): void {
    let tells = heard;
    const bytes = sizeOf(message);
    const entry: Entry = {
      message,
      bytes,
      isEarly: false,
      tell: () => {
        const tell = tells;
        tells = undefined;
        tell?.();
      },
    };
    this.#waiting.push(entry);
    this.#bytes += bytes;
  }

  /** Takes the next messages to send together. */
  next(): readonly Sent[] {
    let bytes = 0;
    let count = 0;
    for (const entry of this.#waiting) {
      if (count >= mostMessages || (count > 0 && bytes + entry.bytes > mostBytes)) break;
      bytes += entry.bytes;
      count += 1;
    }
    const entries = this.#waiting.splice(0, count);
    this.#sent.push(...entries);
    return entries.map(({ message }) => message);
  }

  /** Notes that the message has come back; undefined when the message was not on its way. */
  heard({ source, number }: Heard): Entry | undefined {
    const at = this.#sent.findIndex(({ message }) => message.source === source && message.number === number);
    const [entry] = at < 0 ? [] : this.#sent.splice(at, 1);
    if (entry !== undefined) this.#done(entry);
    return entry;
  }

  /** Queues messages once more that were sent and have not come back. */
  again(): void {
    if (this.#sent.length === 0) return;
    this.#waiting = [...this.#sent, ...this.#waiting];
    this.#sent = [];
  }

  /**
   * Marks all messages on their way as heard early, which means before the bus has placed them in the order. Gives the messages that were
   * not marked before.
   */
  early(): readonly Entry[] {
    const entries = [...lately(this.#sent), ...lately(this.#waiting)];
    for (const entry of entries) {
      entry.isEarly = true;
      this.#settle(entry);
    }
    return entries;
  }

  /** Drops the oldest messages until at most `most` bytes wait; gives the number of dropped messages. */
  bound(most: number): number {
    let dropped = 0;
    while (this.#bytes > most) {
      const entry = this.#waiting.shift();
      if (entry === undefined) break;
      this.#done(entry);
      dropped += 1;
    }
    return dropped;
  }

  /** Resolves when all messages so far were heard; undefined when none waits. */
  settled(): Promise<void> | undefined {
    const entry = this.#waiting.at(-1) ?? this.#sent.at(-1);
    if (entry === undefined || entry.isEarly) return undefined;
    return new Promise((resolve) => this.#settled.push({ entry, resolve }));
  }

  #done(entry: Entry): void {
    this.#bytes -= entry.bytes;
    this.#settle(entry);
  }

  #settle(entry: Entry): void {
    const rest = this.#settled.filter((one) => one.entry !== entry);
    if (rest.length === this.#settled.length) return;
    const settled = this.#settled.filter((one) => one.entry === entry);
    this.#settled = rest;
    for (const { resolve } of settled) resolve();
  }
}

/** The last messages that were not heard early yet; all earlier ones were. */
function lately(entries: readonly Entry[]): readonly Entry[] {
  let first = entries.length;
  while (first > 0 && entries[first - 1]?.isEarly === false) first -= 1;
  return entries.slice(first);
}
