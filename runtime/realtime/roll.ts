import { type Bus, type Follower, type Heard, isOf, type Kept } from "../bus/bus.ts";
import { type Member, Presence, type PresenceEvent } from "./presence.ts";

/** A change of presence, as it is sent to all processes. */
interface Change {
  readonly channel: string;
  /** The name of the process and the number of its listener, with a blank between them. */
  readonly by: string;
  /** The member; absent when the listener leaves. */
  readonly member?: Member;
}

/** Tells listeners of a channel how its members have changed. */
export type Tell = (channel: string, events: readonly PresenceEvent[]) => void;

const kind = "presence";

/** The clients that are present in each channel, over all processes (spec/surfaces 3). When a process ends, its listeners leave. */
export class Roll<Listener> implements Follower {
  readonly #bus: Bus;
  readonly #tell: Tell;
  #presence = new Presence<string>();
  /** The members as which listeners of this process have entered, by listener and channel. */
  readonly #entered = new Map<Listener, { readonly number: number; readonly members: Map<string, Member> }>();
  #numbers = 0;

  constructor(bus: Bus, tell: Tell) {
    this.#bus = bus;
    this.#tell = tell;
    bus.follow(kind, this);
  }

  /** The number of channels in which a listener of this process is present. */
  countOf(listener: Listener): number {
    return this.#entered.get(listener)?.members.size ?? 0;
  }

  isIn(channel: string, listener: Listener): boolean {
    return this.#entered.get(listener)?.members.has(channel) ?? false;
  }

  /** Enters a channel; false when too much waits for the bus. */
  enter(channel: string, listener: Listener, member: Member): boolean {
    const before = this.#entered.get(listener);
    const entry = before ?? { number: ++this.#numbers, members: new Map<string, Member>() };
    if (!this.#publish(entry.number, channel, member)) return false;
    this.#entered.set(listener, entry);
    entry.members.set(channel, member);
    return true;
  }

  leave(channel: string, listener: Listener): void {
    const entry = this.#entered.get(listener);
    if (entry === undefined || !entry.members.delete(channel)) return;
    if (entry.members.size === 0) this.#entered.delete(listener);
    this.#publish(entry.number, channel, undefined);
  }

  channelsOf(listener: Listener): readonly string[] {
    return [...(this.#entered.get(listener)?.members.keys() ?? [])];
  }

  /** The members of a channel by id, in the order of code points. */
  members(channel: string): readonly Member[] {
    return this.#presence.members(channel);
  }

  hear({ body, when }: Heard): void {
    const { channel, by, member } = JSON.parse(body) as Change; // only processes of this program write it
    const events = member === undefined ? this.#presence.leave(channel, by) : this.#presence.enter(channel, by, member);
    // Listeners have heard of this change already, by the early message.
    if (when !== "late") this.#tell(channel, events);
  }

  restore(kept: readonly Kept[]): void {
    const before = this.#presence;
    const now = new Presence<string>();
    for (const { body } of kept) {
      const { channel, by, member } = JSON.parse(body) as Change;
      if (member !== undefined) now.enter(channel, by, member);
    }
    this.#presence = now;
    for (const channel of new Set([...before.channels(), ...now.channels()]))
      this.#tell(channel, changes(before.members(channel), now.members(channel)));
    this.#again((by, channel) => now.isIn(channel, by));
  }

  gone(source: string): void {
    for (const by of this.#presence.listeners()) {
      if (!isOf(by.slice(0, by.indexOf(" ")), source)) continue;
      for (const channel of this.#presence.channelsOf(by)) this.#tell(channel, this.#presence.leave(channel, by));
    }
    // The others took this process for gone, though it lives.
    if (isOf(this.#bus.source, source)) this.#again(() => false);
  }

  /** Publishes the members of this process again, except the ones that are known. */
  #again(isKnown: (by: string, channel: string) => boolean): void {
    for (const { number, members } of this.#entered.values()) {
      for (const [channel, member] of members) if (!isKnown(this.#nameOf(number), channel)) this.#publish(number, channel, member);
    }
  }

  #publish(number: number, channel: string, member: Member | undefined): boolean {
    const by = this.#nameOf(number);
    const body = JSON.stringify({ channel, by, ...(member === undefined ? {} : { member }) } satisfies Change);
    const keep = { key: JSON.stringify([channel, by]), ...(member === undefined ? { drops: true } : { owned: true }) };
    return this.#bus.publish({ kind, body, keep: [keep] });
  }

  #nameOf(number: number): string {
    return `${this.#bus.source} ${number}`;
  }
}

/** The events between two lists of members. */
function changes(before: readonly Member[], now: readonly Member[]): readonly PresenceEvent[] {
  const [old, current] = [new Map(before.map((each) => [each.id, each])), new Map(now.map((each) => [each.id, each]))];
  const left = before.filter(({ id }) => !current.has(id)).map((each) => ({ ...each, action: "leave" }) as const);
  const entered = now.filter(({ id }) => !old.has(id)).map((each) => ({ ...each, action: "enter" }) as const);
  const updated = now.filter(({ id, state }) => old.has(id) && JSON.stringify(old.get(id)?.state) !== JSON.stringify(state));
  return [...left, ...entered, ...updated.map((each) => ({ ...each, action: "update" }) as const)];
}
