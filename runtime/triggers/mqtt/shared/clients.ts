import { limits } from "../limits.ts";
import { type Reason, reasons } from "../reasons.ts";
import type { Opened } from "../session-broker.ts";

/** Clients that wait for their sessions, by the names under which the sessions are opened. */
export class WaitingClients {
  readonly #waiting = new Map<string, (answer: Opened | Reason) => void>();

  has(name: string): boolean {
    return this.#waiting.has(name);
  }

  /** Resolves with the session, or with the reason why it does not arrive in time. */
  add(name: string): Promise<Opened | Reason> {
    const { promise, resolve } = Promise.withResolvers<Opened | Reason>();
    const late = setTimeout(() => this.answer(name, reasons.serverUnavailable), limits.openMs).unref();
    this.#waiting.set(name, (answer) => {
      clearTimeout(late);
      resolve(answer);
    });
    return promise;
  }

  answer(name: string, answer: Opened | Reason): void {
    const tell = this.#waiting.get(name);
    this.#waiting.delete(name);
    tell?.(answer);
  }
}
