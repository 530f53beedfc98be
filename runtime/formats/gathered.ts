/** Pieces that are kept apart. */
const mostApart = 1_024;

/**
 * Bytes in the pieces in which they come. A piece of one byte costs hundreds of them, so that many are put together at a time: whoever
 * sends a body byte by byte would else fill the memory long before its bound is reached.
 */
export class Gathered {
  readonly pieces: Buffer[] = [];
  #apart = 0;

  add(piece: Buffer): void {
    this.pieces.push(piece);
    if (++this.#apart < mostApart) return;
    this.#apart = 0;
    this.pieces.push(Buffer.concat(this.pieces.splice(-mostApart)));
  }
}
