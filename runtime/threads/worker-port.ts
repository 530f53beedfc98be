import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { Failure } from "../value/failure.ts";
import { stackOf } from "../value/thrown.ts";
import { limitReason } from "../value/too-large.ts";

/** The answer of a thread to a request: the reply, the reason why the request fails, or the stack of a bug. */
export type Answer = { readonly reply: unknown } | { readonly failure: string } | { readonly error: string };

/** For a thread that is asked by `inBlockingWorker`: requests come by the port, and the flag says that the answer has been sent. */
export interface AtOnce {
  readonly port: MessagePort;
  readonly flag: Int32Array<SharedArrayBuffer>;
}

/**
 * Makes this thread work on the requests that `inWorker` sends, one after the other. A `Failure` of the work fails the request with its
 * reason. In the main thread, where a test may call the work itself, this does nothing.
 */
export function answer<Request, Reply>(work: (request: Request) => Reply | Promise<Reply>): void {
  if (parentPort === null) return;
  const port = parentPort;
  // Lines that a library prints are dropped: they would reach the log, and keep the process alive until they are read.
  process.stdout.write = process.stderr.write = () => true;
  port.on("message", async (request: Request) => port.postMessage(await answerTo(work, request)));
  const { atOnce } = (workerData ?? {}) as { readonly atOnce?: AtOnce }; // as `inBlockingWorker` gives it
  atOnce?.port.on("message", async (request: Request) => {
    atOnce.port.postMessage(await answerTo(work, request));
    Atomics.store(atOnce.flag, 0, 1);
    Atomics.notify(atOnce.flag, 0);
  });
}

async function answerTo<Request, Reply>(work: (request: Request) => Reply | Promise<Reply>, request: Request): Promise<Answer> {
  try {
    return { reply: await work(request) };
  } catch (error) {
    if (error instanceof Failure) return { failure: error.message };
    const limit = limitReason(error);
    if (limit !== undefined) return { failure: limit };
    return { error: stackOf(error) };
  }
}
