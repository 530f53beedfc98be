import type { Act } from "../../../run/run.ts";
import { bytesOfLine, checkedName } from "./headers.ts";

/** A key by which the service knows a repetition (spec/language 5.1.1). */
export interface Idempotency {
  readonly key?: string | null;
  readonly header?: string | null;
}

/** Adds the key. All attempts send the key of the first one, even if a marker would give another one later (spec/language 3.6). */
export function addIdempotencyKey(act: Act, { key, header }: Idempotency, headers: Map<string, string>): void {
  const name = checkedName((header || "Idempotency-Key").toLowerCase());
  headers.set(name, bytesOfLine(keyOf(act, key), name));
}

function keyOf(act: Act, configured: string | null | undefined): string {
  const { keys } = act.run.host.resource("idempotency keys", () => ({ keys: new WeakMap<Act, string>(), close: () => undefined }));
  const previous = keys.get(act);
  if (previous !== undefined) return previous;
  const key = configured || generated(act, configured !== undefined);
  keys.set(act, key);
  return key;
}

/**
 * A key whose marker is unset or an empty text counts as left out (spec/language 5.1.1). The author is warned, because repetitions of the
 * run are then not recognised.
 */
function generated({ run, name }: Act, wasWritten: boolean): string {
  if (wasWritten) {
    const { config, interface: target, id } = run;
    const at = { config: config.name, interface: target.name, action: name, run_uuid: id };
    run.host.log("warn", "idempotency key is unset, a new one is used", at);
  }
  return run.uuid();
}
