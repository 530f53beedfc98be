import { createHash } from "node:crypto";
import { limits } from "./limits.ts";

/**
 * Counts the topics of published messages, so that clients cannot make up new ones without end. A topic is forgotten after a long silence.
 */
export class TopicCensus {
  readonly #now: () => number;
  /** The first characters of hashes of topics, because names may be long. */
  #young = new Set<string>();
  #old = new Set<string>();
  #since: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#since = now();
  }

  /** False for a new topic when there are too many. */
  admits(topic: string): boolean {
    this.#age();
    const mark = topic.length <= 24 ? topic : createHash("sha256").update(topic).digest("base64url").slice(0, 25);
    if (this.#young.has(mark)) return true;
    if (!this.#old.has(mark) && this.#young.size + this.#old.size >= limits.topics) return false;
    this.#old.delete(mark);
    this.#young.add(mark);
    return true;
  }

  #age(): void {
    const now = this.#now();
    if (now - this.#since < limits.topicsForgottenMs) return;
    this.#old = now - this.#since < 2 * limits.topicsForgottenMs ? this.#young : new Set();
    this.#young = new Set();
    this.#since = now;
  }
}
