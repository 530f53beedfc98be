import { reasons, Violation } from "./reasons.ts";

/** First byte of a CONNECT, with which every connection begins [MQTT-3.1.0-1]. */
const connect = 0x10;

/** The most chunks that wait separately: a chunk of a single byte costs hundreds of bytes. */
const mostChunks = 1_000;

/**
 * Cuts the bytes of a client into control packets (MQTT 2.1): one byte, the length of the rest in one to four bytes, the rest. Chunks may
 * hold parts of packets or several of them [MQTT-6.0.0-2]. A packet over the limit is a `Violation` as soon as its length is known. Bytes
 * of incomplete packets wait in their chunks.
 */
export class Frames {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #size = 0;
  #isFirst = true;

  /** `limit` is the most bytes of a whole packet. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#size += chunk.length;
    if (this.#chunks.push(chunk) > mostChunks) this.#joined();
  }

  /** The next packet; undefined until it is complete. */
  next(): Buffer | undefined {
    // A client of another protocol may send nothing more, so that it is refused at its first byte.
    if (this.#isFirst && this.#size > 0 && this.#chunks[0]?.[0] !== connect)
      throw new Violation(reasons.protocolError, "the first packet is no CONNECT");
    const length = this.#length();
    if (length === undefined || this.#size < length) return undefined;
    this.#isFirst = false;
    const bytes = this.#joined();
    this.#keep(bytes.subarray(length));
    return bytes.subarray(0, length);
  }

  /** The bytes of the next packet; undefined until its length is known. */
  #length(): number | undefined {
    if (this.#size < 2) return undefined;
    // The head is in the first chunk, unless the client sends byte by byte.
    const head = (this.#chunks[0]?.length ?? 0) >= 5 ? this.#chunks[0] : this.#joined();
    let value = 0;
    for (let i = 1; i <= 4; i++) {
      const byte = head?.[i];
      if (byte === undefined) return undefined;
      value += (byte & 0x7f) * 128 ** (i - 1);
      if (byte < 0x80) return this.#bounded(1 + i + value);
    }
    throw new Violation(reasons.malformed, "the length of a packet has more than four bytes");
  }

  #bounded(length: number): number {
    if (length > this.#limit) throw new Violation(reasons.packetTooLarge, `a packet has at most ${this.#limit} bytes, not ${length}`);
    return length;
  }

  /** All bytes that wait, as one chunk. */
  #joined(): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && this.#chunks.length === 1) return first;
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }

  #keep(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
  }
}
