import { readJson } from "../formats/json-text.ts";
import { agentOf } from "../outgoing/agents.ts";
import type { Host, Resource } from "../process/host.ts";
import { Recent } from "../value/recent.ts";
import type { KeyFinder } from "./jwt.ts";
import { type KeySet, keySetOf } from "./key-set.ts";

// Times are in milliseconds, and are a choice where decisions and design say nothing.

/** A set is fetched again at its next use after this time. */
const fresh = 600_000;
/** The least time between two fetches for a missing key, because any caller may send unknown key ids (spec/surfaces 10). */
const cooldown = 30_000;
/** For this time after a failure the provider is not asked again. */
const pause = 10_000;
/** How long a set is still used when it cannot be fetched. */
const longest = 3_600_000;
const timeout = 5_000;
const maxBytes = 262_144;

interface KeySetState {
  set: KeySet | undefined;
  fetched: number;
  tried: number;
  fetching: Promise<void> | undefined;
}

/** The key sets of providers, each fetched once for all runs of the process. */
class KeySets implements Resource {
  readonly #host: Host;
  readonly #known = new Recent<KeySetState>(100);

  constructor(host: Host) {
    this.#host = host;
  }

  /** Finds the key of a token; a key that the set does not have may be in a newer one. */
  finder(url: URL): KeyFinder {
    return async (alg, kid) => {
      const set = await this.#current(url, false);
      if (set === undefined) return "no key set";
      const key = set(alg, kid);
      if (typeof key !== "string") return key;
      const newer = await this.#current(url, true);
      return newer === set ? key : (newer?.(alg, kid) ?? "no key set");
    };
  }

  async #current(url: URL, missing: boolean): Promise<KeySet | undefined> {
    const state = this.#of(url);
    if (state.fetching !== undefined || this.#isDue(state, missing)) {
      state.fetching ??= this.#fetch(url, state);
      await state.fetching;
    }
    return this.#host.monotonic() - state.fetched > longest ? undefined : state.set;
  }

  #isDue({ set, fetched, tried }: KeySetState, missing: boolean): boolean {
    const now = this.#host.monotonic();
    if (now - tried < pause) return false;
    return set === undefined || now - fetched >= (missing ? cooldown : fresh);
  }

  #of({ href }: URL): KeySetState {
    const state = this.#known.get(href);
    if (state !== undefined) return state;
    const fresh: KeySetState = { set: undefined, fetched: 0, tried: Number.NEGATIVE_INFINITY, fetching: undefined };
    this.#known.set(href, fresh);
    return fresh;
  }

  /** When a set cannot be fetched, the last one stays in use. The log shows the address without its query, which may be secret. */
  async #fetch(url: URL, state: KeySetState): Promise<void> {
    try {
      state.set = await keySet(this.#host, url);
      state.fetched = this.#host.monotonic();
    } catch (error) {
      const reason = error instanceof Error ? error.message : "failed";
      this.#host.log("warn", `key set of ${url.origin}${url.pathname}: ${reason}`);
    } finally {
      state.tried = this.#host.monotonic();
      state.fetching = undefined;
    }
  }

  close(): void {}
}

/** Fetches a set: no redirects, bounded in time and size. */
async function keySet(host: Host, { origin, pathname, search }: URL): Promise<KeySet> {
  const agent = await agentOf(host, undefined);
  const headers = { accept: "application/jwk-set+json, application/json" };
  const signal = AbortSignal.timeout(timeout);
  const { statusCode, body } = await agent.request({ origin, path: `${pathname}${search}`, method: "GET", headers, signal });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  if (statusCode !== 200) throw new Error(`status ${statusCode}`);
  const read = readJson(Buffer.concat(chunks).toString("utf8"));
  if (!("value" in read)) throw new Error(read.reason ?? "no JSON");
  const set = keySetOf(read.value);
  if (set === undefined) throw new Error("not a set of keys");
  return set;
}

/** Finds the key of a token in the set at this address; undefined when it is no address of HTTP. */
export function keyFinder(host: Host, address: string): KeyFinder | undefined {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  return host.resource("jwks", () => new KeySets(host)).finder(url);
}
