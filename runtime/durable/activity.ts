import type { Timers } from "./timers.ts";

/** An action whose steps are under way: it is quiet while each of them only waits. */
export interface Stepping {
  readonly isQuiet: boolean;
}

/** All that goes on in a run in this process: the run may leave when it is quiet. */
export class Activity {
  readonly #timers: Timers;
  /** Called when something has come to its end, and all else of that turn is done. */
  readonly #rested: () => void;
  /** Actions whose attempts go on, loops with items under way included. */
  readonly #active = new Set<object>();
  readonly #loops = new Set<object>();
  readonly #steps = new Map<object, Stepping>();
  /** Actions in which nothing is under way, and that begin anew where the run goes on. */
  readonly #resting = new Set<object>();
  #busy = 0;
  #isResting = false;

  constructor(timers: Timers, rested: () => void) {
    this.#timers = timers;
    this.#rested = rested;
  }

  began(act: object): void {
    this.#active.add(act);
  }

  settled(act: object): void {
    this.#active.delete(act);
    this.#steps.delete(act);
  }

  /** The items of the action are actions themselves. */
  isLoop(act: object): void {
    this.#loops.add(act);
  }

  /** The action consists of these steps. */
  has(act: object, steps: Stepping): void {
    this.#steps.set(act, steps);
  }

  /** Nothing of the action is under way until the wait is over. */
  async rests(act: object, wait: Promise<void>): Promise<void> {
    this.#resting.add(act);
    this.rest();
    try {
      await wait;
    } finally {
      this.#resting.delete(act);
    }
  }

  /** Something goes on beside the actions, until the result is called. */
  busy(): () => void {
    this.#busy += 1;
    return () => {
      this.#busy -= 1;
      this.rest();
    };
  }

  /**
   * True when only loops are under way, whose items are actions themselves, and actions that wait. Where a run may leave, actions that rest
   * count as waiting.
   */
  isQuiet(suspended: ReadonlySet<object>, mayRest = false): boolean {
    if (this.#busy > 0) return false;
    const isQuiet = (act: object): boolean => suspended.has(act) || (mayRest && this.#resting.has(act));
    return [...this.#active].every((act) => this.#loops.has(act) || isQuiet(act) || this.#steps.get(act)?.isQuiet === true);
  }

  /** Something has come to its end: it is looked whether anything goes on. */
  rest(): void {
    if (this.#isResting) return;
    this.#isResting = true;
    this.#timers.after(0, () => {
      this.#isResting = false;
      this.#rested();
    });
  }
}
