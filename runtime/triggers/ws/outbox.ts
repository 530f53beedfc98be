import type { WebSocket } from "../websocket.ts";

/** The most bytes that may wait to be sent on a connection before pushes are dropped (spec/surfaces 3). */
const mostBytes = 1_048_576;
const mostFrames = 1_000;

export interface OutboxEvents {
  /** A push was dropped. */
  readonly dropped: () => void;
  /** Called with true when nothing more should be read, because answers would only wait; and with false when reading may go on. */
  readonly full: (isFull: boolean) => void;
}

/** Sends the messages of a connection, and keeps those that wait while the client does not read. */
export class Outbox {
  readonly #connection: WebSocket;
  readonly #now: () => number;
  readonly #events: OutboxEvents;
  /** Frames that the system has not taken yet. */
  #waiting = 0;
  #isFull = false;
  /** When a frame was taken last, or began to wait. */
  #moved: number;

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(connection: WebSocket, now: () => number, events: OutboxEvents) {
    this.#connection = connection;
    this.#now = now;
    this.#moved = now();
    this.#events = events;
  }

  /** A message of a channel: when too much waits already, it is dropped, and those that wait are sent. */
  push(frame: Buffer): void {
    if (this.#isOver(frame.length)) this.#events.dropped();
    else this.#send(frame);
  }

  /** An answer is never dropped. */
  reply(text: string): void {
    this.#send(text);
  }

  /** Milliseconds for which the client has read nothing of what waits; it must be asked for regularly. */
  get stuckFor(): number {
    if (this.#connection.bufferedAmount === 0) this.#moved = this.#now();
    return this.#now() - this.#moved;
  }

  /** A message that the system has taken at once waits no more, though its callback is still to come. */
  #isOver(more: number): boolean {
    const { bufferedAmount: bytes } = this.#connection;
    return bytes > 0 && (this.#waiting >= mostFrames || bytes + more > mostBytes);
  }

  #send(frame: Buffer | string): void {
    if (this.#connection.readyState !== this.#connection.OPEN) return;
    if (this.#waiting === 0) this.#moved = this.#now();
    this.#waiting += 1;
    this.#connection.send(frame, { binary: false }, () => this.#sent());
    this.#tell();
  }

  /** Also called for what can never be sent, when the connection has ended. */
  #sent(): void {
    this.#waiting -= 1;
    this.#moved = this.#now();
    this.#tell();
  }

  #tell(): void {
    const isFull = this.#isOver(0);
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    this.#events.full(isFull);
  }
}
