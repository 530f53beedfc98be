/** A message that was published to a channel. */
export interface Message {
  /** The number of the message, which grows with every message. */
  readonly number: number;
  /** The data as JSON text. */
  readonly data: string;
}

/** The bytes that a message needs beside its data. */
const overhead = 128;

/** The most characters of names and data of all channels, with their overhead. The channels that were unused for longest make room. */
const mostKept = 67_108_864;

/** The last messages of each channel, oldest first (spec/surfaces 3). */
export class History {
  readonly #depth: number;
  /** The messages of each channel; channels are in the order of their last use. */
  readonly #channels = new Map<string, Message[]>();
  #kept = 0;

  /** `depth` is the number of messages that a channel keeps; 0 keeps none. */
  constructor(depth: number) {
    this.#depth = depth;
  }

  add(channel: string, message: Message): void {
    if (this.#depth === 0) return;
    const messages = this.#used(channel) ?? [];
    if (messages.length === 0) this.#kept += channel.length + overhead;
    this.#channels.set(channel, messages);
    messages.push(message);
    this.#kept += sizeOf(message);
    if (messages.length > this.#depth) this.#drop(messages);
    for (const other of this.#channels.keys()) {
      if (this.#kept <= mostKept || other === channel) break;
      this.#forget(other);
    }
    while (this.#kept > mostKept && messages.length > 1) this.#drop(messages);
  }

  clear(): void {
    this.#channels.clear();
    this.#kept = 0;
  }

  last(channel: string, count: number): readonly Message[] {
    const messages = count === 0 ? undefined : this.#used(channel);
    return messages?.slice(-count) ?? [];
  }

  #used(channel: string): Message[] | undefined {
    const messages = this.#channels.get(channel);
    if (messages === undefined) return undefined;
    this.#channels.delete(channel);
    this.#channels.set(channel, messages);
    return messages;
  }

  #drop(messages: Message[]): void {
    const oldest = messages.shift();
    if (oldest !== undefined) this.#kept -= sizeOf(oldest);
  }

  #forget(channel: string): void {
    for (const message of this.#channels.get(channel) ?? []) this.#kept -= sizeOf(message);
    this.#kept -= channel.length + overhead;
    this.#channels.delete(channel);
  }
}

const sizeOf = ({ data }: Message): number => data.length + overhead;
