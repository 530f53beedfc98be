import type { Variables } from "#runtime/process/host.ts";
import type { Config } from "#runtime/run/interface.ts";
import type { TestRequest } from "#runtime/testing/test-request.ts";
import type { Trial } from "#runtime/testing/trial.ts";
import type { Threads } from "#runtime/testing/trial-host.ts";
import type { World } from "#runtime/testing/world.ts";
import type { Observer } from "#runtime/walk/observer.ts";
import type { AnalysedPlan } from "../5-analyse/index.ts";
import type { Live } from "../7-link/live.ts";
import { InternalError } from "../diagnostics/diagnostic.ts";
import type { Sources } from "../diagnostics/position.ts";
import { printAll } from "../pipeline.ts";

/** Compiled configurations whose interfaces can be run with stubs, any number of times. */
export interface Bench {
  /** Runs an interface once; every run starts with a fresh state, clock and seed. */
  readonly run: (config: string, request: TestRequest, world: World, observer?: Observer) => Promise<Trial>;
}

/** The environment of every run, beside the values of its test. */
export interface BenchSettings {
  readonly environment: string;
  readonly variables: Variables;
}

/** Compiles the configurations once, in this process. With `interpret` they are interpreted. The threads for runs outlive a bench. */
export async function openBench(
  live: Live,
  { plans, sources }: { readonly plans: readonly AnalysedPlan[]; readonly sources: Sources },
  threads: Threads,
  how: { readonly interpret?: boolean } = {},
): Promise<Bench> {
  const modules = await printAll({ plans, sources }, how);
  const { configs } = await live.evaluate(modules, undefined);
  const byFile = new Map(configs.map((config) => [fileOf(config), config]));
  const { trial } = live.trials();
  return {
    run: (file, request, world, observer) => {
      const config = byFile.get(file);
      if (config === undefined) throw new InternalError(`no module of ${file}`);
      return trial(config, request, world, threads, observer);
    },
  };
}

/** The file of a config, which the link has written into it. */
function fileOf({ action_places = "{}" }: Config): string {
  const { file }: { readonly file?: string } = JSON.parse(action_places);
  return file ?? "";
}

export type { Threads } from "#runtime/testing/trial-host.ts";
