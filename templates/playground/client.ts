import type { Answer, Compiled, Files } from "./compiled.ts";

/** Times in milliseconds: from the last key to the compile, and the limits for one compile and for loading the worker. */
export const times = { still: 250, compile: 5_000, start: 30_000 } as const;

/** The end of a compile. */
export type Outcome =
  | { readonly is: "compiled"; readonly compiled: Compiled; readonly ms: number }
  | { readonly is: "stopped" }
  | { readonly is: "broken"; readonly reason: string };

/** Compiles in a worker, one text at a time. Of the texts that come during a compile, only the last is compiled next. */
export class Compiler {
  #worker: Worker | undefined;
  #isReady = false;
  #alarm: number | undefined;
  #began = 0;
  #busy: number | undefined;
  #next: Files | undefined;
  #last = 0;

  readonly #address: string;
  readonly #tell: (outcome: Outcome) => void;

  constructor(address: string, tell: (outcome: Outcome) => void) {
    this.#address = address;
    this.#tell = tell;
  }

  compile(files: Files): void {
    this.#next = files;
    if (this.#worker === undefined) this.#start();
    else this.#ask();
  }

  #start(): void {
    try {
      this.#worker = new Worker(this.#address);
    } catch {
      this.#fail(unopened());
      return;
    }
    const worker = this.#worker;
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => this.#hear(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#fail(this.#isReady ? event.message : unopened());
    });
    this.#alarm = setTimeout(() => this.#fail("the compiler could not be loaded"), times.start);
  }

  #ask(): void {
    const files = this.#next;
    if (!this.#isReady || this.#busy !== undefined || files === undefined) return;
    this.#next = undefined;
    this.#busy = ++this.#last;
    this.#began = performance.now();
    this.#alarm = setTimeout(() => this.#stop(), times.compile);
    this.#worker?.postMessage({ id: this.#busy, files });
  }

  #hear(answer: Answer): void {
    if ("id" in answer && answer.id !== this.#busy) return;
    clearTimeout(this.#alarm);
    this.#isReady = true;
    this.#busy = undefined;
    if ("compiled" in answer) this.#tell({ is: "compiled", compiled: answer.compiled, ms: performance.now() - this.#began });
    else if ("broken" in answer) this.#tell({ is: "broken", reason: answer.broken });
    this.#ask();
  }

  /** Ends the worker; the next text starts a new one. */
  #end(): void {
    clearTimeout(this.#alarm);
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#isReady = false;
    this.#busy = undefined;
  }

  #stop(): void {
    this.#end();
    this.#tell({ is: "stopped" });
    if (this.#next !== undefined) this.#start();
  }

  #fail(reason: string): void {
    this.#end();
    this.#next = undefined;
    this.#tell({ is: "broken", reason });
  }
}

const unopened = (): string =>
  location.protocol === "file:"
    ? "this browser starts no worker for a page from a file: serve the folder, for example with npx serve, and open it there"
    : "the compiler could not be loaded";
