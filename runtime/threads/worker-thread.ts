import { once } from "node:events";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { Failure, type FailureKind } from "../value/failure.ts";
import { codeOf } from "../value/thrown.ts";
import type { Answer } from "./worker-port.ts";

/**
 * The code that a thread runs: the address of its file in a checkout; in a link, the text that stands in its place
 * (compiler/7-link/workers.ts).
 */
export type WorkerCode = URL | string;

export interface ThreadOptions {
  readonly name: string;
  readonly code: WorkerCode;
  /** Heap in MiB. A request that needs more fails and its thread ends; nothing else is affected. */
  readonly heap: number;
  /** MiB of memory beside the heap, for buffers and WebAssembly. A thread that takes more is ended, too, a moment later. */
  readonly buffers: number;
}

export interface WorkOptions {
  /** Its abort ends the thread that works on the request. */
  readonly signal: AbortSignal;
  /** Milliseconds of work, the wait for a free thread not counted; without it the signal alone is the bound. */
  readonly limit?: number;
  /** The kind of a failure; `transform` when absent. */
  readonly failure?: FailureKind;
}

/** The options of a thread, which gets nothing of the process: no environment, no arguments, no streams. */
export const settings = ({ name, code, heap }: ThreadOptions): WorkerOptions => ({
  name,
  eval: typeof code === "string",
  env: {},
  execArgv: [],
  resourceLimits: { maxOldGenerationSizeMb: heap },
});

/** Milliseconds between two looks at the buffers of a working thread, since Node has no limit for buffers. */
const lookEvery = 100;

/** A thread that works on one request at a time. It keeps the process alive only while it works. */
export class Thread {
  /** Requests so far. */
  asked = 0;
  ended = false;
  readonly #worker: Worker;
  readonly #heap: number;
  readonly #buffers: number;
  readonly #whenEnded: (thread: Thread) => void;
  readonly #stop = new AbortController();
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ThreadOptions, whenEnded: (thread: Thread) => void) {
    this.#heap = options.heap;
    this.#buffers = options.buffers;
    this.#whenEnded = whenEnded;
    this.#worker = new Worker(options.code, settings(options));
    for (const event of ["error", "messageerror"] as const) this.#worker.on(event, (error) => void this.#end(error));
    this.#worker.on("exit", () => void this.end());
    this.#worker.unref();
  }

  /** Gives the answer to a request. When it throws because there is no answer, the thread has ended. */
  async ask(request: unknown, { signal, limit, failure = "transform" }: WorkOptions): Promise<Answer> {
    signal.throwIfAborted();
    clearTimeout(this.#idle);
    this.asked += 1;
    const timer = limit === undefined ? undefined : setTimeout(() => this.#end(new Failure(failure, tooLong(limit))), limit);
    const look = setInterval(() => this.#lookAtBuffers(failure), lookEvery);
    const bound = AbortSignal.any([signal, this.#stop.signal]);
    this.#worker.ref();
    this.#worker.postMessage(request);
    try {
      const [answer] = await once(this.#worker, "message", { signal: bound });
      return answer;
    } catch (error) {
      void this.end();
      const reason = bound.aborted ? bound.reason : error;
      throw isOutOfMemory(reason) ? new Failure(failure, tooMuch(this.#heap)) : reason;
    } finally {
      clearTimeout(timer);
      clearInterval(look);
      this.#worker.unref();
    }
  }

  /** Ends the thread after `ms` milliseconds, unless it gets a request before. */
  rest(ms: number): void {
    this.#idle = setTimeout(() => void this.end(), ms).unref();
  }

  /** Ends the thread, even in the middle of its work. */
  async end(): Promise<void> {
    await this.#end(new Error("the thread has ended"));
  }

  async #lookAtBuffers(failure: FailureKind): Promise<void> {
    // A thread that has just ended has no statistics.
    const statistics = await this.#worker.getHeapStatistics().catch(() => undefined);
    if (statistics !== undefined && statistics.external_memory > this.#buffers * mebibyte)
      await this.#end(new Failure(failure, tooMuch(this.#buffers)));
  }

  async #end(reason: Error): Promise<void> {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.#idle);
    this.#whenEnded(this);
    this.#stop.abort(reason);
    await this.#worker.terminate();
  }
}

const tooLong = (ms: number): string => `took longer than ${ms / 1000} s`;

const tooMuch = (mebibytes: number): string => `needed more than ${mebibytes} MiB of memory`;

const mebibyte = 1_048_576;

const isOutOfMemory = (error: unknown): boolean => codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY";
