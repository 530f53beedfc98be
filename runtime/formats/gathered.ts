/** Pieces that are kept apart at most, before they are joined. */
const mostApart = 1_024;

/**
 * Gathers bytes that arrive in pieces. A piece of one byte takes hundreds of bytes of memory, so many small pieces are joined into one.
 * Otherwise a caller that sends a body byte by byte would fill the memory long before the body reaches its bound.
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
