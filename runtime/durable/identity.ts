import { AsyncLocalStorage } from "node:async_hooks";
import { createHmac } from "node:crypto";

/** A place at which values are generated, and the number of values so far. */
interface Place {
  readonly path: string;
  count: number;
}

/**
 * Values that a run generates. They come from the seed of the run, so that they are the same in every process that continues it, and cannot
 * be guessed by others (spec/surfaces 14). An action that is done again counts from the beginning.
 */
export class Identity {
  readonly #seed: Buffer;
  readonly #places = new AsyncLocalStorage<Place>();

  constructor(seed: Buffer) {
    this.#seed = seed;
  }

  /** Does work whose generated values belong to this path. */
  at<Result>(path: string, work: () => Result): Result {
    return this.#places.run({ path, count: 0 }, work);
  }

  /** The path of the work that is under way; undefined outside of every path. */
  get path(): string | undefined {
    return this.#places.getStore()?.path;
  }

  /** The token of a wait at this path: always the same, and derived from the secret seed. */
  token(path: string): string {
    return createHmac("sha256", this.#seed).update(`token ${path}`).digest("base64url");
  }

  /** The short mark under which a store remembers identities of this path; it is kept with each of many identities. */
  mark(path: string): string {
    return createHmac("sha256", this.#seed).update(`mark ${path}`).digest("base64url").slice(0, 22);
  }

  /** A UUID of version 4; undefined outside of every path. */
  uuid(): string | undefined {
    const place = this.#places.getStore();
    if (place === undefined) return undefined;
    const bytes = createHmac("sha256", this.#seed)
      .update(`${place.count++} ${place.path}`)
      .digest()
      .subarray(0, 16);
    bytes.writeUInt8(((bytes[6] ?? 0) & 0x0f) | 0x40, 6);
    bytes.writeUInt8(((bytes[8] ?? 0) & 0x3f) | 0x80, 8);
    return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }
}
