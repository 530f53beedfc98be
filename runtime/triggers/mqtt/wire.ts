import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { Frames } from "./frames.ts";
import { limits } from "./limits.ts";
import { Violation } from "./reasons.ts";

/** The functions by which a wire reports events of its socket. */
export interface Receiver {
  /** Called with a whole packet; the next one waits until the promise has settled. */
  readonly packet: (frame: Buffer) => Promise<void> | undefined;
  /** Called when the bytes of the client are no MQTT, or too many; no packet follows. */
  readonly violated: (violation: Violation) => void;
  /** Called when the client accepts bytes again. */
  readonly drained: () => void;
  /** Called when the socket is closed. */
  readonly gone: () => void;
  readonly bug: (error: unknown) => void;
}

/** Milliseconds of work for one client after which other clients get a turn. */
const turnMs = 20;

/** Milliseconds that a client has to read the reason for its disconnection. */
const farewellMs = 1_000;

/** The byte stream of one client: it gives packets one by one, in order; written bytes wait in a bounded buffer. */
export class Wire {
  readonly #stream: Duplex;
  readonly #receiver: Receiver;
  readonly #frames = new Frames(limits.packet);
  #isBusy = false;
  #isOver = false;
  #stalled: NodeJS.Timeout | undefined;

  constructor(stream: Duplex, receiver: Receiver) {
    this.#stream = stream;
    this.#receiver = receiver;
    stream.on("data", (chunk: Buffer) => this.#take(chunk));
    stream.on("drain", () => this.#drained());
    // Each of these events ends the connection.
    stream.on("error", () => stream.destroy());
    stream.on("end", () => stream.destroy());
    stream.on("close", () => this.#gone());
  }

  /** True while a packet of the client is being processed, or waits for others. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** True while more bytes wait to be written than a client may leave unread. */
  get isFull(): boolean {
    return this.#stream.writableLength > limits.buffer;
  }

  write(frame: Buffer): void {
    if (this.#isOver) return;
    this.#stream.write(frame);
    if (this.isFull) this.#stalled ??= setTimeout(() => this.#stream.destroy(), limits.drainMs).unref();
  }

  /** Writes the waiting bytes, and closes; nothing is read any more. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stream.end();
    setTimeout(() => this.#stream.destroy(), farewellMs).unref();
  }

  #take(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#frames.add(chunk);
    this.#work();
  }

  /** Handles packets one by one, as long as there is room for their answers: the wire stops reading from a client that does not read. */
  #work(): void {
    const began = performance.now();
    while (!this.#isBusy && !this.#isOver) {
      if (this.isFull) {
        this.#stream.pause();
        return;
      }
      try {
        const frame = this.#frames.next();
        if (frame === undefined) return;
        const pending = this.#receiver.packet(frame) ?? (performance.now() - began > turnMs ? setImmediate() : undefined);
        if (pending !== undefined) this.#await(pending);
      } catch (error) {
        this.#failed(error);
      }
    }
  }

  #await(pending: Promise<void>): void {
    this.#isBusy = true;
    this.#stream.pause();
    pending
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#isBusy = false;
        this.#goOn();
      });
  }

  #goOn(): void {
    this.#stream.resume();
    this.#work();
  }

  #failed(error: unknown): void {
    if (error instanceof Violation) this.#receiver.violated(error);
    else this.#receiver.bug(error);
  }

  #drained(): void {
    clearTimeout(this.#stalled);
    this.#stalled = undefined;
    if (this.#isOver) return;
    this.#receiver.drained();
    if (!this.#isBusy) this.#goOn();
  }

  #gone(): void {
    clearTimeout(this.#stalled);
    this.#isOver = true;
    this.#receiver.gone();
  }
}
