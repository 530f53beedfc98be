import { isAscii, isUtf8 } from "node:buffer";

/** Pieces of fewer bytes are joined at once, because each kept piece costs more than its bytes. */
const worthKeeping = 4_096;

/**
 * Bytes in the pieces in which they arrived. Joining a megabyte takes a tenth of the time of parsing it, and few runs need the joined
 * bytes.
 */
export class Pieces {
  readonly length: number;
  #pieces: readonly Buffer[];

  constructor(pieces: readonly Buffer[]) {
    this.length = pieces.reduce((sum, { length }) => sum + length, 0);
    this.#pieces = pieces.length * worthKeeping > this.length ? [joined(pieces)] : pieces;
  }

  /** All bytes in one buffer. */
  get whole(): Buffer {
    const whole = joined(this.#pieces);
    this.#pieces = [whole];
    return whole;
  }

  /** The bytes as UTF-8; undefined when they are not UTF-8. */
  get text(): string | undefined {
    if (this.#pieces.every((piece) => isAscii(piece))) return this.#latin1;
    return isUtf8(this.whole) ? this.whole.toString("utf8") : undefined;
  }

  /** One character for each byte, which reads ASCII in a tenth of the time. */
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
