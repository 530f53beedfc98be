import { payloadOf } from "../durable/callbacks.ts";
import { engineOf, resume } from "../durable/durable.ts";
import type { Host } from "../process/host.ts";
import { background } from "../run/end/background.ts";
import type { Config } from "../run/interface.ts";
import { MemoryRuns } from "../store/memory-runs.ts";
import { actionOfPath, isOfToken, waitOfToken } from "../store/run-paths.ts";
import type { Checkpoint, Held, RunDetails, Then } from "../store/runs.ts";
import type { Effects } from "./effects.ts";
import type { Callback, World } from "./world.ts";

/**
 * The durable runs of a trial. A run that waits leaves, as in production; then its callback arrives at once, and the run continues. A delay
 * passes only by the clock of this store, while the clock of the run stands still.
 */
export class StubbedRuns extends MemoryRuns {
  override readonly isLasting = true;
  /** The number of answers of each stub. */
  readonly counts: number[];
  /** The configuration whose interfaces continue runs. */
  config: Config | undefined;
  readonly #host: Host;
  readonly #world: Pick<World, "callbacks" | "outside">;
  readonly #effects: Effects;
  readonly #passed: { ms: number };
  /** Functions that release the trial, by run: the trial waits for runs that have left. */
  readonly #holds = new Map<string, () => void>();
  /** Tokens whose callback has been decided. */
  readonly #asked = new Set<string>();

  constructor(host: Host, world: Pick<World, "callbacks" | "outside">, effects: Effects) {
    const passed = { ms: 0 };
    super(() => host.now() + passed.ms);
    this.#passed = passed;
    this.#host = host;
    this.#world = world;
    this.#effects = effects;
    this.counts = world.callbacks.map(() => 0);
  }

  override async checkpoint(held: Held, points: readonly Checkpoint[], then: Then): Promise<"ok" | "fenced"> {
    const outcome = await super.checkpoint(held, points, then);
    if (outcome === "ok" && then.finish !== undefined) this.#over(held.id);
    if (outcome === "ok" && then.release !== undefined) await this.#left(held.id);
    return outcome;
  }

  /** Sends a run its callbacks, or lets the time pass until its first wait is over. */
  async #left(id: string): Promise<void> {
    if (!this.#holds.has(id)) this.#holds.set(id, background(this.#host).hold());
    this.#serve();
    const run = await this.show(id);
    if (run === undefined) return;
    let isResumed = false;
    for (const { name, tokenHash } of asking(run)) {
      if (this.#asked.has(tokenHash)) continue;
      this.#asked.add(tokenHash);
      const callback = this.#callback(name);
      if (callback === undefined) {
        await this.cancel(id);
        this.#over(id);
        return;
      }
      if (callback === "late") continue;
      await this.resume(tokenHash, payloadOf(this.#host, callback.body, callback.headers));
      isResumed = true;
    }
    if (!isResumed && run.due !== null) this.#passed.ms += Math.max(0, run.due - (await this.now()));
  }

  /** Releases the trial, because the run has ended or cannot continue. */
  #over(id: string): void {
    this.#holds.get(id)?.();
    this.#holds.delete(id);
  }

  #callback(name: string): Callback | undefined {
    const { callbacks: stubs, outside } = this.#world;
    const index = stubs.findIndex(({ action }) => action === name);
    const stub = stubs[index];
    const count = this.counts[index] ?? 0;
    const callback = stub?.callbacks[stub.inTurn ? count : 0] ?? outside?.callback(name);
    if (stub !== undefined) this.counts[index] = count + 1;
    if (callback === undefined) this.#effects.lacks(stub === undefined ? unanswered(name) : spent(name, stub.callbacks.length));
    return callback;
  }

  #serve(): void {
    const { config } = this;
    const engine = engineOf(this.#host);
    if (config === undefined || engine.isServing) return;
    for (const target of config.interfaces)
      if (target.durable !== undefined) engine.serve(target.durable.plans, resume(this.#host, { config, target }));
  }
}

/** The waits that have begun and that a callback may end, with the names of their actions. */
function asking({ waits }: RunDetails): readonly { readonly name: string; readonly tokenHash: string }[] {
  const begun = new Set(waits.map(({ path }) => path));
  return waits.flatMap(({ path, tokenHash, state }) =>
    isOfToken(path) && state === "open" && begun.has(waitOfToken(path)) ? [{ name: nameOf(waitOfToken(path)), tokenHash }] : [],
  );
}

/** The name of an action, without the loops around it. */
const nameOf = (path: string): string => actionOfPath(path).replace(/^.*\]\//s, "");

const unanswered = (name: string): string =>
  `the run waits for somebody at ${name}, and the test does not say what comes: given: { callbacks: { ${name}: { body: … } } }, or { late: true }`;

const spent = (name: string, many: number): string => `the run waits for somebody at ${name} once more than callbacks are given (${many})`;
