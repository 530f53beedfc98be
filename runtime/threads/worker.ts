import { availableParallelism } from "node:os";
import type { Host, Resource } from "../process/host.ts";
import { Failure, type FailureKind } from "../value/failure.ts";
import type { Answer } from "./worker-port.ts";
import { Thread, type ThreadOptions, type WorkOptions } from "./worker-thread.ts";

/** Work that is too heavy or too risky for the event loop: its input comes from untrusted callers, or its time has no bound. */
export interface WorkerKind<Request, Reply> extends ThreadOptions {
  /** Threads at most; absent: as many as there are processors, up to four. */
  readonly threads?: number;
  /** The work that `runtime/threads/kinds/<name>.ts` does with a request. The member only carries the types and is never set. */
  readonly work?: (request: Request) => Reply | Promise<Reply>;
}

/**
 * Lets a thread of this kind work on a request. Request and reply are plain data and are copied. A `Failure` in the thread, or the end of
 * its time or memory, throws a `Failure` with the reason. An abort throws the reason of the signal; any other error of the thread is thrown
 * as a bug. A thread that was ended is replaced, a healthy one serves again, and an idle one does not keep the process alive. All threads
 * end with the host.
 */
export async function inWorker<Request, Reply>(
  host: Host,
  kind: WorkerKind<Request, Reply>,
  request: Request,
  options: WorkOptions,
): Promise<Reply> {
  const answer = await host.resource(`worker ${kind.name}`, () => new Pool(kind)).run(request, options);
  return replyOf(answer, kind, options.failure ?? "transform");
}

/** The reply of an answer. An answer without a reply throws: a failure as `Failure`, the stack of a bug as `Error`. */
export function replyOf<Request, Reply>(answer: Answer, { name }: WorkerKind<Request, Reply>, failure: FailureKind): Reply {
  if ("reply" in answer) return answer.reply as Reply; // what `work` of the kind gives
  if ("failure" in answer) throw new Failure(failure, answer.failure);
  throw new Error(`worker ${name}: ${answer.error}`);
}

/** Requests after which a thread is replaced, so that no leak of a library lasts. */
const requestsOfThread = 1000;
/** Milliseconds without work after which a thread gives its memory back. */
const idleMs = 60_000;

/** The threads of a kind. A request that finds all of them at work waits for its turn. */
class Pool implements Resource {
  readonly #kind: ThreadOptions & { readonly threads?: number };
  readonly #most: number;
  readonly #threads = new Set<Thread>();
  readonly #idle = new Set<Thread>();
  readonly #waiting = new Set<PromiseWithResolvers<Thread>>();

  constructor(kind: ThreadOptions & { readonly threads?: number }) {
    this.#kind = kind;
    this.#most = kind.threads ?? Math.min(4, availableParallelism());
  }

  async run(request: unknown, options: WorkOptions): Promise<Answer> {
    const thread = await this.#take(options.signal);
    try {
      return await thread.ask(request, options);
    } finally {
      this.#giveBack(thread);
    }
  }

  async close(): Promise<void> {
    for (const { reject } of this.#waiting) reject(new Error("the process is shutting down"));
    this.#waiting.clear();
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  /** Gives an idle thread, a new one, or the next one that has done its work. */
  async #take(signal: AbortSignal): Promise<Thread> {
    signal.throwIfAborted();
    const [idle] = this.#idle;
    if (idle !== undefined) {
      this.#idle.delete(idle);
      return idle;
    }
    if (this.#threads.size < this.#most) return this.#open();
    const turn = Promise.withResolvers<Thread>();
    const leave = (): void => {
      this.#waiting.delete(turn);
      turn.reject(signal.reason);
    };
    this.#waiting.add(turn);
    signal.addEventListener("abort", leave, { once: true });
    return await turn.promise.finally(() => signal.removeEventListener("abort", leave));
  }

  #giveBack(thread: Thread): void {
    if (thread.asked >= requestsOfThread) void thread.end();
    const [next] = this.#waiting;
    if (next !== undefined) {
      this.#waiting.delete(next);
      next.resolve(thread.ended ? this.#open() : thread);
    } else if (!thread.ended) {
      this.#idle.add(thread);
      thread.rest(idleMs);
    }
  }

  #open(): Thread {
    const thread = new Thread(this.#kind, (ended) => {
      this.#threads.delete(ended);
      this.#idle.delete(ended);
    });
    this.#threads.add(thread);
    return thread;
  }
}
