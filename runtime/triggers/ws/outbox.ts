import type { Socket } from "node:net";
import { textFrame } from "../../realtime/text-frame.ts";
import type { WebSocket } from "../websocket.ts";
import type { Bundle, Bundles } from "./bundles.ts";

/** The most bytes that may wait to be sent on a connection before pushes are dropped (spec/surfaces 3). */
const mostBytes = 1_048_576;
const mostFrames = 1_000;

/** The most frames, and bytes, that are held back for one write. */
const mostHeld = { frames: 64, bytes: 65_536 } as const;

export interface OutboxEvents {
  /** A push was dropped. */
  readonly dropped: () => void;
  /** Called with true when nothing more should be read, because answers would only wait; and with false when reading may go on. */
  readonly full: (isFull: boolean) => void;
}

/**
 * Sends the messages of a connection, and keeps those that wait while the client does not read. Whole frames are written to the stream past
 * the library, which would write head and text apart; it keeps nothing back that they could overtake, since nothing is compressed.
 */
export class Outbox implements Bundle {
  readonly #connection: WebSocket;
  readonly #stream: Socket;
  readonly #bundles: Bundles;
  readonly #now: () => number;
  readonly #events: OutboxEvents;
  /** Frames that wait behind others. */
  #waiting = 0;
  /** Frames that are held back until the end of this turn. */
  #held = 0;
  #isFull = false;
  /** When a frame was taken last, or began to wait. */
  #moved: number;

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(connection: WebSocket, stream: Socket, bundles: Bundles, now: () => number, events: OutboxEvents) {
    this.#connection = connection;
    this.#stream = stream;
    this.#bundles = bundles;
    this.#now = now;
    this.#moved = now();
    this.#events = events;
  }

  /**
   * A message of a channel: when too much waits already, it is dropped, and those that wait are sent. Where nothing waits, it is held back
   * for others of this turn.
   */
  push(frame: Buffer): void {
    if (this.#isOver(frame.length)) this.#events.dropped();
    else if (this.#isOpen) {
      if (this.#stream.writableLength === 0) this.#hold();
      this.#send(frame);
    }
  }

  /** An answer is never dropped. */
  reply(text: string): void {
    if (this.#isOpen) this.#send(textFrame(text));
  }

  release(): void {
    if (!this.#isHolding) return;
    this.#held = 0;
    this.#stream.uncork();
    if (this.#stream.writableLength > 0) this.#moved = this.#now();
  }

  /** Milliseconds for which the client has read nothing of what waits; it must be asked for regularly. */
  get stuckFor(): number {
    if (this.#stream.writableLength === 0 || this.#isHolding) this.#moved = this.#now();
    return this.#now() - this.#moved;
  }

  /** A message that the system has taken at once waits no more, though its callback is still to come. */
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
      // Nearly always the system takes it at once, and nobody has to hear of it.
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

  /** Also called for what can never be sent, when the connection has ended. */
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
