import type { Timers } from "./timers.ts";

/** An action whose steps are under way: it is quiet while each of them only waits. */
export interface Stepping {
  readonly isQuiet: boolean;
}

/** Everything that is under way in a run in this process: the run may leave the process when the activity is quiet. */
export class Activity {
  readonly #timers: Timers;
  /** Called after work has ended, at the end of that turn of the event loop. */
  readonly #rested: () => void;
  /** Actions whose attempts are under way, including loops that have items under way. */
  readonly #active = new Set<object>();
  readonly #loops = new Set<object>();
  readonly #steps = new Map<object, Stepping>();
  /** Actions that rest: nothing in them is under way, and they begin anew where the run goes on. */
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

  /** Marks the action as a loop: its items count as actions of their own. */
  isLoop(act: object): void {
    this.#loops.add(act);
  }

  /** The action consists of these steps. */
  has(act: object, steps: Stepping): void {
    this.#steps.set(act, steps);
  }

  /** Marks the action as resting until the wait is over. */
  async rests(act: object, wait: Promise<void>): Promise<void> {
    this.#resting.add(act);
    this.rest();
    try {
      await wait;
    } finally {
      this.#resting.delete(act);
    }
  }

  /** Counts work beside the actions as under way, until the caller calls the result. */
  busy(): () => void {
    this.#busy += 1;
    return () => {
      this.#busy -= 1;
      this.rest();
    };
  }

  /**
   * True when only loops and waiting actions are under way; the items of a loop count as actions of their own. With `mayRest`, resting
   * actions count as waiting.
   */
  isQuiet(suspended: ReadonlySet<object>, mayRest = false): boolean {
    if (this.#busy > 0) return false;
    const isQuiet = (act: object): boolean => suspended.has(act) || (mayRest && this.#resting.has(act));
    return [...this.#active].every((act) => this.#loops.has(act) || isQuiet(act) || this.#steps.get(act)?.isQuiet === true);
  }

  /** Work has ended: `rested` is called at the end of this turn. */
  rest(): void {
    if (this.#isResting) return;
    this.#isResting = true;
    this.#timers.after(0, () => {
      this.#isResting = false;
      this.#rested();
    });
  }
}
