import { ownFolder } from "../../harness/captured.ts";

/** Where the running test records. */
export let store: ReturnType<typeof ownFolder>;

/** Makes the folder of a test. */
export function newStore(): void {
  store = ownFolder();
}

/** Removes it. */
export function removeStore(): void {
  store.remove();
}

/** Both ways to run a configuration. */
export const both = [
  ["printed", false],
  ["walked", true],
] as const;
