import { createHash } from "node:crypto";
import { createHost, type Host, type HostOptions, type Resource } from "#runtime/process/host.ts";

/**
 * A host that gives equal results in every run: the clock stands still, ids count up, random bytes are a fixed stream. Waits are real, but
 * the clock moves by exactly the requested time, so that `time.ms` can be compared exactly.
 */
export function stillHost(options: HostOptions): Host {
  const host = createHost({ clock: 0, env: {}, ...options });
  const random = stream();
  let ids = 0;
  let passed = 0;
  return {
    ...host,
    uuid: () => `00000000-0000-4000-8000-${(++ids).toString(16).padStart(12, "0")}`,
    bytes: random,
    monotonic: () => passed,
    sleep: async (ms, signal) => {
      const until = passed + ms;
      await host.sleep(ms, signal);
      passed = Math.max(passed, until);
    },
  };
}

const threads = createHost({ env: {} });

/**
 * A still host that shares its threads with all hosts of this kind, because starting a thread is slow and a thread does not know its host.
 * Only for the runtime of the sources: a bundle has its own threads and its own class `Failure`.
 */
export function stillHostWithThreads(): Host {
  const host = stillHost({});
  const resource = <R extends Resource>(key: string, open: () => R): R => (key.startsWith("worker ") ? threads : host).resource(key, open);
  return { ...host, resource };
}

/** Bytes without end: hashes of a counter. */
function stream(): (length: number) => Buffer {
  let block = 0;
  let left = Buffer.alloc(0);
  return (length) => {
    while (left.length < length) left = Buffer.concat([left, createHash("sha256").update(String(block++)).digest()]);
    const taken = left.subarray(0, length);
    left = left.subarray(length);
    return Buffer.from(taken);
  };
}
