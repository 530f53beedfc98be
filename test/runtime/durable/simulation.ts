import { MemoryRuns } from "#runtime/store/memory-runs.ts";
import type { Checkpoint, Held, Then } from "#runtime/store/runs.ts";
import { type Effect, type Shared, SimulatedNode } from "./simulated-nodes.ts";
import { effectsOf } from "./simulated-run.ts";
import { World } from "./simulated-world.ts";

const settings = { leaseMs: 3_000, renewMs: 1_000, pollMs: 250, outageMs: 500, mostTaken: 10 };

/** Milliseconds in which faults happen; what is left then must come to its end. */
const troubledMs = 12_000;

/** Milliseconds that the runs of a schedule may take. */
const mostMs = 180_000;

/** The account of one schedule. */
export interface Account {
  readonly accepted: number;
  readonly done: number;
  readonly effects: number;
  readonly repeats: number;
  readonly faults: number;
  /** Broken promises: none. */
  readonly broken: readonly string[];
}

/** Lets nodes be killed, stopped and ended while runs go on, over a network that loses and with a store that goes away: all by the seed. */
export async function simulate(seed: number): Promise<Account> {
  const world = new World(seed);
  const stored = new Map<string, { readonly at: number; readonly epoch: number }>();
  const broken: string[] = [];
  let skew = 0;
  const store = new NotedRuns(
    () => world.now + skew,
    (run, path, epoch) => {
      if (!stored.has(`${run} ${path}`)) stored.set(`${run} ${path}`, { at: world.now, epoch });
    },
  );
  const actions = ["A", "B", "C"].slice(0, 1 + world.pick(3));
  const shared: Shared = {
    ...{ world, settings, actions, effects: [], accepted: new Set(), gone: new Set(), downUntil: 0 },
    store,
    lost: world.pick(4) === 0 ? 0.1 : 0,
    strike: (node) => {
      if (world.now > troubledMs || world.chance() >= 0.01) return;
      strikes += 1;
      if (world.pick(2) === 0) node.process.stop(1_000 + world.pick(3 * settings.leaseMs));
      else {
        node.kill();
        nodes[nodes.indexOf(node)] = start();
      }
    },
  };
  let names = 0;
  let strikes = 0;
  // Clocks of nodes go up to a hundredth too fast or too slow.
  const start = (): SimulatedNode => new SimulatedNode(`node ${++names}`, shared, 0.99 + world.chance() * 0.02);
  const nodes = Array.from({ length: 2 + world.pick(2) }, start);
  const runs = Array.from({ length: 1 + world.pick(3) }, (_, n) => `run ${n}`);
  for (const id of runs) world.after(world.pick(8_000), () => nodes[world.pick(nodes.length)]?.ask(id));

  const faults = world.pick(7);
  for (let n = 0; n < faults; n++)
    world.after(world.pick(troubledMs), () => {
      const at = world.pick(nodes.length);
      const node = nodes[at];
      if (node === undefined) return;
      switch (world.pick(7)) {
        case 0:
        case 1:
          node.kill();
          nodes[at] = start();
          return;
        case 2:
          return node.process.stop(1_000 + world.pick(2 * settings.leaseMs));
        case 3:
          node.terminate();
          nodes[at] = start();
          return;
        case 4:
          shared.downUntil = world.now + world.pick(2 * settings.leaseMs);
          return;
        case 5:
          return node.loseSession(world.pick(settings.leaseMs));
        default:
          // The clock of the database jumps forward.
          skew += world.pick(3_600_000);
      }
    });
  world.after(troubledMs, () => {
    shared.lost = 0;
  });

  await world.run(troubledMs + 1_000);
  for (let until = troubledMs + 5_000; until <= mostMs; until += 5_000) {
    if ((await store.list({})).every(({ ended }) => ended !== null)) break;
    await world.run(until);
  }
  const done = (await Promise.all([...shared.accepted].map((id) => store.show(id)))).filter((run) => run?.status === "done");
  for (const id of shared.accepted) {
    const run = await store.show(id);
    if (run?.status !== "done") broken.push(`${id} was accepted, and is ${run?.status ?? "gone"}`);
    for (const action of actions.flatMap(effectsOf))
      if (!shared.effects.some((effect) => effect.run === id && effect.action === action)) broken.push(`${id} is over without ${action}`);
  }
  // A clock of the database that jumps forward ends leases early: then an effect of the older holder may still come.
  if (skew === 0) broken.push(...misplaced(shared, stored));
  const all = new Set(shared.effects.map(({ run, action }) => `${run} ${action}`));
  for (const { engine } of nodes) engine.close();
  return {
    ...{ accepted: shared.accepted.size, done: done.length, effects: shared.effects.length, faults: faults + strikes, broken },
    repeats: shared.effects.length - all.size,
  };
}

/** Effects that were sent where the store or a newer holder of the run says that they must not be. */
function misplaced(shared: Shared, stored: ReadonlyMap<string, { readonly at: number; readonly epoch: number }>): string[] {
  const broken: string[] = [];
  const { effects } = shared;
  const actions = shared.actions.flatMap(effectsOf);
  const newest = new Map<string, Effect>();
  const times = new Map<string, number>();
  for (const effect of effects) {
    const { run, action, epoch, sent, node } = effect;
    const point = stored.get(`${run} ${action}`);
    if (point !== undefined && point.at < sent) broken.push(`${node} repeats ${action} of ${run}, which is stored`);
    const [before] = actions.slice(0, actions.indexOf(action)).toReversed();
    if (before !== undefined && (stored.get(`${run} ${before}`)?.at ?? Number.POSITIVE_INFINITY) > sent)
      broken.push(`${node} begins ${action} of ${run} before ${before} is stored`);
    const last = newest.get(run);
    if (last === undefined || last.epoch <= epoch) newest.set(run, effect);
    else broken.push(`${node} sends ${action} of ${run} with epoch ${epoch}, after ${last.node} with ${last.epoch}`);
    const each = `${run} ${action} ${epoch}`;
    times.set(each, (times.get(each) ?? 0) + 1);
    if ((times.get(each) ?? 0) > 1) broken.push(`${node} sends ${action} of ${run} twice in epoch ${epoch}`);
  }
  return broken;
}

/** A store that tells which checkpoints it has taken. */
class NotedRuns extends MemoryRuns {
  readonly #note: (run: string, path: string, epoch: number) => void;

  constructor(clock: () => number, note: (run: string, path: string, epoch: number) => void) {
    super(clock);
    this.#note = note;
  }

  override async checkpoint(held: Held, points: readonly Checkpoint[], then: Then): Promise<"ok" | "fenced"> {
    const answer = await super.checkpoint(held, points, then);
    if (answer === "ok") for (const { path } of points) this.#note(held.id, path, held.epoch);
    return answer;
  }
}
