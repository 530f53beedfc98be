import type { Host } from "../../process/host.ts";
import type { Target } from "../../run/interface.ts";
import { LiveRun } from "../../run/live-run.ts";
import type { Request } from "../../run/received.ts";
import type { Reply } from "../../run/response.ts";
import { isObject, type Json, type JsonObject, put } from "../../value/json.ts";
import { beginRun } from "../message-run.ts";
import { jsonOf } from "../reply-json.ts";
import { WorkQueue } from "../work-queue.ts";

/** Frames that wait for the run before them (spec/surfaces 3). */
const longest = 64;

/** A frame that runs the interface. */
interface QueuedFrame {
  readonly target: Target;
  readonly request: Request;
  /** Its `ap_id`. */
  readonly id: Json | undefined;
}

/** The runs of one connection: one after the other, in the order of its frames. */
export class RunQueue {
  readonly #host: Host;
  readonly #reply: (text: string) => void;
  readonly #queue = new WorkQueue(longest);

  constructor(host: Host, reply: (text: string) => void) {
    this.#host = host;
    this.#reply = reply;
  }

  /** False when too many wait already. */
  add({ target: { config, interface: target }, request, id }: QueuedFrame): boolean {
    return this.#queue.add((done) =>
      beginRun(new LiveRun(this.#host, config, target, request), (reply) => {
        if (target.ws === "reply") this.#answer(reply, id);
        done();
      }),
    );
  }

  /** Forgets what waits; what runs goes on to its end. */
  clear(): void {
    this.#queue.clear();
  }

  #answer(reply: Reply, id: Json | undefined): void {
    const text = id === undefined ? reply.body : withId(reply, id);
    // A silent interface has nothing to say.
    if (text !== "") this.#reply(text);
  }
}

/** choice: a reply that is no object has no place for the id, so that it becomes the member `data` of one. */
function withId(reply: Reply, id: Json): string {
  if (reply.body === "") return JSON.stringify({ ap_id: id });
  const value = jsonOf(reply);
  if (value === undefined || !isObject(value)) return JSON.stringify({ data: value === undefined ? reply.body : value, ap_id: id });
  const out: JsonObject = { ...value };
  put(out, "ap_id", id);
  return JSON.stringify(out);
}
