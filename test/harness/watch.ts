import type { Config, Interface } from "#runtime/run/interface.ts";
import type { Act, Run } from "#runtime/run/run.ts";
import type { Json } from "#runtime/value/json.ts";

/** The outcome of an action, even when the response hides the action. */
export interface Outcome {
  readonly name: string;
  readonly state: string;
  readonly data: Json;
  readonly message: string | undefined;
  readonly error: string | undefined;
  readonly errors: readonly string[] | undefined;
  readonly code: number | undefined;
  readonly upstream: number | undefined;
  readonly ms: number;
  readonly cancelled: boolean;
}

/** One watched run: starts and ends of its actions in order, and finally their outcomes. */
export interface Watched {
  readonly run: Run;
  /** `A starts`, `A ends`. */
  readonly steps: readonly string[];
}

/** A config whose runs are recorded in `runs`. It behaves as the given config. */
export function watched(config: Config): { readonly config: Config; readonly runs: readonly Watched[] } {
  const runs: Watched[] = [];
  const interfaces = config.interfaces.map((target): Interface => ({ ...target, run: (cx) => target.run(noted(cx, runs)) }));
  return { config: { ...config, interfaces }, runs };
}

function noted(cx: Run, runs: Watched[]): Run {
  const steps: string[] = [];
  const start = cx.act.bind(cx);
  const act: Run["act"] = (name, ...[first, second]) => {
    const [spec, attempt] = second === undefined ? [{}, first] : [first, second];
    return start(name, spec, (act) => {
      steps.push(`${name} starts`);
      const end = (): number => steps.push(`${name} ends`);
      try {
        const result = attempt(act);
        // The run gets the original promise, because a chained one would make it wait a turn longer.
        if (result instanceof Promise) result.then(end, end);
        else end();
        return result;
      } catch (error) {
        end();
        throw error;
      }
    });
  };
  Object.defineProperty(cx, "act", { value: act });
  runs.push({ run: cx, steps });
  return cx;
}

/** Waits for the actions of a run that has been answered already. It does not wait for a run that has left the process. */
export async function settled({ run }: Watched): Promise<void> {
  const deadline = performance.now() + 60_000;
  const hasLeft = (): boolean => run.journal !== undefined && run.cancellation.aborted;
  while (!run.acts.every((act) => act.settled) && !hasLeft()) {
    if (performance.now() > deadline) throw new Error(`${run.interface.name} still runs after 60 s`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export const outcomes = ({ run }: Watched): readonly Outcome[] => run.declared.map(outcomeOf);

function outcomeOf({ name, state, data, message, error, errors, code, upstream, ms, cancelled }: Act): Outcome {
  return { name, state, data, message, error, errors, code, upstream, ms, cancelled };
}
