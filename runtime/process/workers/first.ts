import type { ChildProcess } from "node:child_process";
import cluster, { type Worker as Child } from "node:cluster";
import type { Log } from "../host.ts";
import { isOurs, type Order, type WorkerReport, workerVariable } from "./crew.ts";

/**
 * Milliseconds until an ended worker is started again: the first pause, and the longest one. Each is twice the last, until the worker has
 * served for `provenMs`.
 */
const [firstWaitMs, longestWaitMs, provenMs] = [100, 30_000, 10_000];

/** Milliseconds that the first process waits for the metrics of a worker. */
const measureMs = 2_000;

/** Milliseconds after its own grace period within which a worker must end. */
const lateMs = 5_000;

export interface CrewOptions {
  readonly count: number;
  /** The program of the workers, if it differs from that of this process. */
  readonly program?: Program | undefined;
  readonly log: Log;
  /** Milliseconds that a worker needs at most to drain. */
  readonly graceMs: number;
  /** Called once, when all workers serve for the first time. */
  readonly listening: (url: string) => void;
}

/** A file with its arguments, and the arguments of Node before it; by default those of this process. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly nodeArgs?: readonly string[];
  /** Variables that are added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The place of one worker; another process takes the place when its worker ends. */
interface Berth {
  readonly number: number;
  child: Child | undefined;
  serving: boolean;
  began: number;
  failures: number;
}

/**
 * The first of several processes: it starts workers that share one port, keeps their number, and ends with them. It serves nothing itself.
 */
export class Crew {
  readonly #options: CrewOptions;
  readonly #berths: readonly Berth[];
  readonly #asked = new Map<number, (metrics: unknown) => void>();
  readonly #over = Promise.withResolvers<number>();
  #questions = 0;
  #lead: Berth | undefined;
  #state: "starting" | "serving" | "draining" = "starting";
  #hasFailed = false;

  constructor(options: CrewOptions) {
    this.#options = options;
    this.#berths = Array.from({ length: options.count }, (_, i) => ({
      number: i + 1,
      child: undefined,
      serving: false,
      began: 0,
      failures: 0,
    }));
  }

  /**
   * Resolves with the exit status when all workers have ended. The first worker starts alone, because a problem that keeps it from starting
   * would stop all workers.
   */
  run(): Promise<number> {
    const { program } = this.#options;
    if (program !== undefined)
      cluster.setupPrimary({ exec: program.file, args: [...program.args], execArgv: [...(program.nodeArgs ?? process.execArgv)] });
    const [first] = this.#berths;
    if (first !== undefined) this.#start(first);
    return this.#over.promise;
  }

  /** Tells every worker to finish its work and end. */
  drain(): void {
    this.#state = "draining";
    this.#tellAll({ crew: "drain" });
    setTimeout(() => this.kill(), this.#options.graceMs + lateMs).unref();
    this.#settle();
  }

  /** Ends all workers at once. */
  kill(): void {
    this.#hasFailed = true;
    for (const { child } of this.#berths) child?.process.kill("SIGKILL");
  }

  /** The metrics of every worker that sends them in time. */
  async measure(): Promise<readonly unknown[]> {
    const serving = this.#berths.filter(({ serving }) => serving);
    return (await Promise.all(serving.map((berth) => this.#ask(berth)))).filter((metrics) => metrics !== undefined);
  }

  #ask(berth: Berth): Promise<unknown> {
    const id = this.#questions++;
    return new Promise((resolve) => {
      const late = setTimeout(() => answer(undefined), measureMs);
      const answer = (metrics: unknown): void => {
        clearTimeout(late);
        this.#asked.delete(id);
        resolve(metrics);
      };
      this.#asked.set(id, answer);
      this.#tell(berth, { crew: "measure", id });
    });
  }

  #start(berth: Berth): void {
    const child = cluster.fork({ ...this.#options.program?.env, [workerVariable]: `${berth.number}/${this.#options.count}` });
    berth.child = child;
    berth.began = performance.now();
    closeUntaken(child.process);
    child.on("message", (message: unknown) => {
      if (isOurs(message)) this.#take(berth, message as WorkerReport); // a worker sends no other messages of this protocol
    });
    child.on("error", (error) => this.#options.log("error", `worker ${berth.number}: ${error.message}`));
    child.on("exit", (code, signal) => this.#ended(berth, code, signal));
  }

  #take(berth: Berth, report: WorkerReport): void {
    switch (report.crew) {
      case "listening":
        berth.serving = true;
        if (this.#state === "starting") this.#next(report.url);
        this.#appoint();
        this.#tellAll({ crew: "serving", count: this.#serving() });
        return;
      case "measured":
        this.#asked.get(report.id)?.(report.metrics);
    }
  }

  /** Starts the other workers when the first one serves, and reports that the crew serves when all do. */
  #next(url: string): void {
    if (this.#serving() === 1) for (const berth of this.#berths.slice(1)) this.#start(berth);
    if (this.#serving() < this.#options.count) return;
    this.#state = "serving";
    this.#options.listening(url);
  }

  #ended(berth: Berth, code: number | null, signal: string | null): void {
    const { log, count } = this.#options;
    const isFirst = this.#state === "starting" && !berth.serving && this.#berths.every(({ serving }) => !serving);
    berth.child = undefined;
    berth.serving = false;
    if (this.#lead === berth) this.#lead = undefined;
    if (this.#state === "draining") {
      if (code !== 0) this.#hasFailed = true;
      this.#settle();
      return;
    }
    // The worker has already written the problem to standard error.
    if (isFirst && code !== null && count >= 1) {
      this.#over.resolve(code);
      return;
    }
    if (performance.now() - berth.began >= provenMs) berth.failures = 0;
    const wait = Math.min(firstWaitMs * 2 ** berth.failures, longestWaitMs);
    berth.failures += 1;
    log("error", `worker ${berth.number} has ended: it is started again`, { worker: berth.number, code, signal, retry_in_ms: wait });
    this.#appoint();
    this.#tellAll({ crew: "serving", count: this.#serving() });
    setTimeout(() => {
      if (this.#state !== "draining") this.#start(berth);
    }, wait);
  }

  /** Makes one of the serving workers the leader, as long as that worker serves. */
  #appoint(): void {
    if (this.#lead !== undefined) return;
    this.#lead = this.#berths.find(({ serving }) => serving);
    if (this.#lead !== undefined) this.#tell(this.#lead, { crew: "lead" });
  }

  #serving(): number {
    return this.#berths.filter(({ serving }) => serving).length;
  }

  #settle(): void {
    if (this.#berths.every(({ child }) => child === undefined)) this.#over.resolve(this.#hasFailed ? 1 : 0);
  }

  #tellAll(order: Order): void {
    for (const berth of this.#berths) this.#tell(berth, order);
  }

  #tell({ child }: Berth, order: Order): void {
    // The worker may end at this very moment, and its end is reported elsewhere.
    if (child?.isConnected()) child.send(order, () => undefined);
  }
}

/**
 * Closes the connections that a worker was given and had not taken when it ended. Node leaves them open: their clients would wait, and this
 * process would keep them for ever. Node gives a worker one connection of each address at a time, and closing it twice does nothing.
 */
function closeUntaken(child: ChildProcess): void {
  const sent = new Map<unknown, unknown>();
  const send = child.send as (...args: unknown[]) => boolean;
  child.send = (...args: unknown[]) => {
    sent.set((args[0] as { readonly key?: unknown }).key, args[1]);
    return send.apply(child, args);
  };
  child.on("exit", () => {
    // With other messages no connection is sent: here is null, or a function.
    for (const connection of sent.values()) (connection as { close?(): void } | null | undefined)?.close?.();
  });
}
