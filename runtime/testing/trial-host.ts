import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { createHost, type Host, type HostOptions, type Resource } from "../process/host.ts";

/** The threads of all trials of this process. Starting a thread takes longer than a test, and a thread does not depend on a host. */
export interface Threads {
  readonly of: Host;
}

export const openThreads = (): Threads => ({ of: createHost({ env: {} }) });

/**
 * A host on which everything is the same in every run: the clock stands still, ids count up, random bytes follow from the seed. A pause
 * ends at once, but counts as the time that it would have taken.
 */
export function trialHost(options: HostOptions, seed: string, threads: Threads): Host & { readonly passes: (ms: number) => Promise<void> } {
  const host = createHost(options);
  const random = stream(seed);
  const prefix = seed === "" ? "00000000" : createHash("sha256").update(seed).digest("hex").slice(0, 8);
  let ids = 0;
  let passed = 0;
  const pass = (ms: number): void => {
    passed += ms;
  };
  return {
    ...host,
    uuid: () => `${prefix}-0000-4000-8000-${(++ids).toString(16).padStart(12, "0")}`,
    bytes: random,
    monotonic: () => passed,
    sleep: async (ms, signal) => {
      const until = passed + ms;
      await setImmediate();
      signal.throwIfAborted();
      passed = Math.max(passed, until);
    },
    resource: <R extends Resource>(key: string, open: () => R): R => (key.startsWith("worker ") ? threads.of : host).resource(key, open),
    // The time limit of an action is a timer of the process, so that the delay of a slow stub is a real one.
    passes: async (ms) => {
      await (ms === 0 ? setImmediate() : host.sleep(ms, new AbortController().signal));
      pass(ms);
    },
  };
}

/** Replaces a resource that was not opened yet. */
export function putInPlace<R extends Resource>(host: Host, key: string, resource: R): void {
  if (host.resource<Resource>(key, () => resource) !== resource) throw new Error(`${key} is open already`);
}

/** Endless bytes: hashes of a counter, in pieces of the requested length. */
function stream(seed: string): (length: number) => Buffer {
  let block = 0;
  return (length) => createHash("shake256", { outputLength: length }).update(`${seed}:${block++}`).digest();
}
