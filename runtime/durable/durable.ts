import { bundle } from "../capture/bundle.ts";
import type { Host } from "../process/host.ts";
import { nodeName } from "../process/node-name.ts";
import type { Durable, OptionsOf } from "../run/caller.ts";
import type { Config, Interface } from "../run/interface.ts";
import { LiveRun } from "../run/live-run.ts";
import { type Refusal, refusals } from "../run/refusals.ts";
import type { Run } from "../run/run.ts";
import { runsOf } from "../store/open-runs.ts";
import type { ClaimedRun } from "../store/runs.ts";
import { traceAlone } from "../tracing/run-span.ts";
import { keptParts } from "./checkpoint-parts.ts";
import { Engine } from "./engine.ts";
import { DurableExecution } from "./execution.ts";
import { Identity } from "./identity.ts";
import { inputText, readInput } from "./input.ts";
import { RunJournal } from "./journal.ts";
import { RunKeeper } from "./keeper.ts";
import { answerOperator } from "./operator.ts";
import { receiveOrder } from "./order-body.ts";
import { patiently } from "./patience.ts";
import { prune } from "./pruner.ts";
import { type Timers, timersOf } from "./timers.ts";

/** Bytes of the seed from which a run derives the values that it generates. */
const seedBytes = 32;

/** The engine of a process, created for its first durable run or configuration. */
export const engineOf = (host: Host): Engine =>
  host.resource("durable runs", () => {
    const store = runsOf(host);
    const parts = { store, isLasting: store.isLasting, node: nodeName(host), timers: clockOf(host), log: host.log };
    const engine = new Engine(parts);
    prune(engine, host.limits.runsKeptMs);
    return engine;
  });

/** The clock of leases. A trial replaces it, since a pause of its run is over at once. */
const clockOf = (host: Host): Timers => host.resource("clock of leases", () => ({ ...timersOf(host.monotonic), close: () => undefined }));

/** Keeps the runs of an interface in the store (spec/surfaces 14). */
export const durable = ({ plans }: Pick<Durable<Run>, "plans">): Durable<Run> => ({
  plans,
  begin: (run, options) => begin(run, options, plans),
  answer: (host, asked) => answerOperator(engineOf(host), asked),
  receive: receiveOrder,
});

function begin(run: Run, options: OptionsOf<Run>, plans: readonly string[]): void {
  const { host } = run;
  const engine = engineOf(host);
  const seed = host.bytes(seedBytes);
  const keeper = new RunKeeper({
    id: run.id,
    engine,
    plans,
    identity: new Identity(seed),
    random: host.uuid,
    seed,
    create: async () => {
      const refusal = await create(engine, run, plans[0] ?? "", seed);
      if (refusal === undefined) execution.stored();
      else execution.refused(refusal);
      return refusal === undefined ? 1 : undefined;
    },
    left: (why) => execution.left(why),
    breaks: (error) => run.break(error),
  });
  run.journal = new RunJournal(keeper);
  const execution = new DurableExecution(run, options, keeper);
  execution.begin();
}

/** Marks the node as alive in the store. A failure refuses no run: other nodes then rely on the leases alone. */
const attend = (engine: Engine): Promise<void> => engine.presence.attend().catch(() => undefined);

/** Stores a run that begins here; gives the answer for its caller when the store refuses it or does not answer in time. */
async function create(engine: Engine, run: Run, plan: string, seed: Buffer): Promise<Refusal | undefined> {
  if (engine.health.isDown) return refusals.runStoreUnavailable;
  const { id, config, interface: target } = run;
  const text = { bundle, plan, input: inputText(run), seed: seed.toString("hex") };
  const creating = attend(engine).then(() =>
    engine.store.create({ id, config: config.name, interface: target.name, ...text, lease: engine.lease }),
  );
  try {
    await patiently(engine, creating);
    engine.health.written();
    return undefined;
  } catch (error) {
    if (!engine.gaveUp(error)) return refusals.internalError;
  }
  // The caller has been told that the run does not exist, so it must not run later either.
  const undo = (): void => engine.insistAlone(() => engine.store.cancel(id));
  void creating.then(undo, undo);
  return refusals.runStoreUnavailable;
}

/** The parts of a run that were stored as texts; undefined when another program has written them. */
function readKept({ input, checkpoints }: ClaimedRun) {
  try {
    return { input: readInput(input), kept: keptParts(checkpoints) };
  } catch {
    return undefined;
  }
}

/** Continues a run that this node has claimed. */
export function resume(
  host: Host,
  { config, target }: { readonly config: Config; readonly target: Interface },
): (run: ClaimedRun, confirmed: number) => void {
  const engine = engineOf(host);
  return (claimed, confirmed) => {
    const { id, epoch, plan, seed, waits } = claimed;
    const parts = readKept(claimed);
    if (parts === undefined) {
      const why = "a durable run cannot be read, so it waits: was it sealed with another PIPEWRIGHT_RUNS_KEY?";
      host.log("error", why, { config: config.name, interface: target.name, run_uuid: id });
      engine.putOff(claimed);
      return;
    }
    const { input, kept } = parts;
    const run = new LiveRun(host, config, target, input);
    const keeper: RunKeeper = new RunKeeper({
      id,
      engine,
      plans: target.durable?.plans ?? [],
      identity: new Identity(Buffer.from(seed, "hex")),
      random: host.uuid,
      seed: Buffer.from(seed, "hex"),
      taken: { epoch, plan, waits, ...kept },
      create: async () => undefined,
      left: (why) => execution.left(why),
      breaks: (error) => run.break(error),
    });
    keeper.confirmed = confirmed;
    engine.hold(keeper, true);
    run.journal = new RunJournal(keeper);
    traceAlone(run, host.tracer);
    const execution = new DurableExecution(run, {}, keeper);
    keeper.takeIn();
    execution.begin();
  };
}
