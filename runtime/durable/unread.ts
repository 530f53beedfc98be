/** Milliseconds for which a run that could not be read is remembered: it is looked at again after half of them. */
const rememberedMs = 120_000;

/** Runs that could not be read here of late. They are due later again and again, so that the store takes none of them for stuck. */
export class Unread {
  readonly #monotonic: () => number;
  /** Times of the last looks, by the ids of the runs. */
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
