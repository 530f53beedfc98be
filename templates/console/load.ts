import { useEffect, useState } from "preact/hooks";
import { Refused } from "./api.ts";

/** A value on its way: absent at first, or why there is none. */
export interface Loading<Value> {
  readonly value?: Value;
  readonly problem?: Refused;
}

/** Called when the key is not right, wherever that was noticed. */
export const refusedKey = new EventTarget();

export const refusalOf = (error: unknown): Refused => {
  const refusal = error instanceof Refused ? error : new Refused(0, String(error));
  if (refusal.status === 401) refusedKey.dispatchEvent(new Event("refused"));
  return refusal;
};

/**
 * Reads a value whenever one of `of` changes, and again every so many milliseconds where that is said. `stays`: the value before is shown
 * until the new one is there, since it is another version of the same thing.
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
