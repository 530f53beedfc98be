import { limits } from "../limits.ts";
import type { Receipt } from "../session-broker.ts";

/** Messages of this process that have no place in the order of all processes yet. Their publishers wait for the place. */
export class Receipts {
  readonly #waiting = new Map<number, Receipt>();
  #last = 0;
  #room: (() => void)[] = [];

  /** Adds a message; gives its number. */
  add(receipt: Receipt): number {
    this.#last += 1;
    this.#waiting.set(this.#last, receipt);
    return this.#last;
  }

  /** Resolves when fewer messages wait; undefined when there is room. */
  room(): Promise<void> | undefined {
    if (this.#waiting.size < limits.unplaced) return undefined;
    return new Promise((resolve) => this.#room.push(resolve));
  }

  /** Notes that the message has reached the subscribers of this process. */
  accepted(number: number): void {
    this.#waiting.get(number)?.accepted();
  }

  /**
   * Notes that the message has its place. Earlier messages without one are lost to the other processes, since places are given in order.
   */
  placed(number: number, done: (receipt: Receipt) => void): void {
    const receipt = this.#waiting.get(number);
    for (const [earlier, lost] of this.#waiting) {
      if (earlier >= number) break;
      this.#waiting.delete(earlier);
      lost.done("lost");
    }
    this.#waiting.delete(number);
    for (const goOn of this.#room.splice(0)) goOn();
    if (receipt !== undefined) done(receipt);
  }
}
