import type { Json } from "../value/json.ts";

export interface Member {
  readonly id: string;
  readonly state: Json;
}

/** A change of a member, for listeners of the channel. */
export interface PresenceEvent extends Member {
  readonly action: "enter" | "leave" | "update";
}

/** The listeners that are present with an id, and the state that the last of them has set. */
interface Present<T> {
  readonly by: Set<T>;
  state: Json;
}

/**
 * The clients that are present in each channel (spec/surfaces 3). An id may be present by several listeners, such as two windows of one
 * user: it leaves when the last one leaves.
 */
export class Presence<T> {
  readonly #channels = new Map<string, Map<string, Present<T>>>();
  /** The id of each listener, by channel. */
  readonly #ids = new Map<T, Map<string, string>>();

  /** The number of channels in which a listener is present. */
  countOf(listener: T): number {
    return this.#ids.get(listener)?.size ?? 0;
  }

  isIn(channel: string, listener: T): boolean {
    return this.#ids.get(listener)?.has(channel) ?? false;
  }

  /** Enters a channel. A listener has one id in a channel: when it enters with another one, the first leaves. */
  enter(channel: string, listener: T, { id, state }: Member): readonly PresenceEvent[] {
    const before = this.#ids.get(listener)?.get(channel);
    const left = before === undefined || before === id ? [] : this.leave(channel, listener);
    const members = this.#channels.get(channel) ?? new Map<string, Present<T>>();
    const present = members.get(id);
    this.#channels.set(channel, members.set(id, { by: (present?.by ?? new Set<T>()).add(listener), state }));
    this.#ids.set(listener, (this.#ids.get(listener) ?? new Map<string, string>()).set(channel, id));
    return [...left, { action: present === undefined ? "enter" : "update", id, state }];
  }

  leave(channel: string, listener: T): readonly PresenceEvent[] {
    const ids = this.#ids.get(listener);
    const id = ids?.get(channel);
    const members = this.#channels.get(channel);
    const present = id === undefined ? undefined : members?.get(id);
    if (id === undefined || present === undefined) return [];
    ids?.delete(channel);
    if (ids?.size === 0) this.#ids.delete(listener);
    present.by.delete(listener);
    if (present.by.size > 0) return [];
    members?.delete(id);
    if (members?.size === 0) this.#channels.delete(channel);
    return [{ action: "leave", id, state: present.state }];
  }

  /** All listeners that are present, in no order. */
  listeners(): readonly T[] {
    return [...this.#ids.keys()];
  }

  /** Every channel in which a client is present. */
  channels(): Iterable<string> {
    return this.#channels.keys();
  }

  channelsOf(listener: T): readonly string[] {
    return [...(this.#ids.get(listener)?.keys() ?? [])];
  }

  /** The members of a channel by id, in the order of code points. */
  members(channel: string): readonly Member[] {
    const all = [...(this.#channels.get(channel) ?? [])].map(([id, { state }]) => ({ id, state }));
    return all.sort((a, b) => Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)));
  }
}
