import { type Heard, isOf, type Keep, type Kept } from "./bus.ts";

/** Heard messages that are kept in memory for processes that start later. */
export class KeptMessages {
  /** The last messages, by kind and key. */
  readonly #last = new Map<string, Kept>();
  readonly #rings = new Map<string, Kept[]>();

  hear(message: Heard): void {
    for (const keep of message.keep ?? []) this.#keep(message, keep);
  }

  /** Replaces all kept messages. */
  restore(kept: readonly Kept[]): void {
    this.#last.clear();
    this.#rings.clear();
    for (const one of kept) {
      const id = idOf(one.kind, one.keep.key);
      if (one.keep.depth === undefined) this.#last.set(id, one);
      else this.#ring(id, one, one.keep.depth);
    }
  }

  gone(source: string, heir: string | undefined): void {
    for (const [id, kept] of this.#last) {
      if (!isOf(kept.owner, source)) continue;
      if (kept.keep.outlives) this.#last.set(id, { ...kept, owner: heir ?? kept.owner });
      else this.#last.delete(id);
    }
  }

  /** All kept messages, in the order of their positions. */
  all(): readonly Kept[] {
    return [...this.#last.values(), ...[...this.#rings.values()].flat()].sort((a, b) => a.position - b.position);
  }

  #keep({ when, source, kind, body, position }: Heard, keep: Keep): void {
    // A ring takes a message only when the message has its place in the order.
    if (when === "early" && keep.depth !== undefined) return;
    const id = idOf(kind, keep.key);
    const entry: Kept = { kind, body, keep, position, owner: keep.owned || keep.outlives ? source : "" };
    if (keep.depth !== undefined) this.#ring(id, entry, keep.depth);
    else if (keep.drops) this.#last.delete(id);
    else {
      // Deleting first moves the entry to the end of the map, which keeps the order of writing.
      this.#last.delete(id);
      this.#last.set(id, entry);
    }
  }

  #ring(id: string, kept: Kept, depth: number): void {
    const ring = this.#rings.get(id) ?? [];
    ring.push(kept);
    if (ring.length > depth) ring.shift();
    this.#rings.set(id, ring);
  }
}

const idOf = (kind: string, key: string): string => `${kind}\0${key}`;
