import type { KeptAct, Outcome } from "../run/journal.ts";
import type { OpenWait } from "../store/runs.ts";
import { Broken, type Engine } from "./engine.ts";
import type { Identity } from "./identity.ts";
import { RunWaits, type WaitingRun } from "./waits.ts";

/** An action that has settled, and whose outcome is on its way to the store. */
export interface Settling {
  readonly act: KeptAct;
  readonly path: string;
  readonly state: KeptAct["state"];
  readonly tell: () => void;
}

/** The parts of a run that were stored. */
export interface TakenRun {
  readonly epoch: number;
  readonly plan: string;
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Results of steps of actions, as texts. */
  readonly steps: ReadonlyMap<string, string>;
  readonly waits: readonly OpenWait[];
  /** Payloads that came for tokens that are over, by the paths of the tokens; empty where none has come. */
  readonly arrived: ReadonlyMap<string, string>;
}

/** A run as its keeper needs it. */
export interface KeeperParts {
  readonly id: string;
  readonly engine: Engine;
  readonly identity: Identity;
  /** A UUID outside of every action. */
  readonly random: () => string;
  readonly plans: readonly string[];
  readonly seed: Buffer;
  /** The stored parts, when another process has begun the run, or an earlier part of this one. */
  readonly taken?: TakenRun;
  /** Stores the run, before its first action; gives the epoch, or undefined when it may not begin. */
  readonly create: () => Promise<number | undefined>;
  /** The run has left this node: nothing of it happens here any more. */
  readonly left: (why: "fenced" | "released") => void;
  /** The run cannot go on anywhere: it ends as one with a bug does. */
  readonly breaks: (error: unknown) => void;
}

/** The plan from the first action on that is open behind these; undefined where they are none of the run itself. */
export function planBehind(settling: readonly Settling[], plans: readonly string[]): string | undefined {
  const root = settling.find(({ path, act }) => path === act.name)?.act.run;
  if (root === undefined) return undefined;
  const stored = new Set(settling.map(({ act }) => act));
  const open = root.acts.findIndex((act) => !stored.has(act) && (act.state === "waiting" || act.state === "running"));
  // Actions behind the last one that is declared are not there yet.
  return plans[open < 0 ? root.acts.length : open] ?? plans.at(-1);
}

/** An outcome that no store takes is that of a failed action; where there is no room even for that, the run ends. */
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

/** A run as its waits reach it. */
interface Reached extends Pick<WaitingRun, "store" | "rest"> {
  readonly isOver: () => boolean;
}

/** The waits of a run, those that were stored before included. */
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
