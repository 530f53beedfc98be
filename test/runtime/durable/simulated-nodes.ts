import { keptParts } from "#runtime/durable/checkpoint-parts.ts";
import { Engine } from "#runtime/durable/engine.ts";
import type { EngineSettings } from "#runtime/durable/engine-settings.ts";
import { Identity } from "#runtime/durable/identity.ts";
import { RunKeeper } from "#runtime/durable/keeper.ts";
import { Outage } from "#runtime/store/outage.ts";
import type { OnSeen, RunStore } from "#runtime/store/runs.ts";
import { plansOf, SimulatedRun } from "./simulated-run.ts";
import { Process, type World } from "./simulated-world.ts";

// Nodes of the simulation: the engine and the keepers of the service as they are, and in the place of interfaces runs of a few actions.

/** A request as the service upstream sees it. */
export interface Effect {
  readonly run: string;
  readonly action: string;
  readonly epoch: number;
  readonly node: string;
  readonly sent: number;
}

/** All nodes share these. */
export interface Shared {
  readonly world: World;
  /** The store as it is, without a network before it. */
  readonly store: RunStore;
  readonly settings: EngineSettings;
  readonly actions: readonly string[];
  readonly effects: Effect[];
  /** Runs whose callers have been told that they are stored. */
  readonly accepted: Set<string>;
  /** Sessions of processes that have ended, and whose leases are still to be ended by other nodes. */
  readonly gone: Set<string>;
  /** How often an answer or a question is lost, from 0 to 1. */
  lost: number;
  /** The time until which the store does not answer. */
  downUntil: number;
  /** May strike the node at a moment at which something has just begun or ended. */
  readonly strike: (node: SimulatedNode) => void;
}

/** A node of the service: an engine in a process that may be killed or stopped, and a network between it and all else. */
export class SimulatedNode {
  readonly name: string;
  readonly process: Process;
  readonly engine: Engine;
  readonly #shared: Shared;
  #told: OnSeen | undefined;
  #isUnseen = false;

  constructor(name: string, shared: Shared, rate: number) {
    this.name = name;
    this.#shared = shared;
    this.process = new Process(shared.world, rate);
    const store = this.#remote(shared.store);
    this.engine = new Engine({ store, isLasting: true, node: name, timers: this.process, log: () => undefined, settings: shared.settings });
    this.engine.serve(plansOf(shared.actions), (claimed, confirmed) => {
      const { id, epoch, plan, seed } = claimed;
      const keeper = this.#keeper(id, seed, async () => undefined, {
        ...{ epoch, plan, waits: claimed.waits },
        ...keptParts(claimed.checkpoints),
      });
      keeper.confirmed = confirmed;
      this.engine.hold(keeper, true);
      keeper.takeIn();
      new SimulatedRun(this, keeper, shared.actions).begin();
    });
  }

  /** A caller asks for a run. */
  ask(id: string): void {
    this.process.whenAwake(() => {
      if (this.engine.isHandingOver) return;
      const seed = Buffer.from(id.padEnd(32)).toString("hex");
      const keeper: RunKeeper = this.#keeper(id, seed, async () => {
        try {
          const [plan = ""] = plansOf(this.#shared.actions);
          const run = { id, config: "c", interface: "i", bundle: "b", plan, input: "{}", seed, lease: this.engine.lease };
          await this.engine.store.create(run);
          this.#shared.accepted.add(id);
          return 1;
        } catch (error) {
          this.engine.health.failed(error);
          // The caller is told that there is no run, so there may be none.
          const undo = () => this.engine.store.cancel(id);
          void this.engine.insist(undo, () => !this.engine.isClosed);
          return undefined;
        }
      });
      new SimulatedRun(this, keeper, this.#shared.actions).begin();
    });
  }

  /** Sends a request, whose answer comes if the process lives. */
  send(request: Omit<Effect, "node" | "sent">, answered: () => void): void {
    const { world, effects } = this.#shared;
    this.#shared.strike(this);
    // Killed or stopped before it was sent.
    if (!this.process.isAlive) return;
    effects.push({ ...request, node: this.name, sent: world.now });
    this.#shared.strike(this);
    world.after(this.#latency(10_000), () => this.process.whenAwake(answered));
  }

  /** `kill -9`: its session ends, which others can see after a moment. */
  kill(): void {
    this.process.kill();
    this.#shared.world.after(1, () => this.#shared.gone.add(this.name));
  }

  /** Its session is lost for a while, which it hears at once, and others see after a moment. */
  loseSession(ms: number): void {
    const { world, gone } = this.#shared;
    if (!this.process.isAlive || this.process.isStopped || this.#told === undefined || this.#isUnseen) return;
    this.#isUnseen = true;
    this.#told(false);
    // Stopped just then, it goes on before its lease is over, when another node may have the run.
    if (world.pick(2) === 0) this.process.stop(world.pick((this.#shared.settings.leaseMs * 2) / 3));
    world.after(1, () => gone.add(this.name));
    world.after(1 + ms, () => {
      if (!this.process.isAlive) return;
      gone.delete(this.name);
      this.#isUnseen = false;
      this.process.whenAwake(() => this.#told?.(true));
    });
  }

  /** SIGTERM: hands its runs over, and ends some time later. */
  terminate(): void {
    this.process.whenAwake(() => this.engine.handOver());
    this.#shared.world.after(2_000, () => {
      if (this.process.isAlive) this.kill();
    });
  }

  #keeper(
    id: string,
    seed: string,
    create: () => Promise<number | undefined>,
    taken?: ConstructorParameters<typeof RunKeeper>[0]["taken"],
  ): RunKeeper {
    return new RunKeeper({
      ...{ id, engine: this.engine, plans: plansOf(this.#shared.actions), identity: new Identity(Buffer.from(seed, "hex")), create },
      ...{ random: () => "uuid" },
      ...{ seed: Buffer.from(seed, "hex"), left: () => undefined },
      breaks: (error) => {
        throw error;
      },
      ...(taken === undefined ? {} : { taken }),
    });
  }

  #latency(most: number): number {
    const { world } = this.#shared;
    return world.chance() < 0.05 ? world.pick(2 * most) : world.pick(most) / 10;
  }

  /** The store behind a network: a question may be lost, and so may be the answer to one that was heard. */
  #remote(store: RunStore): RunStore {
    const far = <Args extends readonly unknown[], Answer>(
      ask: (...args: Args) => Promise<Answer>,
    ): ((...args: Args) => Promise<Answer>) => {
      return (...args) =>
        new Promise((resolve, reject) => {
          const { world } = this.#shared;
          const fail = (): void => this.process.whenAwake(() => reject(new Outage("no answer")));
          world.after(this.#latency(10), () => {
            const isLost = world.chance() < this.#shared.lost || world.now < this.#shared.downUntil;
            if (isLost) {
              world.after(100, fail);
              return;
            }
            const answer = ask(...args);
            // The question has had its effect, and the node does not know it.
            this.#shared.strike(this);
            world.after(this.#latency(10), () => {
              if (world.chance() < this.#shared.lost) fail();
              else this.process.whenAwake(() => void answer.then(resolve, reject));
            });
          });
        });
    };
    const { gone } = this.#shared;
    const expireGone = async (): Promise<number> => {
      let count = 0;
      for (const node of gone) count += await store.expireNode(node);
      gone.clear();
      return count;
    };
    return {
      isLasting: true,
      create: far((run) => store.create(run)),
      claim: far((lease, plans, limit) => store.claim(lease, plans, limit)),
      renew: far((lease, held) => store.renew(lease, held)),
      checkpoint: far((held, points, then) => store.checkpoint(held, points, then)),
      resume: far((hash, payload) => store.resume(hash, payload)),
      cancel: far((id) => store.cancel(id)),
      retry: far((id, again) => store.retry(id, again)),
      expireNode: far((node) => store.expireNode(node)),
      attend: far(async (_, told) => {
        this.#told = told;
      }),
      probe: far(async () => undefined),
      expireGone: far(expireGone),
      nextDue: far((plans) => store.nextDue(plans)),
      list: far((filter) => store.list(filter)),
      show: far((id) => store.show(id)),
      outputs: far((id) => store.outputs(id)),
      stuck: far((plans, limit) => store.stuck(plans, limit)),
      prune: far((before) => store.prune(before)),
      now: far(() => store.now()),
      close: () => undefined,
    };
  }
}
