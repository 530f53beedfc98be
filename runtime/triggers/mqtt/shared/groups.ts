import { createHash } from "node:crypto";
import type { Message } from "../message.ts";
import { Subscriptions } from "../subscriptions.ts";
import { levelsOf, parseFilter } from "../topics.ts";

/** The member of a group that gets a message, with the filter of the group. */
export interface Share {
  readonly key: string;
  readonly text: string;
}

/** Chooses the member of each matching group that gets the message at a position of the bus; with `only` of one group. */
export type Chooser = (position: number, message: Message, only?: string) => readonly Share[];

/** The most choices that are kept: more than one minute of the log has messages. */
const mostChosen = 100_000;

/**
 * Shared subscriptions over all processes. All processes know the same members, and choose the same one for each message, by its place in
 * the order of all. A member whose client is connected comes before one whose client is away.
 */
export class Groups {
  readonly #isThere: (key: string) => boolean;
  /** Keys of member sessions by the filter of their group. */
  readonly #members = new Map<string, Set<string>>();
  readonly #filters = new Subscriptions<string>();
  readonly #texts = new Map<string, readonly string[]>();
  readonly #chosen = new Map<number, readonly Share[]>();
  /** The first position for which a choice was made. */
  #first: number | undefined;

  constructor(isThere: (key: string) => boolean) {
    this.#isThere = isThere;
  }

  textsOf(key: string): readonly string[] {
    return this.#texts.get(key) ?? [];
  }

  /** Makes the session a member of these groups, and of no others. */
  set(key: string, texts: readonly string[]): void {
    for (const text of this.textsOf(key)) this.#leave(text, key);
    this.#texts.delete(key);
    if (texts.length > 0) this.#texts.set(key, texts);
    for (const text of texts) this.#join(text, key);
  }

  clear(): void {
    for (const key of [...this.#texts.keys()]) this.set(key, []);
  }

  /** True when another member of the group has a connected client. */
  hasOther(text: string, key: string): boolean {
    return [...(this.#members.get(text) ?? [])].some((other) => other !== key && this.#isThere(other));
  }

  /** Chooses for a message that has just got its place, and remembers the choice. */
  choose(position: number, message: Message, only?: string): readonly Share[] {
    this.#first ??= position;
    const shares = this.#choose(position, message, only);
    if (shares.length === 0) return shares;
    this.#chosen.set(position, shares);
    const [oldest] = this.#chosen.keys();
    if (oldest !== undefined && this.#chosen.size > mostChosen) this.#chosen.delete(oldest);
    return shares;
  }

  /** The choice for a message of the log: the current members need not be the members of that time. */
  recall(position: number, message: Message, only?: string): readonly Share[] {
    const chosen = this.#chosen.get(position);
    if (chosen !== undefined) return chosen;
    // For a message from before this process heard any, only the current members are known.
    return this.#first === undefined || position < this.#first ? this.#choose(position, message, only) : [];
  }

  #choose(position: number, { topic }: Message, only: string | undefined): readonly Share[] {
    if (this.#members.size === 0) return [];
    const texts = only === undefined ? [...this.#filters.find(levelsOf(topic), () => true)].map(({ owner }) => owner) : [only];
    return texts.flatMap((text) => {
      const candidates = this.#candidates(text);
      const key = candidates.length === 0 ? undefined : candidates[placeOf(position, text) % candidates.length];
      return key === undefined ? [] : [{ key, text }];
    });
  }

  #candidates(text: string): readonly string[] {
    const all = [...(this.#members.get(text) ?? [])].sort();
    const there = all.filter(this.#isThere);
    return there.length > 0 ? there : all;
  }

  #join(text: string, key: string): void {
    const filter = parseFilter(text);
    if (filter?.group === undefined) return;
    const members = this.#members.get(text);
    if (members !== undefined) {
      members.add(key);
      return;
    }
    this.#members.set(text, new Set([key]));
    this.#filters.set({ text, levels: filter.levels }, text, everything);
  }

  #leave(text: string, key: string): void {
    const filter = parseFilter(text);
    const members = this.#members.get(text);
    if (filter === undefined || members === undefined) return;
    members.delete(key);
    if (members.size > 0) return;
    this.#members.delete(text);
    this.#filters.delete({ text, levels: filter.levels }, text);
  }
}

const everything = { qos: 2, noLocal: false, retainAsPublished: true } as const;

/** A hash that spreads messages over members, even when the messages of one topic come in a regular pattern. */
const placeOf = (position: number, text: string): number => createHash("sha1").update(`${position} ${text}`).digest().readUInt32BE(0);
