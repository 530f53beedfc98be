/** Milliseconds for which a run that could not be read is remembered. The next try comes after half of them. */
const rememberedMs = 120_000;

/** Runs that could not be read here lately. Each is put off again and again, so that the store does not count it as stuck. */
export class Unread {
  readonly #monotonic: () => number;
  /** Times of the last tries, by the ids of the runs. */
  readonly #seen = new Map<string, number>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  add(id: string): void {
    this.#forget();
    this.#seen.set(id, this.#monotonic());
  }

  get count(): number {
    this.#forget();
    return this.#seen.size;
  }

  #forget(): void {
    const since = this.#monotonic() - rememberedMs;
    for (const [id, at] of this.#seen) if (at < since) this.#seen.delete(id);
  }
}
