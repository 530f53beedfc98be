import { Failure } from "../value/failure.ts";

/** The failure of an action that nobody wants any more. */
export const cancelled = (): Failure => new Failure("transport", "cancelled", { upstream: 502 });

/**
 * Work that may become unwanted: client gone, time over, shutdown. A listener costs an entry of a set, a tenth of one of an AbortSignal;
 * the signal that libraries take is made when somebody asks for it.
 */
export class Cancellation {
  #reason: Error | undefined;
  #listeners: Set<() => void> | undefined;
  #controller: AbortController | undefined;

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  /** The failure for which the work was cancelled, as when its time is over. */
  get failure(): Failure | undefined {
    return this.#reason instanceof Failure ? this.#reason : undefined;
  }

  /** True for the error with which work ends that was cancelled between two of its slices. */
  isReason(thrown: unknown): boolean {
    return this.#reason !== undefined && thrown === this.#reason;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** Only the first reason counts. */
  abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener();
  }

  /** Calls back once when the work is cancelled, now if it is so already. The function that it returns takes the call back. */
  listen(callback: () => void): () => void {
    if (this.aborted) {
      callback();
      return () => undefined;
    }
    this.#listeners ??= new Set();
    this.#listeners.add(callback);
    return () => this.#listeners?.delete(callback);
  }
}
