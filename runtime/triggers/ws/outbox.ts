import type { Socket } from "node:net";
import { textFrame } from "../../realtime/text-frame.ts";
import type { WebSocket } from "../websocket.ts";
import type { Bundle, Bundles } from "./bundles.ts";

/** The most bytes that may wait to be sent on a connection before pushes are dropped (spec/surfaces 3). */
const mostBytes = 1_048_576;
const mostFrames = 1_000;

/** The most frames, and the most bytes, that are held back for one write. */
const mostHeld = { frames: 64, bytes: 65_536 } as const;

export interface OutboxEvents {
  /** Called when a push was dropped. */
  readonly dropped: () => void;
  /**
   * Called with true when the connection must not be read, because answers would only wait; called with false when reading may continue.
   */
  readonly full: (isFull: boolean) => void;
}

/**
 * Sends the messages of a connection, and keeps those that wait while the client does not read. Whole frames are written to the stream
 * directly, because the library would write head and text separately. They cannot overtake frames of the library: without compression it
 * keeps none back.
 */
export class Outbox implements Bundle {
  readonly #connection: WebSocket;
  readonly #stream: Socket;
  readonly #bundles: Bundles;
  readonly #now: () => number;
  readonly #events: OutboxEvents;
  /** The number of frames that wait behind others. */
  #waiting = 0;
  /** The number of frames that are held back until the end of this turn. */
  #held = 0;
  #isFull = false;
  /** The time at which a frame was taken last, or began to wait. */
  #moved: number;

  /** `now` is milliseconds of a monotonic clock. */
  constructor(connection: WebSocket, stream: Socket, bundles: Bundles, now: () => number, events: OutboxEvents) {
    this.#connection = connection;
    this.#stream = stream;
    this.#bundles = bundles;
    this.#now = now;
    this.#moved = now();
    this.#events = events;
  }

  /**
   * Sends a message of a channel. When too much waits already, it is dropped, and the waiting messages are sent. When none waits, it is
   * held back for further messages of this turn.
   */
  push(frame: Buffer): void {
    if (this.#isOver(frame.length)) this.#events.dropped();
    else if (this.#isOpen) {
      if (this.#stream.writableLength === 0) this.#hold();
      this.#send(frame);
    }
  }

  /** Sends an answer, which is never dropped. */
  reply(text: string): void {
    if (this.#isOpen) this.#send(textFrame(text));
  }

  release(): void {
    if (!this.#isHolding) return;
    this.#held = 0;
    this.#stream.uncork();
    if (this.#stream.writableLength > 0) this.#moved = this.#now();
  }

  /** Milliseconds for which the client has read none of the waiting bytes; it must be called regularly. */
  get stuckFor(): number {
    if (this.#stream.writableLength === 0 || this.#isHolding) this.#moved = this.#now();
    return this.#now() - this.#moved;
  }

  /** True when too much waits. A message that the system has taken counts no more, even before its callback. */
  #isOver(more: number): boolean {
    const bytes = this.#stream.writableLength;
    return bytes > 0 && (this.#waiting >= mostFrames || bytes + more > mostBytes);
  }

  get #isOpen(): boolean {
    return this.#connection.readyState === this.#connection.OPEN;
  }

  get #isHolding(): boolean {
    return this.#stream.writableCorked > 0;
  }

  #hold(): void {
    this.#stream.cork();
    this.#bundles.add(this);
  }

  #send(frame: Buffer): void {
    if (frame.length >= mostHeld.bytes) this.release();
    if (this.#isHolding) this.#add(frame);
    else if (this.#stream.writableLength > 0 || frame.length >= mostHeld.bytes) this.#watch(frame);
    else {
      // Nearly always the system takes the frame at once, and no callback is needed.
      this.#stream.write(frame);
      if (this.#stream.writableLength > 0) this.#moved = this.#now();
    }
  }

  #add(frame: Buffer): void {
    this.#stream.write(frame);
    this.#held += 1;
    if (this.#held === mostHeld.frames || this.#stream.writableLength >= mostHeld.bytes) this.release();
  }

  #watch(frame: Buffer): void {
    if (this.#stream.writableLength === 0) this.#moved = this.#now();
    this.#waiting += 1;
    this.#stream.write(frame, this.#sent);
    this.#tell();
  }

  /** Also called for frames that can never be sent, when the connection has ended. */
  readonly #sent = (): void => {
    this.#waiting -= 1;
    this.#moved = this.#now();
    this.#tell();
  };

  #tell(): void {
    const isFull = this.#isOver(0);
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    this.#events.full(isFull);
  }
}
