import type { Socket } from "node:net";

/** How a head with the status 100 begins, in either version of HTTP/1. */
const beginnings = ["HTTP/1.1 100", "HTTP/1.0 100"].map((text) => Buffer.from(text));
const length = 12;
const endOfHead = Buffer.from("\r\n\r\n");

/** The most bytes of such a head; a longer one is left to the client, which refuses it. */
const longestHead = 16_384;

/**
 * Takes `100 Continue` off the beginning of answers: a service may send it unasked (RFC 9110, 15.2), and the client breaks the
 * connection at it. All other bytes are handed on as they come.
 */
export class Continues {
  #isAtStart = false;
  /** The beginning of a head that may be such a one. */
  #held: Buffer | undefined;

  /** The next byte is the first one of an answer. */
  begin(): void {
    this.#isAtStart = true;
    this.#held = undefined;
  }

  /** The client asks the socket for all that has come; Node itself asks with a size. */
  watch(socket: Socket): void {
    const read = socket.read.bind(socket);
    socket.read = (size?: number): unknown => {
      const piece: unknown = read(size);
      if (!this.#isAtStart || size !== undefined || !Buffer.isBuffer(piece)) return piece;
      return this.#withoutContinue(piece) ?? null;
    };
  }

  /** Undefined where nothing is left, or more has to come first. */
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

/** True for a piece that begins like one, as far as it has come. */
function isContinue(piece: Buffer): boolean {
  // The first digit of the status tells most answers apart.
  if (piece.length >= length && piece[9] !== 0x31) return false;
  const count = Math.min(piece.length, length);
  return count > 0 && beginnings.some((beginning) => piece.compare(beginning, 0, count, 0, count) === 0);
}
