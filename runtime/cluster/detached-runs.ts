import type { Host } from "../process/host.ts";
import { nodeName } from "../process/node-name.ts";
import type { CountDetached, DetachedCount } from "../run/caller.ts";
import { isOneOfMany, stateAddress } from "../state/durability.ts";
import type { Coordination } from "../store/coordination.ts";
import { scopeOf } from "../store/scope.ts";
import { messageOf } from "../value/thrown.ts";

/** Milliseconds between two reports of a process to the others, with which it also reads their counts. */
const pollMs = 500;

/**
 * Milliseconds for which the others count the runs of a process after its last report; also how long a process without runs goes on asking.
 */
const leaseMs = 30_000;

/**
 * Counts detached runs together with the other processes of the organisation and environment, if they share a store (spec/surfaces 1). A
 * single process asks no store.
 */
export const detachedRuns: CountDetached = (host, own) =>
  host.resource("detached runs", () => (isShared(host) ? new SharedCount(host, own) : alone));

const isShared = (host: Host): boolean => /^postgres(?:ql)?:/i.test(stateAddress(host)) || (stateAddress(host) !== "" && isOneOfMany(host));

const alone = { elsewhere: undefined, asked: () => undefined, close: () => undefined };

/**
 * Asks the store from the first detached run on, until there has been none for `leaseMs`. Until the first answer, a process does not know
 * the counts of the others.
 */
class SharedCount implements DetachedCount {
  readonly #host: Host;
  readonly #own: () => number;
  readonly #name: string;
  readonly #ends = new AbortController();
  #nodes: Coordination | undefined;
  #elsewhere: number | undefined;
  /** The count of this process in the store. */
  #stored = 0;
  #lastAsked = 0;
  #following: Promise<void> | undefined;
  #isDown = false;

  constructor(host: Host, own: () => number) {
    this.#host = host;
    this.#own = own;
    this.#name = `detached runs of ${scopeOf(host)}`;
  }

  get elsewhere(): number | undefined {
    return this.#elsewhere;
  }

  asked(): void {
    this.#lastAsked = this.#host.monotonic();
    if (this.#following !== undefined || this.#ends.signal.aborted) return;
    this.#following = this.#follow();
  }

  /** Ends the counting: the places of this process are then free for others. */
  async close(): Promise<void> {
    this.#ends.abort();
    await this.#following;
    // In a store that does not answer, the count of this process expires by itself.
    if (this.#stored > 0 && !this.#isDown) await this.#tally(() => 0).catch(() => undefined);
    await this.#nodes?.close();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ends;
    do {
      await this.#look();
      await this.#host.sleep(pollMs, signal).catch(() => undefined); // the process ends
    } while (!signal.aborted && !this.#isQuiet());
    this.#following = undefined;
    this.#elsewhere = undefined;
  }

  #isQuiet(): boolean {
    return this.#own() === 0 && this.#stored === 0 && this.#host.monotonic() - this.#lastAsked > leaseMs;
  }

  async #look(): Promise<void> {
    try {
      this.#elsewhere = await this.#tally(this.#own);
      if (this.#isDown) this.#host.log("info", "detached runs of all processes are counted again");
      this.#isDown = false;
    } catch (error) {
      this.#elsewhere = undefined;
      const reason = messageOf(error);
      if (!this.#isDown) this.#host.log("warn", `detached runs are counted by this process for itself: ${reason}`);
      this.#isDown = true;
    }
  }

  async #tally(count: () => number): Promise<number> {
    const nodes = await this.#store();
    const own = count();
    const elsewhere = await nodes.tally(this.#name, nodeName(this.#host), own, leaseMs);
    this.#stored = own;
    return elsewhere;
  }

  /** The store; its drivers are loaded at the first use. */
  async #store(): Promise<Coordination> {
    this.#nodes ??= (await import("../store/open-coordination.ts")).openCoordination(this.#host);
    return this.#nodes;
  }
}
