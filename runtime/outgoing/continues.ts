import type { Socket } from "node:net";

/** How a head with the status 100 begins, in either version of HTTP/1. */
const beginnings = ["HTTP/1.1 100", "HTTP/1.0 100"].map((text) => Buffer.from(text));
const length = 12;
const endOfHead = Buffer.from("\r\n\r\n");

/** The most bytes of a head of `100 Continue`; a longer one is left to the client, which refuses it. */
const longestHead = 16_384;

/**
 * Removes `100 Continue` from the beginning of answers. A service may send it unasked (RFC 9110, 15.2), and the client would break the
 * connection. All other bytes are passed on as they come.
 */
export class Continues {
  #isAtStart = false;
  /** The beginning of a head that may be that of a `100 Continue`. */
  #held: Buffer | undefined;

  /** Says that the next byte is the first one of an answer. */
  begin(): void {
    this.#isAtStart = true;
    this.#held = undefined;
  }

  /**
   * Filters the reads of a socket. The client reads without a size, which gives all bytes that have come; Node itself reads with a size.
   */
  watch(socket: Socket): void {
    const read = socket.read.bind(socket);
    socket.read = (size?: number): unknown => {
      const piece: unknown = read(size);
      if (!this.#isAtStart || size !== undefined || !Buffer.isBuffer(piece)) return piece;
      return this.#withoutContinue(piece) ?? null;
    };
  }

  /** The bytes behind `100 Continue`; undefined when there are none, or when more bytes are needed to decide. */
  #withoutContinue(piece: Buffer): Buffer | undefined {
    let rest = this.#held === undefined ? piece : Buffer.concat([this.#held, piece]);
    this.#held = undefined;
    while (isContinue(rest)) {
      const end = rest.length < length ? -1 : rest.indexOf(endOfHead);
      if (end < 0 && rest.length < longestHead) {
        this.#held = rest;
        return undefined;
      }
      if (end < 0) break;
      rest = rest.subarray(end + endOfHead.length);
    }
    if (rest.length === 0) return undefined;
    this.#isAtStart = false;
    return rest;
  }
}

/** True when the piece, as far as it has come, is the beginning of `100 Continue`. */
function isContinue(piece: Buffer): boolean {
  // Checking the first digit of the status is enough for most answers.
  if (piece.length >= length && piece[9] !== 0x31) return false;
  const count = Math.min(piece.length, length);
  return count > 0 && beginnings.some((beginning) => piece.compare(beginning, 0, count, 0, count) === 0);
}
