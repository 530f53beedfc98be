import type { WorkOwner } from "#runtime/threads/slices.ts";

/** An action whose clock stands still, so that work for it is done in one slice. */
export const idleAct: WorkOwner = { run: { host: { monotonic: () => 0 } }, signal: new AbortController().signal };

/** An action whose clock moves a second at each reading, so that its time slice is always over. */
export function busyAct(): WorkOwner {
  let time = 0;
  return { run: { host: { monotonic: () => (time += 1_000) } }, signal: new AbortController().signal };
}
