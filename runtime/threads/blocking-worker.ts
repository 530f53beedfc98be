import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Host, Resource } from "../process/host.ts";
import { Failure } from "../value/failure.ts";
import { replyOf, type WorkerKind } from "./worker.ts";
import type { Answer, AtOnce } from "./worker-port.ts";
import { settings, type ThreadOptions, type WorkOptions } from "./worker-thread.ts";

/** Milliseconds that a new thread may take, in addition to its work, to read and compile its code. */
const startMs = 10_000;

/**
 * Lets a thread of this kind work on a request while the calling thread stands still: for places that cannot wait, and work of
 * milliseconds. Throws as `inWorker` does. The thread serves only the calling thread, so that no other work comes first.
 */
export function inBlockingWorker<Request, Reply>(
  host: Host,
  kind: WorkerKind<Request, Reply>,
  request: Request,
  { limit, failure }: Bounds,
): Reply {
  const answer = host.resource(`worker ${kind.name}, at once`, () => new BlockingWorker(kind)).ask(request, limit);
  if (answer === undefined) throw new Failure(failure, `took longer than ${limit / 1000} s`);
  return replyOf(answer, kind, failure);
}

type Bounds = Required<Pick<WorkOptions, "limit" | "failure">>;

/** One thread, which is replaced after it had to be ended. */
export class BlockingWorker implements Resource {
  readonly #options: ThreadOptions;
  #thread: { readonly worker: Worker; readonly port: MessagePort; readonly flag: Int32Array<SharedArrayBuffer> } | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** The answer; undefined when there was none within `limit` milliseconds. */
  ask(request: unknown, limit: number): Answer | undefined {
    const isNew = this.#thread === undefined;
    const thread = this.#thread ?? this.#open();
    this.#thread = thread;
    const { port, flag } = thread;
    Atomics.store(flag, 0, 0);
    port.postMessage(request);
    const inTime = isRaised(flag, limit + (isNew ? startMs : 0));
    if (!inTime) void this.close();
    const received: { readonly message: Answer } | undefined = inTime ? receiveMessageOnPort(port) : undefined;
    return received?.message;
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    thread?.port.close();
    await thread?.worker.terminate();
  }

  #open() {
    const { port1: port, port2 } = new MessageChannel();
    const flag = new Int32Array(new SharedArrayBuffer(4));
    const atOnce: AtOnce = { port: port2, flag };
    const worker = new Worker(this.#options.code, { ...settings(this.#options), workerData: { atOnce }, transferList: [port2] });
    // The error needs no handling: no answer comes, and the limit ends the wait.
    worker.on("error", () => undefined);
    worker.unref();
    port.unref();
    return { worker, port, flag };
  }
}

/**
 * Waits at most `limit` milliseconds until the flag is raised, and says whether it is. A wake does not prove that: a thread may pause
 * between raising the flag and waking us, so that its wake comes during the next request. If the wake counted as an answer, each request
 * would get the answer to the one before it.
 */
function isRaised(flag: Int32Array<SharedArrayBuffer>, limit: number): boolean {
  const end = performance.now() + limit;
  while (Atomics.load(flag, 0) === 0) {
    if (Atomics.wait(flag, 0, 0, Math.max(0, end - performance.now())) === "timed-out") return Atomics.load(flag, 0) !== 0;
  }
  return true;
}
