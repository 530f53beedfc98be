import { type Follower, type Heard, isOf, type Kept, membership } from "./bus.ts";

/** The body of a message about processes: one has started, or one has ended. An empty heir stands for no heir. */
type Notice = { readonly hello: string } | { readonly gone: string; readonly heir: string };

/** The end of a process, with the process that inherits its entries; undefined when there is none. */
interface Gone {
  readonly gone: string;
  readonly heir: string | undefined;
}

/** The followers of a process, and the list of processes that serve. */
export class Followers {
  readonly #followers = new Map<string, Follower>();
  /** Processes that serve, oldest first. */
  readonly #present = new Set<string>();
  readonly #source: () => string;
  readonly #expelled: () => void;
  #isLeaving = false;

  /** `expelled` is called when the other processes count this one as gone; they have then removed its entries. */
  constructor(source: () => string, expelled: () => void) {
    this.#source = source;
    this.#expelled = expelled;
  }

  /** Sets the follower of a kind. The follower of the empty kind hears every message, before the other followers. */
  set(kind: string, follower: Follower): void {
    this.#followers.set(kind, follower);
  }

  /** Processes that serve, oldest first. */
  get present(): ReadonlySet<string> {
    return this.#present;
  }

  get oldest(): string | undefined {
    return [...this.#present][0];
  }

  hear(message: Heard): void {
    this.#followers.get("")?.hear(message);
    if (message.kind !== membership) this.#followers.get(message.kind)?.hear(message);
    else this.#notice(noticeIn(message), message);
  }

  /** Gives each follower what is kept of its kind. */
  restore(kept: readonly Kept[]): void {
    const byKind = new Map<string, Kept[]>();
    for (const one of kept) {
      const some = byKind.get(one.kind) ?? [];
      some.push(one);
      byKind.set(one.kind, some);
    }
    this.#present.clear();
    for (const { owner } of byKind.get(membership) ?? []) this.#present.add(owner);
    for (const [kind, follower] of this.#followers) follower.restore(kind === "" ? kept : (byKind.get(kind) ?? []));
  }

  /** Owners of kept messages that have ended without an heir: the process that starts next inherits their messages. */
  orphaned(kept: readonly Kept[]): readonly string[] {
    return [...new Set(kept.map(({ owner }) => owner))].filter((owner) => owner !== "" && !this.#present.has(owner));
  }

  /** The process that inherits the entries of this one; undefined when there is none. */
  heirOf(source: string): string | undefined {
    return [...this.#present].find((other) => !isOf(other, source));
  }

  /** The message by which this process says that it ends. */
  goodbye() {
    this.#isLeaving = true;
    return goneOf(this.#source(), this.heirOf(this.#source()));
  }

  #notice(notice: ReturnType<typeof noticeIn>, { source, position }: Heard): void {
    if ("hello" in notice) {
      this.#present.add(notice.hello);
      return;
    }
    for (const other of [...this.#present]) if (isOf(other, notice.gone)) this.#present.delete(other);
    // The heir may have ended, too, at nearly the same time. All processes then choose the same other heir, since they know the same
    // processes.
    const { heir: named } = notice;
    const isThere = named === undefined || named === source || this.#present.has(named);
    const heir = isThere ? named : this.heirOf(notice.gone);
    for (const follower of this.#followers.values()) follower.gone?.(notice.gone, heir, position);
    if (isOf(this.#source(), notice.gone) && !this.#isLeaving) this.#expelled();
  }
}

/** The message by which a process says that it serves. */
export const helloOf = (source: string) => ({
  kind: membership,
  body: JSON.stringify({ hello: source } satisfies Notice),
  keep: [{ key: source, owned: true }],
});

/** The message that a process has ended. */
export const goneOf = (source: string, heir: string | undefined) => ({
  kind: membership,
  body: JSON.stringify({ gone: source, heir: heir ?? "" } satisfies Notice),
});

/** Reads from a message which process has ended. */
export function goneIn(message: Pick<Heard, "kind" | "body">): Gone | undefined {
  if (message.kind !== membership) return undefined;
  const notice = noticeIn(message);
  return "gone" in notice ? notice : undefined;
}

/** Reads a message about processes. No other part writes messages of this kind. */
function noticeIn({ body }: Pick<Heard, "body">): { readonly hello: string } | Gone {
  const notice = JSON.parse(body) as Notice;
  return "gone" in notice ? { ...notice, heir: notice.heir || undefined } : notice;
}
