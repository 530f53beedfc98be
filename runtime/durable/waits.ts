import { createHash, createHmac } from "node:crypto";
import type { Awaited } from "../run/journal.ts";
import { isOfToken, isStepOf, questionPath, tokenPath } from "../store/run-paths.ts";
import type { Checkpoint, OpenWait, Wait } from "../store/runs.ts";
import { longestDelay } from "../value/duration.ts";
import { Failure, timedOut } from "../value/failure.ts";
import type { Json } from "../value/json.ts";

/** Milliseconds for which a token is valid before its wait has begun: as long as the longest wait. */
const tokenMs = longestDelay;

/** The hash under which a token is stored. */
export const hashOfToken = (token: string): string => createHash("sha256").update(token).digest("hex");

/** The parts of a run that its waits need. */
export interface WaitingRun {
  readonly seed: Buffer;
  /** Stores outputs and a wait; false when the run belongs to another node. */
  readonly store: (points: readonly Checkpoint[], wait?: Wait) => Promise<boolean>;
  /** The time of the store's clock; undefined when the run has left meanwhile. */
  readonly now: () => Promise<number | undefined>;
  /** Paths of the waits that the run has in the store. */
  readonly registered: () => Promise<readonly string[]>;
  readonly after: (ms: number, call: () => void) => () => void;
  /** Looks whether the run may leave the process. */
  readonly rest: () => void;
}

/** An action whose token is not valid yet. */
interface Declared {
  readonly path: string;
  readonly awaits: Awaited;
}

/**
 * The waits of a run: delays, and waits for a callback with a token. Each has a row in the store, by which the run is claimed again after
 * it has left the process. A token has a row of its own from the moment at which it can be known (spec/surfaces 14).
 */
export class RunWaits {
  /** Actions that wait, and whose waits could go on without this process. */
  readonly suspended = new Set<object>();
  /** Actions that have ended. */
  readonly #ended = new WeakSet<object>();
  /** Functions that cancel the timers of waiting actions. */
  readonly #timers = new Set<() => void>();
  /** `timeout` of actions, in milliseconds. */
  readonly #limits = new WeakMap<object, number>();
  readonly #run: WaitingRun;
  /** Rows that the store has for the run, by their paths. */
  readonly #rows: Map<string, OpenWait["state"]>;
  /** Payloads that arrived for tokens, by the paths of the tokens; empty for a token that is over without a payload. */
  readonly #arrived: Map<string, string>;
  #declared: Declared[] = [];

  constructor(run: WaitingRun, rows: readonly OpenWait[] = [], arrived: ReadonlyMap<string, string> = new Map()) {
    this.#run = run;
    this.#rows = new Map(rows.map(({ path, state }) => [path, state]));
    this.#arrived = new Map([
      ...arrived,
      ...rows.flatMap(({ path, payload }) => (payload === undefined ? [] : [[path, payload] as const])),
    ]);
  }

  /** Payloads that arrived while the run was away, and empty outputs for expired tokens; storing them closes their rows. */
  takeIn(): readonly Checkpoint[] {
    return [...this.#rows].flatMap(([path, state]) =>
      isOfToken(path) && state !== "open" ? [{ path, output: this.#arrived.get(path) ?? "" }] : [],
    );
  }

  declare(path: string, awaits: Awaited): void {
    if (!this.#rows.has(tokenPath(path)) && !this.#arrived.has(tokenPath(path))) this.#declared.push({ path, awaits });
  }

  /** The tokens that can be known once these actions have settled; they are valid from then on. */
  async known(settling: ReadonlySet<object>): Promise<readonly Wait[]> {
    const isKnown = ({ awaits }: Declared): boolean => awaits.of.every((act) => act.settled || settling.has(act));
    const ready = this.#declared.filter(isKnown);
    this.#declared = this.#declared.filter((each) => !ready.includes(each));
    const tokens = ready.flatMap(({ path, awaits }) => {
      try {
        return [{ path: tokenPath(path), tokenHash: hashOfToken(awaits.token()) }];
      } catch (error) {
        // The action reports this failure itself when it begins.
        if (error instanceof Failure) return [];
        throw error;
      }
    });
    if (tokens.length === 0) return [];
    const now = await this.#run.now();
    if (now === undefined) return [];
    for (const { path } of tokens) this.#rows.set(path, "open");
    return tokens.map((token) => ({ ...token, until: now + tokenMs }));
  }

  /** Outputs that close the open rows of these settled actions or steps: rows of their tokens, and of their waiting steps. */
  closing(paths: readonly string[]): readonly Checkpoint[] {
    const isClosed = (row: string): boolean => paths.some((path) => row === tokenPath(path) || isStepOf(row, path));
    return [...this.#rows].flatMap(([path, state]) => (state === "open" && isClosed(path) ? [{ path, output: "" }] : []));
  }

  /** Makes a token that is valid from now on, for `ms` milliseconds; meanwhile operators see the question. False when its time is over. */
  async open(path: string, token: string, ms: number, question: Json): Promise<boolean> {
    const own = tokenPath(path);
    if (this.#arrived.get(own) === "" || this.#rows.get(own) === "expired" || this.#rows.get(path) === "expired") return false;
    if (!this.#rows.has(own) && !this.#arrived.has(own))
      await this.#register(own, hashOfToken(token), ms, [{ path: questionPath(path), output: JSON.stringify(question) }]);
    return true;
  }

  /** Notes the `timeout` of an action in milliseconds, which also ends a longer wait of it. */
  limit(act: object, ms: number): void {
    this.#limits.set(act, ms);
  }

  /** Ends the waits of an action, for example after its `timeout`, including a wait that is just being stored. */
  ended(act: object): void {
    this.#ended.add(act);
    this.suspended.delete(act);
  }

  async pause(act: object, path: string, ms: number): Promise<void> {
    const limit = this.#limits.get(act) ?? ms;
    await this.#pause(act, path, Math.min(ms, limit));
    if (limit < ms) throw timedOut(limit);
  }

  async #pause(act: object, path: string, ms: number): Promise<void> {
    if (this.#rows.get(path) === "expired") return;
    const isNew = !this.#rows.has(path);
    if (isNew) await this.#begin(path, ms);
    await this.#suspend(act, isNew ? ms : undefined);
  }

  async callback(act: object, path: string, token: string, ms: number): Promise<Json | undefined> {
    const limit = this.#limits.get(act) ?? ms;
    const payload = await this.#callback(act, path, token, Math.min(ms, limit));
    if (payload === undefined && limit < ms) throw timedOut(limit);
    return payload;
  }

  async #callback(act: object, path: string, token: string, ms: number): Promise<Json | undefined> {
    const own = tokenPath(path);
    const payload = this.#arrived.get(own);
    if (payload !== undefined) return payload === "" ? undefined : JSON.parse(payload);
    if (this.#rows.get(path) === "expired") return undefined;
    this.#declared = this.#declared.filter((each) => each.path !== path);
    if (!this.#rows.has(own)) await this.#register(own, hashOfToken(token), tokenMs);
    if (!this.#rows.has(path)) {
      if (!(await this.#run.registered()).includes(own))
        throw new Failure("evaluation", "the token of wait_for_callback is in use or was used before");
      await this.#begin(path, ms);
    }
    await this.#suspend(act, undefined);
    return undefined;
  }

  /** Registers a wait for a time. Its token is secret, so that no callback can end it. */
  #begin(path: string, ms: number): Promise<void> {
    return this.#register(path, createHmac("sha256", this.#run.seed).update(`time ${path}`).digest("hex"), ms);
  }

  async #register(path: string, tokenHash: string, ms: number, points: readonly Checkpoint[] = []): Promise<void> {
    const now = await this.#run.now();
    const isMine = now !== undefined && (await this.#run.store(points, { path, tokenHash, until: now + ms }));
    if (!isMine) throw new Failure("transport", "the run goes on elsewhere");
    this.#rows.set(path, "open");
  }

  /** Waits in this process until the run leaves it, or until the time is over, if `ms` is given. */
  async #suspend(act: object, ms: number | undefined): Promise<void> {
    if (this.#ended.has(act)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.suspended.add(act);
    const cancel = ms === undefined ? () => undefined : this.#run.after(ms, resolve);
    this.#timers.add(cancel);
    this.#run.rest();
    await promise;
    this.#timers.delete(cancel);
    this.suspended.delete(act);
  }

  /** Cancels all timers, because the run has left the process: a timer would keep it in memory. */
  leave(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }
}
