import type { KeptAct, Outcome } from "../run/journal.ts";
import type { OpenWait } from "../store/runs.ts";
import { Broken, type Engine } from "./engine.ts";
import type { Identity } from "./identity.ts";
import { RunWaits, type WaitingRun } from "./waits.ts";

/** An action that has settled, and whose outcome is not stored yet. */
export interface Settling {
  readonly act: KeptAct;
  readonly path: string;
  readonly state: KeptAct["state"];
  readonly tell: () => void;
}

/** The stored parts of a run. */
export interface TakenRun {
  readonly epoch: number;
  readonly plan: string;
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Results of the steps of actions, as texts, by path. */
  readonly steps: ReadonlyMap<string, string>;
  readonly waits: readonly OpenWait[];
  /** Payloads for tokens whose wait is over, by the paths of the tokens; empty where no payload has arrived. */
  readonly arrived: ReadonlyMap<string, string>;
}

/** The parts of a run that its keeper needs. */
export interface KeeperParts {
  readonly id: string;
  readonly engine: Engine;
  readonly identity: Identity;
  /** Makes a UUID for use outside of every action. */
  readonly random: () => string;
  readonly plans: readonly string[];
  readonly seed: Buffer;
  /** The stored parts of a run that was begun by another process, or earlier by this one. */
  readonly taken?: TakenRun;
  /** Stores the run, before its first action. Gives the epoch, or undefined when the run may not begin. */
  readonly create: () => Promise<number | undefined>;
  /** Called when the run has left this node: this process stops all work on it. */
  readonly left: (why: "fenced" | "released") => void;
  /** Called when the run cannot continue anywhere: it ends like a run with an internal error. */
  readonly breaks: (error: unknown) => void;
}

/**
 * The plan from the first action on that is still open after these have settled; undefined when none of these is an action of the run
 * itself.
 */
export function planBehind(settling: readonly Settling[], plans: readonly string[]): string | undefined {
  const root = settling.find(({ path, act }) => path === act.name)?.act.run;
  if (root === undefined) return undefined;
  const stored = new Set(settling.map(({ act }) => act));
  const open = root.acts.findIndex((act) => !stored.has(act) && (act.state === "waiting" || act.state === "running"));
  // The next action may not be declared yet.
  return plans[open < 0 ? root.acts.length : open] ?? plans.at(-1);
}

/** Turns each outcome that the store refuses into a failure of its action. If the store refuses that, too, the run ends. */
export function refused(settling: readonly Settling[], error: unknown, keep: (each: Settling) => void): void {
  for (const each of settling) {
    const { act } = each;
    if (!(error instanceof Broken) || act.error === error.message) act.run.break(error);
    else {
      Object.assign(act, { state: "failed", data: null, error: error.message, errors: undefined, reply: undefined });
      keep(each);
    }
  }
}

/** The parts of a run that its waits need. */
interface Reached extends Pick<WaitingRun, "store" | "rest"> {
  readonly isOver: () => boolean;
}

/** The waits of a run, including the ones that were stored before. */
export function waitsOf({ id, engine, seed, taken }: KeeperParts, { isOver, store, rest }: Reached): RunWaits {
  const ask = <Answer>(question: () => Promise<Answer>): Promise<Answer | undefined> => engine.insist(question, () => !isOver());
  const run: WaitingRun = {
    ...{ seed, store, rest },
    now: () => ask(() => engine.store.now()),
    registered: async () => (await ask(() => engine.store.show(id)))?.waits.map(({ path }) => path) ?? [],
    after: engine.timers.after,
  };
  return new RunWaits(run, taken?.waits, taken?.arrived);
}
