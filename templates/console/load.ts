import { useEffect, useState } from "preact/hooks";
import { Refused } from "./api.ts";

/** A value that is being loaded: both members are absent at first, and `problem` says why loading failed. */
export interface Loading<Value> {
  readonly value?: Value;
  readonly problem?: Refused;
}

/** Gets an event `refused` when any request was refused because of a wrong API key. */
export const refusedKey = new EventTarget();

export const refusalOf = (error: unknown): Refused => {
  const refusal = error instanceof Refused ? error : new Refused(0, String(error));
  if (refusal.status === 401) refusedKey.dispatchEvent(new Event("refused"));
  return refusal;
};

/**
 * Loads a value when the component appears and whenever a member of `of` changes; with `everyMs` also at that interval in milliseconds.
 * With `stays` the previous value is shown until the new one has arrived, because both are versions of one thing.
 */
export function useLoaded<Value>(read: () => Promise<Value>, of: readonly unknown[], everyMs?: number, stays = false): Loading<Value> {
  const [loading, setLoading] = useState<Loading<Value>>({});
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      read()
        .then(
          (value) => isOver || setLoading({ value }),
          (error: unknown) => isOver || setLoading((before) => ({ ...before, problem: refusalOf(error) })),
        )
        .finally(() => {
          if (everyMs !== undefined && !isOver) timer = setTimeout(look, document.hidden ? everyMs * 5 : everyMs);
        });
    };
    if (!stays) setLoading({});
    look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, of);
  return loading;
}
