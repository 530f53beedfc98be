import { type Heard, isOf, type Kept } from "../../../bus/bus.ts";
import type { Clock } from "../stored-message.ts";
import { Groups } from "./groups.ts";
import { decode, type LeftNotice, type LeftWill, type OpenedNotice, roleOf, type SharesNotice, sizeOfWill } from "./notices.ts";

/** A session, and the process that has it. */
export interface Entry {
  readonly key: string;
  readonly name: string;
  readonly owner: string;
  /** The position of the bus at which its owner got it; undefined until the position is known. */
  readonly epoch: number | undefined;
  readonly keptMs: number;
  /** The time at which a session without its client ends. */
  readonly until: number | undefined;
  /** The moves of the session between processes that are under way: each process waits for the one before it to store the session. */
  readonly awaits?: readonly Awaited[];
}

/** The most moves between processes that one session may have under way. */
const mostMoves = 64;

/** A move of a session from one process to the process that has opened it under a name, at a position. */
interface Awaited {
  readonly from: string;
  readonly to: string;
  readonly name: string;
  readonly position: number;
}

/** The will of a session, until it is published or void. */
export interface WillEntry extends LeftWill {
  readonly key: string;
  readonly name: string;
  readonly owner: string;
  readonly keptMs: number;
  readonly due: number | undefined;
}

/** The sessions and wills that an ended process has left. */
export interface Estate {
  readonly sessions: readonly Entry[];
  readonly wills: readonly WillEntry[];
  /** Sessions that the heir has to store for their owners. */
  readonly awaited: readonly { readonly entry: Entry; readonly awaits: Awaited }[];
}

/**
 * The sessions of all processes, each with its owner, and the wills of all sessions. Every process has an equal directory, because all
 * processes hear the same notices in the same order.
 */
export class Directory {
  readonly #clock: Clock;
  readonly #sessions = new Map<string, Entry>();
  readonly #wills = new Map<string, WillEntry>();
  readonly groups = new Groups((key) => this.#sessions.get(key)?.until === undefined);
  #willBytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): Entry | undefined {
    return this.#sessions.get(key);
  }

  sessions(): readonly Entry[] {
    return [...this.#sessions.values()];
  }

  will(name: string): WillEntry | undefined {
    return this.#wills.get(name);
  }

  willsOf(key: string): readonly WillEntry[] {
    return [...this.#wills.values()].filter((will) => will.key === key);
  }

  /** The shared subscriptions of a session, for the notice that another process has opened it; empty when it has none. */
  sharesOf(key: string): Pick<OpenedNotice, "texts"> {
    const texts = (this.#sessions.get(key)?.keptMs ?? 0) > 0 ? this.groups.textsOf(key) : [];
    return texts.length > 0 ? { texts } : {};
  }

  /** The bytes of all wills. */
  get willBytes(): number {
    return this.#willBytes;
  }

  /** Notes that a process has opened a session; gives its entry before that. */
  open(source: string, epoch: number | undefined, notice: OpenedNotice): Entry | undefined {
    const { key, name, keptMs, will } = notice;
    const before = this.#sessions.get(key);
    this.#sessions.set(key, {
      key,
      name,
      owner: source,
      epoch,
      keptMs,
      until: undefined,
      awaits: awaitedBy(source, epoch, notice, before),
    });
    // A session that continues stays a member of its groups.
    if (!notice.keeps || before === undefined || before.keptMs === 0) this.groups.set(key, []);
    if (will !== undefined) this.#setWill({ ...will, key, name, owner: source, keptMs, due: undefined });
    return before;
  }

  given({ key, name }: { readonly key: string; readonly name: string }): void {
    const entry = this.#sessions.get(key);
    const { awaits = [] } = entry ?? {};
    if (entry !== undefined && awaits.length > 0) this.#sessions.set(key, { ...entry, awaits: awaits.filter((one) => one.name !== name) });
  }

  left({ source }: Pick<Heard, "source">, { key, name, until, will }: LeftNotice): void {
    const entry = this.#sessions.get(key);
    if (entry?.name === name) this.#sessions.set(key, { ...entry, until });
    const before = this.voidWill(name);
    if (will !== undefined) this.#setWill({ ...will, key, name, owner: before?.owner ?? source, keptMs: entry?.keptMs ?? 0 });
  }

  shares({ key, name, texts }: SharesNotice): void {
    if (this.#sessions.get(key)?.name === name) this.groups.set(key, texts);
  }

  end({ key, name }: { readonly key: string; readonly name: string }): void {
    if (this.#sessions.get(key)?.name === name) this.#forget(key);
    this.voidWill(name);
  }

  /** Removes a will that was published or never will be. */
  voidWill(name: string): WillEntry | undefined {
    const will = this.#wills.get(name);
    if (will === undefined) return undefined;
    this.#wills.delete(name);
    this.#willBytes -= sizeOfWill(will);
    return will;
  }

  /**
   * Notes that a process has ended. Its durable sessions and its wills go to the heir, if there is one; its other sessions end. Gives those
   * that have a new owner.
   */
  gone(source: string, heir: string | undefined, position: number): Estate {
    const sessions: Entry[] = [];
    const awaited: { entry: Entry; awaits: Awaited }[] = [];
    for (const [key, entry] of this.#sessions) {
      if (!isOf(entry.owner, source)) {
        const { awaits = [] } = entry;
        if (heir === undefined || !awaits.some(({ from }) => isOf(from, source))) continue;
        const next = awaits.map((one) => (isOf(one.from, source) ? { ...one, from: heir } : one));
        this.#sessions.set(key, { ...entry, awaits: next });
        for (const one of next.filter((_, n) => isOf(awaits[n]?.from ?? "", source))) awaited.push({ entry, awaits: one });
        continue;
      }
      if (entry.keptMs === 0) this.#forget(key);
      else if (heir !== undefined) {
        const inherited = {
          ...entry,
          owner: heir,
          epoch: position,
          awaits: [],
          until: entry.until ?? this.#clock.now() + entry.keptMs,
        };
        this.#sessions.set(key, inherited);
        sessions.push(inherited);
      }
    }
    const wills: WillEntry[] = [];
    for (const [name, will] of this.#wills) {
      if (!isOf(will.owner, source) || heir === undefined) continue;
      const due = will.due ?? this.#clock.now() + Math.min(will.delayMs, will.keptMs);
      const inherited = { ...will, owner: heir, due };
      this.#wills.set(name, inherited);
      wills.push(inherited);
    }
    return { sessions, wills, awaited };
  }

  /** Replaces all entries. Gives sessions that were opened anew since then, whose old entries have to be removed. */
  restore(kept: readonly Kept[]): readonly Entry[] {
    this.#sessions.clear();
    this.#wills.clear();
    this.groups.clear();
    this.#willBytes = 0;
    const old: Entry[] = [];
    const shares: { readonly notice: SharesNotice; readonly position: number }[] = [];
    const goingOn = new Set<string>();
    for (const one of kept) {
      const role = roleOf(one.keep);
      if (role === undefined || role === "retained") continue;
      const notice = decode(one.body, this.#clock);
      if (notice?.t === "shares") shares.push({ notice, position: one.position });
      if (notice?.t !== "open" && notice?.t !== "left") continue;
      if (role === "will") this.#restoreWill(one, notice);
      else {
        const [before, entry] = [this.#sessions.get(notice.key), this.#entryOf(one, notice)];
        const isNewer = before === undefined || (before.epoch ?? 0) <= (entry.epoch ?? 0);
        if (before !== undefined) old.push(isNewer ? before : entry);
        if (!isNewer) continue;
        this.#sessions.set(notice.key, entry);
        const goesOn = notice.t === "open" && notice.keeps;
        if (goesOn) goingOn.add(notice.key);
        else goingOn.delete(notice.key);
        this.groups.set(notice.key, goesOn ? (notice.texts ?? []) : []);
      }
    }
    for (const { notice, position } of shares) {
      const entry = this.#sessions.get(notice.key);
      // A session that continues keeps its groups until its new owner has it, and announces them again.
      const isEarlier = notice.isDurable && goingOn.has(notice.key) && position < (entry?.epoch ?? 0);
      if (entry?.name === notice.name || isEarlier) this.groups.set(notice.key, notice.texts);
    }
    return old;
  }

  /**
   * Reads a session from a kept notice. Its client can be connected only if the process that opened it still owns it; otherwise the client
   * counts as away.
   */
  #entryOf({ owner, position }: Kept, notice: OpenedNotice | LeftNotice): Entry {
    const { key, name, keptMs } = notice;
    if (notice.t === "left") return { key, name, owner, epoch: notice.epoch, keptMs, until: notice.until };
    const isThere = name.startsWith(`${owner} `);
    return { key, name, owner, epoch: position, keptMs, until: isThere ? undefined : this.#clock.now() + keptMs };
  }

  #forget(key: string): void {
    this.#sessions.delete(key);
    this.groups.set(key, []);
  }

  #restoreWill({ owner }: Kept, notice: OpenedNotice | LeftNotice): void {
    const { key, name, will } = notice;
    if (will === undefined) return;
    const due = "due" in will && typeof will.due === "number" ? will.due : undefined;
    this.#setWill({ ...will, key, name, owner, keptMs: notice.keptMs, due });
  }

  #setWill(will: WillEntry): void {
    this.voidWill(will.name);
    this.#wills.set(will.name, will);
    this.#willBytes += sizeOfWill(will);
  }
}

/** The moves for which the owner of a newly opened session waits. */
function awaitedBy(source: string, epoch: number | undefined, notice: OpenedNotice, before: Entry | undefined): readonly Awaited[] {
  if (!notice.keeps || before === undefined || before.keptMs === 0) return [];
  const { awaits = [] } = before;
  if (before.owner === source || epoch === undefined) return awaits;
  return [...awaits, { from: before.owner, to: source, name: notice.name, position: epoch }].slice(-mostMoves);
}
