import { isAscii, isUtf8 } from "node:buffer";

/** Below this many bytes a piece, they are put together at once: each one kept costs more than its bytes. */
const worthKeeping = 4_096;

/**
 * Bytes in the pieces in which they came. Putting a megabyte together takes a tenth as long as parsing it, and few runs ask for all of it.
 */
export class Pieces {
  readonly length: number;
  #pieces: readonly Buffer[];

  constructor(pieces: readonly Buffer[]) {
    this.length = pieces.reduce((sum, { length }) => sum + length, 0);
    this.#pieces = pieces.length * worthKeeping > this.length ? [joined(pieces)] : pieces;
  }

  /** All of them, one behind the other. */
  get whole(): Buffer {
    const whole = joined(this.#pieces);
    this.#pieces = [whole];
    return whole;
  }

  /** As UTF-8; undefined when they are not. */
  get text(): string | undefined {
    if (this.#pieces.every((piece) => isAscii(piece))) return this.#latin1;
    return isUtf8(this.whole) ? this.whole.toString("utf8") : undefined;
  }

  /** A character a byte: what is ASCII is read so in a tenth of the time. */
  get #latin1(): string {
    let text = "";
    for (const piece of this.#pieces) text += piece.toString("latin1");
    return text;
  }
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces;
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces);
}
