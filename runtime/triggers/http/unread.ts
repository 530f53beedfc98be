import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Roster } from "../../value/roster.ts";

/** Milliseconds for which a client may read nothing of an answer (spec/surfaces 1), and those between two looks at all of them. */
const patience = 30_000;
const lookMs = 5_000;

interface Watched {
  readonly socket: Socket;
  /** Bytes that the system had taken at the last look, and since when there are so many. */
  taken: number;
  since: number;
}

/** Ends connections whose clients do not read what they asked for: nothing else bounds how long their answers are kept. */
export class UnreadAnswers {
  readonly #watched = new Roster<Watched>();

  /** Watches until the socket closes, or until the result is called. */
  watch(socket: Socket): () => void {
    const leave = this.#watched.add({ socket, taken: -1, since: 0 });
    socket.once("close", leave);
    return leave;
  }

  /** `now`: milliseconds of a clock that never goes back. */
  look(now: number): void {
    for (const each of this.#watched) {
      const taken = takenOf(each.socket);
      if (each.socket.writableLength === 0 || taken !== each.taken) Object.assign(each, { taken, since: now });
      else if (now - each.since >= patience) each.socket.destroy();
    }
  }
}

/** Bytes of answers that have left the process. The handle knows them: the stream counts a long write only when its last byte has gone. */
function takenOf(socket: Socket): number {
  const { _handle: handle } = socket as Socket & {
    readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
  };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}

/** Watches all connections of a server but those that have left HTTP, whose protocols have bounds of their own. */
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
