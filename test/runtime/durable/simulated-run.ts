import type { RunKeeper } from "#runtime/durable/keeper.ts";
import { RunSteps } from "#runtime/durable/steps.ts";
import type { KeptAct, KeptRun, Outcome } from "#runtime/run/journal.ts";
import { stepPath } from "#runtime/store/run-paths.ts";
import { Failure } from "#runtime/value/failure.ts";

// Runs of the simulation. Each action sends one request. One action consists of steps that each send one, and asks a question in between,
// which gets no answer.

/** The action that consists of steps. */
const stepped = "B";

/** The effects of an action, in order, by the paths under which they are stored. */
export const effectsOf = (action: string): readonly string[] =>
  action === stepped ? ["one", "two"].map((step) => stepPath(action, 0, step)) : [action];

/** Milliseconds for which the question stays without an answer. */
const questionMs = 700;

/** Hashes of the plan from each action on. */
export const plansOf = (actions: readonly string[]): readonly string[] => [...actions.map((_, at) => `plan ${at}`), "end"];

/** A node, as its runs send requests by it. */
interface Sender {
  readonly send: (request: { readonly run: string; readonly action: string; readonly epoch: number }, answered: () => void) => void;
}

/** The run of one process, as the steps of an interface would go. */
export class SimulatedRun implements KeptRun {
  readonly acts: KeptAct[];
  readonly #node: Sender;
  readonly #keeper: RunKeeper;

  constructor(node: Sender, keeper: RunKeeper, actions: readonly string[]) {
    this.#node = node;
    this.#keeper = keeper;
    this.acts = actions.map((name) => ({ ...fresh, name, run: this, spec: {} }));
  }

  begin(): void {
    for (const act of this.acts) {
      const outcome = this.#keeper.outcomeAt(act.name, act);
      if (outcome !== undefined) Object.assign(act, outcome);
    }
    this.goOn();
  }

  goOn(): void {
    const act = this.acts.find(({ state }) => state === "waiting" || state === "running");
    if (act === undefined) void this.#keeper.finish({ status: "done", result: "{}" });
    else if (act.state === "waiting" && !this.#keeper.holds(this)) this.#attempt(act);
  }

  break(error: unknown): void {
    throw error;
  }

  #attempt(act: KeptAct): void {
    act.state = "running";
    this.#keeper.attempt(act, act.name, () => {
      const settle = (): void => {
        if (this.#keeper.isOver) return;
        act.state = "succeeded";
        this.#keeper.keep(act, act.name, () => this.goOn());
      };
      // A run that goes on elsewhere rejects.
      (act.name === stepped ? this.#steps(act) : this.#send(act.name)).then(settle, (error: unknown) => {
        if (!(error instanceof Failure)) this.break(error);
      });
    });
  }

  async #steps(act: KeptAct): Promise<void> {
    const steps = new RunSteps(this.#keeper, Object.assign(act, { tries: 0 }), act.name);
    const [one = "", two = ""] = effectsOf(act.name);
    await steps.once("one", () => this.#send(one));
    const { state } = await steps.ask("question", { question: null, ms: questionMs, tell: async () => true });
    if (state !== "late") throw new Error(`nobody answers, and the question is ${state}`);
    await steps.once("two", () => this.#send(two));
  }

  /** Sends a request, unless the run goes on elsewhere; resolves with the answer. */
  async #send(action: string): Promise<void> {
    this.#keeper.touches();
    await new Promise<void>((resolve) => this.#node.send({ run: this.#keeper.id, action, epoch: this.#keeper.epoch }, resolve));
  }
}

const fresh: Outcome = {
  state: "waiting",
  ...{ data: null, message: undefined, error: undefined, failure: undefined, errors: undefined, code: undefined },
  ...{ reply: undefined, okCode: undefined, upstream: undefined, ms: 0, ran: true, dropped: false, internal: false, broken: false },
};
