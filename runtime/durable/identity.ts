import { AsyncLocalStorage } from "node:async_hooks";
import { createHmac } from "node:crypto";

/** The place where something is generated, and how often that has happened there. */
interface Place {
  readonly path: string;
  count: number;
}

/**
 * Values that a run generates: the same in every process that goes on with it, and unguessable outside, since they come from the seed of
 * the run (spec/surfaces 14). An action that is done again counts from the beginning.
 */
export class Identity {
  readonly #seed: Buffer;
  readonly #places = new AsyncLocalStorage<Place>();

  constructor(seed: Buffer) {
    this.#seed = seed;
  }

  /** Does work whose values belong to this path. */
  at<Result>(path: string, work: () => Result): Result {
    return this.#places.run({ path, count: 0 }, work);
  }

  /** The path of the work that is under way here; undefined outside of every path. */
  get path(): string | undefined {
    return this.#places.getStore()?.path;
  }

  /** The token of a wait that has this path: always the same, and nobody else can make it. */
  token(path: string): string {
    return createHmac("sha256", this.#seed).update(`token ${path}`).digest("base64url");
  }

  /** The mark of what is remembered under this path: a store keeps it with each of many identities, so that it is short. */
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
