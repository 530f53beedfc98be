import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Roster } from "../../value/roster.ts";

/** Milliseconds for which a client may leave an answer unread (spec/surfaces 1), and between two checks of all answers. */
const patience = 30_000;
const lookMs = 5_000;

interface Watched {
  readonly socket: Socket;
  /** Bytes that the system had taken at the last check, and the time since when there are so many. */
  taken: number;
  since: number;
}

/** Ends connections whose clients do not read their answers, because nothing else bounds how long the answers stay in memory. */
export class UnreadAnswers {
  readonly #watched = new Roster<Watched>();

  /** Watches until the socket closes, or until the result is called. */
  watch(socket: Socket): () => void {
    const leave = this.#watched.add({ socket, taken: -1, since: 0 });
    socket.once("close", leave);
    return leave;
  }

  /** Checks all connections; `now` is milliseconds of a monotonic clock. */
  look(now: number): void {
    for (const each of this.#watched) {
      const taken = takenOf(each.socket);
      if (each.socket.writableLength === 0 || taken !== each.taken) Object.assign(each, { taken, since: now });
      else if (now - each.since >= patience) each.socket.destroy();
    }
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
export function endUnread(server: Server, now: () => number): void {
  const answers = new UnreadAnswers();
  const leaves = new WeakMap<object, () => void>();
  let timer: NodeJS.Timeout | undefined;
  server.on("connection", (socket: Socket) => leaves.set(socket, answers.watch(socket)));
  server.on("upgrade", (_message, socket) => leaves.get(socket)?.());
  server.on("listening", () => {
    timer = setInterval(() => answers.look(now()), lookMs).unref();
  });
  server.on("close", () => clearInterval(timer));
}
