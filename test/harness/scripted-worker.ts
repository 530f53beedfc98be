import { threadId } from "node:worker_threads";
import { answer } from "#runtime/threads/worker-port.ts";
import { Failure } from "#runtime/value/failure.ts";

/** The orders to a thread of a test, before it replies with its number. */
export interface WorkerOrders {
  readonly does?: "loop" | "grow" | "fill" | "break" | "leave" | "print" | "fail" | "throw";
  /** Milliseconds for which the thread is busy. */
  readonly ms?: number;
}

const held: unknown[] = [];

export function obey({ does, ms = 0 }: WorkerOrders): number | Promise<never> {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  switch (does) {
    case "loop":
      for (;;);
    case "grow":
      for (;;) held.push(new Array(1000).fill(held.length));
    case "fill":
      for (;;) held.push(Buffer.alloc(100_000, 1));
    case "break":
      setImmediate(() => {
        throw new Error("outside of any answer");
      });
      return new Promise(() => undefined);
    case "leave":
      return process.exit(3);
    case "print":
      console.log("out");
      process.emitWarning("err");
      break;
    case "fail":
      throw new Failure("transform", "not a document");
    case "throw":
      throw new TypeError("x");
  }
  return Object.keys(process.env).length === 0 ? threadId : -1;
}

answer(obey);
