import { createHash } from "node:crypto";
import type { Message } from "../message.ts";
import { Subscriptions } from "../subscriptions.ts";
import { levelsOf, parseFilter } from "../topics.ts";

/** The member of a group that gets a message, by the filter of the group. */
export interface Share {
  readonly key: string;
  readonly text: string;
}

/** Chooses a member of each group that a message at a position of the bus is for, or of one group. */
export type Chooser = (position: number, message: Message, only?: string) => readonly Share[];

/** Members of a group that may get a message. */
type Members = ReadonlyMap<string, readonly string[]>;

/**
 * Shared subscriptions over all processes: all know the same members, and choose the same one for each message, which goes by its place in
 * the order of all. A member whose client is there comes before one that is away.
 */
export class Groups {
  readonly #isThere: (key: string) => boolean;
  /** Names of members by the filter of their group, in the order of their names. */
  readonly #members = new Map<string, Set<string>>();
  readonly #filters = new Subscriptions<string>();
  readonly #texts = new Map<string, readonly string[]>();

  constructor(isThere: (key: string) => boolean) {
    this.#isThere = isThere;
  }

  textsOf(key: string): readonly string[] {
    return this.#texts.get(key) ?? [];
  }

  /** From now on the session is a member of these groups, and of no others. */
  set(key: string, texts: readonly string[]): void {
    for (const text of this.textsOf(key)) this.#leave(text, key);
    this.#texts.delete(key);
    if (texts.length > 0) this.#texts.set(key, texts);
    for (const text of texts) this.#join(text, key);
  }

  clear(): void {
    for (const key of [...this.#texts.keys()]) this.set(key, []);
  }

  /** True when another member of the group has its client there. */
  hasOther(text: string, key: string): boolean {
    return [...(this.#members.get(text) ?? [])].some((other) => other !== key && this.#isThere(other));
  }

  choose(position: number, message: Message, only?: string): readonly Share[] {
    return this.#choose(position, message, (text) => this.#candidates(text), only);
  }

  /** A choice among those who are members now, whatever becomes of them. */
  chooser(): Chooser {
    const members: Members = new Map([...this.#members.keys()].map((text) => [text, this.#candidates(text)]));
    return (position, message, only) => this.#choose(position, message, (text) => members.get(text) ?? [], only);
  }

  #choose(position: number, { topic }: Message, of: (text: string) => readonly string[], only: string | undefined): readonly Share[] {
    if (this.#members.size === 0) return [];
    const texts = only === undefined ? [...this.#filters.find(levelsOf(topic), () => true)].map(({ owner }) => owner) : [only];
    return texts.flatMap((text) => {
      const candidates = of(text);
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

/** Spreads messages over members, whatever the rhythm in which those of one topic come. */
const placeOf = (position: number, text: string): number => createHash("sha1").update(`${position} ${text}`).digest().readUInt32BE(0);
