import type { RunStore } from "../store/runs.ts";

/** Others see that this node lives, by its session in the store (spec/surfaces 14). */
export class Presence {
  readonly #enter: () => Promise<void>;
  #isKnown = false;
  #entering: Promise<void> | undefined;
  /** By the monotonic clock: since when nobody takes this node for gone. */
  #seenAt = Number.NEGATIVE_INFINITY;

  /** `back` is called whenever others see the node again. */
  constructor(store: RunStore, node: string, monotonic: () => number, back: () => void) {
    this.#enter = () =>
      store.attend(node, (isSeen) => {
        this.#seenAt = isSeen ? monotonic() : Number.POSITIVE_INFINITY;
        if (isSeen) back();
      });
  }

  /** True once others could see the node: a session that is lost later comes back by itself. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  get seenAt(): number {
    return this.#seenAt;
  }

  /** Others see the node from now on. Rejects when the store does not answer. */
  async attend(): Promise<void> {
    if (this.#isKnown) return;
    this.#entering ??= this.#enter().finally(() => {
      this.#entering = undefined;
    });
    await this.#entering;
    this.#isKnown = true;
  }
}
