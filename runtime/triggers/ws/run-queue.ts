import { longText, parseJsonWork } from "../../formats/json-text.ts";
import { isLarge, jsonWork } from "../../formats/json-writing.ts";
import type { Host } from "../../process/host.ts";
import type { Target } from "../../run/interface.ts";
import { LiveRun } from "../../run/live-run.ts";
import type { Request } from "../../run/received.ts";
import type { Reply } from "../../run/response.ts";
import { inSlices, type Work } from "../../threads/slices.ts";
import { isObject, type Json, type JsonObject, put } from "../../value/json.ts";
import { stackOf } from "../../value/thrown.ts";
import { beginRun } from "../message-run.ts";
import { isJson, jsonOf } from "../reply-json.ts";
import { WorkQueue } from "../work-queue.ts";

/** The most frames that wait for the run before them (spec/surfaces 3). */
const longest = 64;

/** The most bytes of frames whose runs wait or go on, of all connections together. In memory a frame takes three times its bytes. */
const mostBytes = 67_108_864;

/** Bytes of frames whose runs wait or go on, of all connections of the process. */
interface Held {
  bytes: number;
  readonly close: () => void;
}

const heldBy = (host: Host): Held => host.resource("frames of sockets", () => ({ bytes: 0, close: () => undefined }));

/** A frame that runs the interface. */
interface QueuedFrame {
  readonly target: Target;
  readonly request: Request;
  /** The `ap_id` of the frame. */
  readonly id: Json | undefined;
}

/** The runs of one connection: one after the other, in the order of its frames. */
export class RunQueue {
  readonly #host: Host;
  readonly #held: Held;
  readonly #reply: (text: string) => void;
  readonly #queue = new WorkQueue(longest);
  /** Bytes of its frames whose runs wait or go on. */
  #bytes = 0;
  /** Bytes of those that wait. */
  #waiting = 0;

  constructor(host: Host, reply: (text: string) => void) {
    this.#host = host;
    this.#held = heldBy(host);
    this.#reply = reply;
  }

  /**
   * Adds a frame; false when too many frames, or bytes of them, wait already. A connection whose frames have all been answered always has a
   * place.
   */
  add({ target: { config, interface: target }, request, id }: QueuedFrame): boolean {
    const bytes = request.bytes?.length ?? 0;
    if (this.#bytes > 0 && this.#held.bytes + bytes > mostBytes) return false;
    this.#hold(bytes);
    this.#waiting += bytes;
    const isTaken = this.#queue.add((done) => {
      this.#waiting -= bytes;
      const end = (): void => {
        this.#hold(-bytes);
        done();
      };
      beginRun(new LiveRun(this.#host, config, target, request), (reply) => {
        const sending = target.ws === "reply" ? this.#answer(reply, id) : undefined;
        if (sending === undefined) end();
        else
          sending
            .catch((error: unknown) => this.#host.log("critical", "unexpected error in an answer", { stack: stackOf(error) }))
            .finally(end);
      });
    });
    if (isTaken) return true;
    this.#hold(-bytes);
    this.#waiting -= bytes;
    return false;
  }

  /** Forgets waiting frames; a run under way continues to its end. */
  clear(): void {
    this.#queue.clear();
    this.#hold(-this.#waiting);
    this.#waiting = 0;
  }

  #hold(bytes: number): void {
    this.#bytes += bytes;
    this.#held.bytes += bytes;
  }

  /** Sends an answer. A large one is parsed and written again in slices, between which other work has its turns. */
  #answer(reply: Reply, id: Json | undefined): Promise<void> | undefined {
    const text =
      id === undefined ? reply.body : inSlices(withId(reply, id), { run: { host: this.#host }, signal: new AbortController().signal });
    if (typeof text !== "string") return text.then((large) => this.#reply(large));
    // A silent interface sends no answer.
    if (text !== "") this.#reply(text);
    return undefined;
  }
}

/** choice: a reply that is no object has no place for the id, so that it becomes the member `data` of an object. */
function* withId(reply: Reply, id: Json): Work<string> {
  if (reply.body === "") return JSON.stringify({ ap_id: id });
  const value = reply.body.length > longText && isJson(reply) ? yield* parseJsonWork(reply.body) : jsonOf(reply);
  const out: JsonObject = value !== undefined && isObject(value) ? { ...value } : { data: value === undefined ? reply.body : value };
  put(out, "ap_id", id);
  return isLarge(out) ? yield* jsonWork(out, Number.POSITIVE_INFINITY) : JSON.stringify(out);
}
