import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { Host } from "../../process/host.ts";
import type { Channels, Listener } from "../../realtime/channels.ts";
import type { Levels } from "../../realtime/names.ts";
import type { Target } from "../../run/interface.ts";
import { sliceMs } from "../../threads/slices.ts";
import type { Json, JsonObject } from "../../value/json.ts";
import { stackOf } from "../../value/thrown.ts";
import { denialOf } from "../denial.ts";
import type { RawData, WebSocket } from "../websocket.ts";
import type { Bundles } from "./bundles.ts";
import { type Frame, type Operation, readFrame } from "./frames.ts";
import { Operations } from "./operations.ts";
import { Outbox } from "./outbox.ts";
import { Rights } from "./rights.ts";
import { RunQueue } from "./run-queue.ts";
import type { Sent, Visitor } from "./visitor.ts";

/** The reasons for which a connection is closed (RFC 6455, 7.4; codes from 4000 up are pipewright's own). */
export const closeCodes = {
  goingAway: 1001,
  unsupportedData: 1003,
  policyViolation: 1008,
  internalError: 1011,
  tryAgainLater: 1013,
  credentialExpired: 4401,
} as const;

/** Times in milliseconds (spec/surfaces 3). */
export interface ConnectionWaits {
  /** The time between two pings. */
  readonly ping: number;
  /** The time for which a client may send nothing, not even the answer to a ping. */
  readonly pong: number;
  /** The time for which messages for a client may be stuck because it does not read them. */
  readonly drain: number;
  /** The time that such a client has to read the rest after its connection is closed. */
  readonly late: number;
  /** The wait for the answer to a close frame. */
  readonly close: number;
  /** The wait for the answer of an authorizer. */
  readonly authorizer: number;
}

export const usualWaits: ConnectionWaits = { ping: 30_000, pong: 60_000, drain: 30_000, late: 30_000, close: 2_000, authorizer: 5_000 };

/** A client that makes `errors` mistakes in `ms` milliseconds is disconnected. */
const patience = { errors: 20, ms: 10_000 } as const;

/** The most operations that wait for the rights of the ones before them; above it, the connection is not read. */
const mostOperations = 64;
/** The bytes of waiting operations from which on the connection is not read: those of one frame of the largest size. */
const mostPending = 262_144;

export interface ConnectionOptions {
  readonly host: Host;
  readonly socket: WebSocket;
  /** The stream that carries the connection's frames. */
  readonly stream: Socket;
  readonly bundles: Bundles;
  readonly visitor: Visitor;
  readonly channels: Channels;
  readonly publicChannels: readonly Levels[];
  readonly waits: ConnectionWaits;
  /** The interface to which the client is connected, in its current version. */
  readonly served: () => Target;
  readonly dropped: () => void;
  readonly ended: () => void;
}

/** One WebSocket connection: its operations and the messages for it (spec/surfaces 3). */
export class Connection implements Listener {
  readonly #options: ConnectionOptions;
  readonly #outbox: Outbox;
  readonly #runs: RunQueue;
  readonly #operations: Operations;
  /** The end of the last operation: each operation begins when the one before has ended. */
  #last: Promise<void> = Promise.resolve();
  #pending = 0;
  #pendingBytes = 0;
  #isChoked = false;
  /** Continues operations that wait for room for their answers. */
  #unchoked: (() => void) | undefined;
  /** The time at which other work gets a turn between operations. */
  #until = 0;
  /** Times of the last errors. */
  #errors: number[] = [];
  #heard: number;
  #pinged: number;
  #isClosed = false;
  /** Ends a connection whose client does not close its side. */
  #closing: NodeJS.Timeout | undefined;

  constructor(options: ConnectionOptions) {
    const { host, socket, channels, visitor, publicChannels, served, dropped } = options;
    const now = host.monotonic;
    this.#options = options;
    this.#heard = now();
    this.#pinged = now();
    this.#outbox = new Outbox(socket, options.stream, options.bundles, now, { dropped, full: (isFull) => this.#choke(isFull) });
    this.#runs = new RunQueue(host, (text) => this.#outbox.reply(text));
    const rights = new Rights({ host, visitor, served, publicChannels, patience: options.waits.authorizer });
    this.#operations = new Operations({ channels, listener: this, rights, now, isClosed: () => this.#isClosed });
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    socket.on("pong", () => {
      this.#heard = now();
    });
    socket.on("close", () => this.#end());
    // The library closes a connection with a broken frame itself, with the right code.
    socket.on("error", () => undefined);
  }

  /** True for a client that has connected without any credential. */
  get isAnonymous(): boolean {
    const { hasKey, token } = this.#options.visitor;
    return !hasKey && token === undefined;
  }

  push(frame: Buffer): void {
    this.#outbox.push(frame);
  }

  /** Asks for a sign of life from time to time, and ends a connection that must not continue. */
  tick(): void {
    const { host, socket, visitor, waits } = this.#options;
    const now = host.monotonic();
    if (socket.readyState !== socket.OPEN) return;
    if (visitor.expires !== undefined && host.now() >= visitor.expires) this.close(closeCodes.credentialExpired);
    else if (this.#outbox.stuckFor > waits.drain) this.close(closeCodes.tryAgainLater);
    else if (now - this.#heard > waits.pong && !socket.isPaused) socket.terminate();
    else if (now - this.#pinged >= waits.ping) {
      this.#pinged = now;
      socket.ping();
    }
  }

  /**
   * Closes the connection after the waiting messages. A client that has not read gets time for all of them; any other client only for its
   * close frame.
   */
  close(code: number): void {
    const { socket, waits } = this.#options;
    this.#runs.clear();
    socket.close(code);
    // The close frame of the client must be read.
    socket.resume();
    clearTimeout(this.#closing);
    this.#closing = setTimeout(() => socket.terminate(), code === closeCodes.tryAgainLater ? waits.late : waits.close).unref();
  }

  /** Ends the connection without a close frame. */
  terminate(): void {
    this.#options.socket.terminate();
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#unchoked?.();
    clearTimeout(this.#closing);
    this.#runs.clear();
    this.#options.channels.forget(this);
    this.#options.ended();
  }

  #receive(data: RawData, isBinary: boolean): void {
    const { socket, host } = this.#options;
    // Frames after this side's close frame are ignored.
    if (socket.readyState !== socket.OPEN) return;
    this.#heard = host.monotonic();
    if (isBinary) {
      this.close(closeCodes.unsupportedData);
      return;
    }
    // The library gives one buffer for each message.
    const bytes = data as Buffer;
    try {
      const text = bytes.toString();
      this.#hear(readFrame(text), { text, bytes });
    } catch (error) {
      this.#bug(error);
    }
  }

  #hear(frame: Frame, sent: Sent): void {
    // A run may publish to channels that the client subscribed to before.
    if (frame.kind === "run" && this.#pending > 0) this.#inTurn(async () => this.#run(frame, sent), sent);
    else if (frame.kind === "run") this.#run(frame, sent);
    else if (frame.kind === "operation") this.#inTurn(() => this.#do(frame.operation, frame.id), sent);
    else this.#refuse(frame.code, frame.op, frame.id);
  }

  #run({ body, id }: Extract<Frame, { kind: "run" }>, sent: Sent): void {
    const { visitor, served } = this.#options;
    const target = served();
    const refusal = target.interface.network === undefined ? undefined : this.#refusalOf(target);
    if (refusal !== undefined) this.#refuse(refusal, "run", id);
    else if (!this.#runs.add({ target, request: visitor.request("ws", body, sent), id })) this.#refuse("rate_limited", "run", id);
  }

  #refusalOf(target: Target): "rate_limited" | "forbidden" | undefined {
    const { host, visitor } = this.#options;
    let rule: string | undefined;
    const denied = (by: string): void => {
      rule = by;
    };
    if (denialOf(target, visitor.caller, host, { denied }) === undefined) return undefined;
    return rule === "rate_limit" ? "rate_limited" : "forbidden";
  }

  /** Does work when all earlier operations are done. */
  #inTurn(work: () => Promise<void>, { bytes: { length } }: Sent): void {
    if (this.#pending === 0) this.#until = this.#options.host.monotonic() + sliceMs;
    this.#pending += 1;
    this.#pendingBytes += length;
    this.#flow();
    this.#last = this.#last
      .then(() => this.#turn())
      .then(() => (this.#isClosed ? undefined : work()))
      .catch((error: unknown) => this.#bug(error))
      .finally(() => {
        this.#pending -= 1;
        this.#pendingBytes -= length;
        this.#flow();
      });
  }

  /**
   * Lets other work have a turn, and the client read its answers. Otherwise frames that were read before the socket was paused would all be
   * answered at once.
   */
  async #turn(): Promise<void> {
    const { monotonic } = this.#options.host;
    if (monotonic() >= this.#until) {
      await setImmediate();
      this.#until = monotonic() + sliceMs;
    }
    while (this.#isChoked && !this.#isClosed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#unchoked = resolve;
      await promise;
    }
  }

  async #do(operation: Operation, id: Json | undefined): Promise<void> {
    const { reply, errors, after } = await this.#operations.do(operation);
    if (reply !== undefined) {
      const text = JSON.stringify(tagged(reply, id));
      this.#operations.answered(operation, text.length);
      this.#outbox.reply(text);
    }
    for (const { channel, code } of errors) this.#refuse(code, operation.op, id, channel);
    after?.();
  }

  /** Sends an error. After too many errors in a short time the connection is closed, because its client does not react to them. */
  #refuse(code: string, op: string, id: Json | undefined, channel?: string): void {
    if (this.#options.socket.readyState !== this.#options.socket.OPEN) return;
    const error = { ap_error: code, op, ...(channel === undefined ? {} : { channel }) };
    this.#outbox.reply(JSON.stringify(tagged(error, id)));
    const now = this.#options.host.monotonic();
    this.#errors = [...this.#errors.filter((at) => now - at < patience.ms), now];
    if (this.#errors.length >= patience.errors) this.close(closeCodes.policyViolation);
  }

  /** Handles an error that no feature meant to throw: the client gets no detail, the log has the stack. */
  #bug(error: unknown): void {
    const { config, interface: target } = this.#options.served();
    this.#options.host.log("critical", "unexpected error in a socket", {
      config: config.name,
      interface: target.name,
      stack: stackOf(error),
    });
    this.close(closeCodes.internalError);
  }

  #choke(isFull: boolean): void {
    this.#isChoked = isFull;
    if (!isFull) this.#unchoked?.();
    this.#flow();
  }

  /** Reads only while there is room for the answers. */
  #flow(): void {
    const { socket } = this.#options;
    if (socket.readyState !== socket.OPEN) return;
    const isFull = this.#isChoked || this.#pending >= mostOperations || this.#pendingBytes >= mostPending;
    if (isFull && !socket.isPaused) socket.pause();
    else if (!isFull && socket.isPaused) {
      this.#heard = this.#options.host.monotonic();
      socket.resume();
    }
  }
}

/** An answer with the `ap_id` of its request. */
const tagged = (answer: JsonObject, id: Json | undefined): JsonObject => (id === undefined ? answer : { ...answer, ap_id: id });
