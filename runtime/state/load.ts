import { touches } from "../outgoing/touches.ts";
import type { Act, Run } from "../run/run.ts";
import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import { stateFor } from "./open.ts";
import { checkName } from "./store.ts";

/** The value of `KEY`, or of `NAMESPACE.KEY` split at the first dot (spec/language 2.4); null when there is none. */
export async function loadState(name: string, run: Run, act?: Act): Promise<Json> {
  const { config } = run;
  const dot = name.indexOf(".");
  const namespace = dot < 0 ? config.name : name.slice(0, dot);
  const key = name.slice(dot + 1);
  checkName("key", key);
  checkName("namespace", namespace);
  touches(run, { kind: "state", name: key, of: namespace, verb: "get" });
  return (await stateFor(run, act).get({ namespace, key }))?.value ?? null;
}

/** Loads values for the markers that a run reads outside of attempts. A value that cannot be loaded fails the marker that reads it. */
export async function loadStates(run: Run, ...names: readonly string[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      try {
        run.keep(name, await loadState(name, run));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        run.keep(name, error);
      }
    }),
  );
}
