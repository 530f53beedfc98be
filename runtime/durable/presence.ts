import type { RunStore } from "../store/runs.ts";

/** Shows other nodes that this one lives, by its session in the store (spec/surfaces 14). */
export class Presence {
  readonly #enter: () => Promise<void>;
  #isKnown = false;
  #entering: Promise<void> | undefined;
  /** The time since which no node takes this one for gone, by the monotonic clock; infinite while one may. */
  #seenAt = Number.NEGATIVE_INFINITY;

  /** `back` is called whenever others see the node again. */
  constructor(store: RunStore, node: string, monotonic: () => number, back: () => void) {
    this.#enter = () =>
      store.attend(node, (isSeen) => {
        this.#seenAt = isSeen ? monotonic() : Number.POSITIVE_INFINITY;
        if (isSeen) back();
      });
  }

  /** True once the node has had a session; a lost session is opened again by the store. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  get seenAt(): number {
    return this.#seenAt;
  }

  /** Opens the session by which other nodes see this one. Rejects when the store does not answer. */
  async attend(): Promise<void> {
    if (this.#isKnown) return;
    this.#entering ??= this.#enter().finally(() => {
      this.#entering = undefined;
    });
    await this.#entering;
    this.#isKnown = true;
  }
}
