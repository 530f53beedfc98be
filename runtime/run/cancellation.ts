import { Failure } from "../value/failure.ts";

/** The failure of an action whose result is not wanted any more. */
export const cancelled = (): Failure => new Failure("transport", "cancelled", { upstream: 502 });

/**
 * The cancellation of work that may become unwanted: the client disconnects, the time is over, the process ends. A listener costs one entry
 * of a set, a tenth of the cost with an AbortSignal; the `AbortSignal` for libraries is made on demand.
 */
export class Cancellation {
  #reason: Error | undefined;
  #listeners: Set<() => void> | undefined;
  #controller: AbortController | undefined;

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  /** The failure with which the work was cancelled, for example because its time is over. */
  get failure(): Failure | undefined {
    return this.#reason instanceof Failure ? this.#reason : undefined;
  }

  /** True for the error that cancelled work throws between two of its slices. */
  isReason(thrown: unknown): boolean {
    return this.#reason !== undefined && thrown === this.#reason;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** Cancels the work. Only the first reason counts. */
  abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener();
  }

  /** Calls `callback` once, when the work is cancelled; at once if it is cancelled already. The result removes the callback. */
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
