import { setTimeout as sleep } from "node:timers/promises";
import type { ServingNode } from "./service.ts";

/** Asks for one run after the other, of any node. */
export class Callers {
  /** Orders by the ids of the runs that were accepted. */
  readonly accepted = new Map<string, number>();
  /** Requests whose node ended before it answered. */
  unanswered = 0;
  /** Requests that were answered by anything but 202, by their statuses. */
  readonly refused = new Map<number, number>();
  /** Milliseconds until the slowest of them had its answer. */
  slowestRefusal = 0;
  /** Milliseconds from each return of the database until a run was accepted. */
  readonly returns: number[] = [];
  isAsking = true;
  readonly #isEnough: (accepted: number) => boolean;
  /** A node by chance; undefined while it is being replaced. */
  readonly #node: () => ServingNode | undefined;
  #orders = 0;
  #back: number | undefined;

  constructor(isEnough: (accepted: number) => boolean, node: () => ServingNode | undefined) {
    this.#isEnough = isEnough;
    this.#node = node;
  }

  /** Resolves when enough runs are accepted, and enough has happened. */
  async ask(callers: number): Promise<void> {
    await Promise.all(Array.from({ length: callers }, () => this.#call()));
    this.isAsking = false;
  }

  databaseIsBack(): void {
    this.#back = performance.now();
  }

  /** Unexpected answers. Expected are 503, while the store is away or a process ends, and 429 from a node with too many runs. */
  problems(): string[] {
    const isMeant = (status: number): boolean => status === 503 || status === 429;
    return [...this.refused].flatMap(([status, times]) => (isMeant(status) ? [] : [`${times} requests were answered with ${status}`]));
  }

  async #call(): Promise<void> {
    while (this.isAsking && !this.#isEnough(this.accepted.size)) {
      const node = this.#node();
      await (node === undefined ? sleep(20) : this.#askOnce(node, ++this.#orders));
    }
  }

  async #askOnce({ url }: ServingNode, order: number): Promise<void> {
    const began = performance.now();
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", headers, body: JSON.stringify({ order }), signal: AbortSignal.timeout(5_000) };
    try {
      const answer = await fetch(`${url}/order`, request);
      const reply = (await answer.json()) as { readonly request_id?: string };
      if (answer.status === 202 && reply.request_id !== undefined) this.#accept(reply.request_id, order);
      else {
        this.refused.set(answer.status, (this.refused.get(answer.status) ?? 0) + 1);
        this.slowestRefusal = Math.max(this.slowestRefusal, Math.round(performance.now() - began));
        await sleep(50);
      }
    } catch {
      this.unanswered += 1;
      await sleep(20);
    }
  }

  #accept(id: string, order: number): void {
    this.accepted.set(id, order);
    if (this.#back !== undefined) this.returns.push(Math.round(performance.now() - this.#back));
    this.#back = undefined;
  }
}
