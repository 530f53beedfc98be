import type { Socket } from "node:net";
import type { BoundedServer } from "./server.ts";

/** Milliseconds for which a client may leave an answer unread (spec/surfaces 1), and between two checks of all answers. */
const patience = 30_000;
const lookMs = 5_000;

/** Bytes that the system had taken of an answer, and the time of the first check that found so many. */
interface Unread {
  readonly taken: number;
  readonly since: number;
}

/** Ends connections whose clients do not read their answers, because nothing else bounds how long the answers stay in memory. */
export class UnreadAnswers {
  readonly #sockets: Iterable<Socket>;
  /** The connections that had bytes left to send at the last check. */
  #unread: ReadonlyMap<Socket, Unread> = new Map();
  readonly #left = new WeakSet<object>();

  constructor(sockets: Iterable<Socket>) {
    this.#sockets = sockets;
  }

  /** Stops watching a connection. */
  leave(socket: object): void {
    this.#left.add(socket);
  }

  /** Checks all connections; `now` is milliseconds of a monotonic clock. */
  look(now: number): void {
    const unread = new Map<Socket, Unread>();
    for (const socket of this.#sockets) {
      if (socket.writableLength === 0 || this.#left.has(socket)) continue;
      const taken = takenOf(socket);
      const earlier = this.#unread.get(socket);
      const { since } = earlier?.taken === taken ? earlier : { since: now };
      if (now - since >= patience) socket.destroy();
      else unread.set(socket, { taken, since });
    }
    this.#unread = unread;
  }
}

/** Bytes of answers that have left the process. Only the handle knows them: the stream counts a long write when its last byte has left. */
function takenOf(socket: Socket): number {
  const { _handle: handle } = socket as Socket & {
    readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
  };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}

/** Watches all connections of a server, except those that have left HTTP, whose protocols have bounds of their own. */
export function endUnread({ server, sockets }: BoundedServer, now: () => number): void {
  const answers = new UnreadAnswers(sockets);
  server.on("upgrade", (_message, socket) => answers.leave(socket));
  let timer: NodeJS.Timeout | undefined;
  server.on("listening", () => {
    timer = setInterval(() => answers.look(now()), lookMs).unref();
  });
  server.on("close", () => clearInterval(timer));
}
