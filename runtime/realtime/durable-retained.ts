import { setImmediate } from "node:timers/promises";
import type { Host } from "../process/host.ts";
import { stateAddress } from "../state/durability.ts";
import { stateOf } from "../state/open.ts";
import { ownNamespaces, type RetainingProtocol } from "../state/own-namespaces.ts";
import type { StateStore } from "../state/store.ts";
import { isObject, type Json } from "../value/json.ts";
import { messageOf } from "../value/thrown.ts";

/** The most messages that are read or written at the same time. */
const atOnce = 10;

/** How often the writing of a list that other processes change, too, is repeated at once. */
const mostTries = 10;

/** The most channels whose changes wait while the store does not answer; changes of further channels are not stored. */
const mostWaiting = 100_000;

/** Milliseconds until a store that did not answer is asked again. */
const pause = 5_000;

/** True where the state outlives the process (spec/surfaces 0). */
export const hasDurableState = (host: Host): boolean => stateAddress(host) !== "";

/** A part that keeps retained messages in memory, by channel or topic. */
export interface Retaining {
  /** Sets the function `keep`. It is called with every retained message, and with null for a channel whose retained message was removed. */
  readonly keepWith: (keep: (channel: string, data: Json) => void) => void;
  /** Takes a message that was retained before this process began, unless a newer one was published since. */
  readonly restore: (channel: string, data: Json) => void;
}

/**
 * Retained messages in the durable state (spec/surfaces 3 and 4): each has a key of its own, and all processes together maintain a list of
 * their channels. Channels answer from memory; a change is written soon after, only the last message of each channel.
 */
export class DurableRetained {
  readonly #host: Host;
  readonly #channels: Retaining;
  readonly #kind: string;
  readonly #messages: string;
  readonly #list: string;
  /** The messages to be written, by channel; null removes a message. */
  #changed = new Map<string, Json>();
  #writing: Promise<void> | undefined;
  #loading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** `kind` keeps the messages of different protocols apart. */
  constructor(host: Host, channels: Retaining, kind: RetainingProtocol = "ws") {
    const owner = `${host.organisation} ${host.environment}`;
    this.#host = host;
    this.#channels = channels;
    this.#kind = kind;
    this.#messages = ownNamespaces.retained(kind, owner);
    this.#list = ownNamespaces.channels(kind, owner);
    channels.keepWith((channel, data) => {
      if (this.#changed.size < mostWaiting || this.#changed.has(channel)) this.#changed.set(channel, data);
      // While `#timer` runs, the store gets time to recover.
      if (this.#timer === undefined) void this.flush();
    });
  }

  /** Reads the retained messages, once. If the store does not answer, the process logs that and serves without them. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => this.#say("cannot be read", error));
    return this.#loading;
  }

  /** Writes all changes; never rejects. */
  flush(): Promise<void> {
    this.#writing ??= this.#write();
    return this.#writing;
  }

  /** Stops writing, because the store is about to be closed. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #load(): Promise<void> {
    const store = stateOf(this.#host);
    const { names } = await this.#names(store);
    await each([...names], async (channel) => {
      const entry = await store.get({ namespace: this.#messages, key: channel });
      if (entry !== undefined && isObject(entry.value)) this.#channels.restore(channel, entry.value.data ?? null);
    });
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // Changes of the same turn are written together.
    await null;
    let goesOn = true;
    while (goesOn && this.#changed.size > 0 && !this.#isStopped) goesOn = await this.#writeChanged();
    // The field is cleared in the same turn as the last look, so that no change comes in between.
    this.#writing = undefined;
  }

  /** Writes the changes; false when they have to be tried again later. */
  async #writeChanged(): Promise<boolean> {
    const changed = this.#changed;
    this.#changed = new Map();
    try {
      await this.#store(stateOf(this.#host), changed);
      return true;
    } catch (error) {
      // A message that has changed since then takes precedence.
      this.#changed = new Map([...changed, ...this.#changed]);
      if (this.#isStopped) return false;
      this.#say(`cannot be written, and will be tried again in ${pause / 1_000} s`, error);
      this.#timer = setTimeout(() => void this.flush(), pause);
      this.#timer.unref();
      return false;
    }
  }

  /** Writes messages before the list that names them, so that a reader of the list finds them. */
  async #store(store: StateStore, changed: ReadonlyMap<string, Json>): Promise<void> {
    await each([...changed], async ([key, data]) => {
      if (data !== null) await store.set({ namespace: this.#messages, key }, { data }, {});
      else await store.delete({ namespace: this.#messages, key });
    });
    for (let tries = 0; tries < mostTries; tries++) {
      const { names, version } = await this.#names(store);
      const next = new Set(names);
      for (const [channel, data] of changed) {
        if (data === null) next.delete(channel);
        else next.add(channel);
      }
      if (next.size === names.size && [...next].every((name) => names.has(name))) return;
      const newVersion = await store.set({ namespace: this.#list, key: "channels" }, [...next], { expected: version });
      if (newVersion !== undefined) return;
    }
    throw new Error("the list of channels is changed by others all the time");
  }

  async #names(store: StateStore): Promise<{ readonly names: ReadonlySet<string>; readonly version: number }> {
    const { value = [], version = 0 } = (await store.get({ namespace: this.#list, key: "channels" })) ?? {};
    return { names: new Set(Array.isArray(value) ? value.filter((name) => typeof name === "string") : []), version };
  }

  #say(problem: string, error: unknown): void {
    this.#host.log("warn", `${this.#kind}: retained messages ${problem}: ${messageOf(error)}`);
  }
}

/** Does work on a few items at a time. Between them other work has its turns, because a store in a file answers at once. */
async function each<T>(all: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = all.values();
  const next = async (): Promise<void> => {
    for (const item of queue) {
      await work(item);
      await setImmediate();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, next));
}
