import { Worker } from "node:worker_threads";
import type { Answer, Ask } from "./message.ts";

/** The time limit in milliseconds for one analysis of a project. Beyond it the thread is ended. */
const limitMs = 60_000;

/** The memory limit of the thread, in megabytes. */
const mostMegabytes = 1024;

/** The address of the thread's code: beside this file in a checkout, and beside the modules of the command in the package. */
const code = new URL(import.meta.url.endsWith(".ts") ? "./thread.ts" : "./lsp-thread.mjs", import.meta.url);

/** Analyses projects in a thread, one after the other. */
export interface Analyst {
  /** Analyses a project. If the thread has ended meanwhile, the answer has a `problem`, and the next analysis starts another thread. */
  readonly look: (ask: Omit<Ask, "id">) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

export function analyst(): Analyst {
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let id = 0;
  const started = (): Worker => {
    worker ??= new Worker(code, { resourceLimits: { maxOldGenerationSizeMb: mostMegabytes }, stdout: true, stderr: true });
    return worker;
  };
  const ended = async (): Promise<void> => {
    const old = worker;
    worker = undefined;
    await old?.terminate();
  };
  const ask = async (question: Omit<Ask, "id">): Promise<Answer> => {
    id += 1;
    const answer = await answered(started(), { ...question, id });
    if (answer.id === lost) await ended();
    return answer;
  };
  return {
    look(question) {
      const answer = last.then(() => ask(question));
      last = answer;
      return answer;
    },
    close: ended,
  };
}

/** The id of an answer that does not come from a thread. */
const lost = -1;

function answered(worker: Worker, ask: Ask): Promise<Answer> {
  return new Promise((resolve) => {
    const end = (answer: Answer): void => {
      clearTimeout(alarm);
      worker.off("message", received);
      worker.off("error", failed);
      worker.off("exit", gone);
      resolve(answer);
    };
    const received = (answer: Answer): void => {
      if (answer.id === ask.id) end(answer);
    };
    const without = (problem: string): Answer => ({ id: lost, found: [], problem });
    const failed = (error: Error): void => end(without(`the analysis has failed: ${error.stack ?? error.message}`));
    const gone = (): void => end(without("the analysis has ended"));
    const alarm = setTimeout(() => end(without(`the analysis took more than ${limitMs / 1000} s`)), limitMs);
    worker.on("message", received);
    worker.on("error", failed);
    worker.on("exit", gone);
    worker.postMessage(ask);
  });
}
