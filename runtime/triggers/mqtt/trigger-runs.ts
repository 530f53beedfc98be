import { parseJson } from "../../formats/json-text.ts";
import { hopsName, hopsOf, isTooDeep } from "../../outgoing/hops.ts";
import type { Host } from "../../process/host.ts";
import { background } from "../../run/end/background.ts";
import { LiveRun } from "../../run/live-run.ts";
import type { Request } from "../../run/received.ts";
import { bareRequest } from "../../run/request.ts";
import type { Json, JsonObject } from "../../value/json.ts";
import { denialOf } from "../denial.ts";
import { textOf } from "../http/body.ts";
import { beginRun } from "../message-run.ts";
import { limits } from "./limits.ts";
import type { Message } from "./message.ts";
import { sparingly } from "./notes.ts";
import { ipOfPeer } from "./peer.ts";
import type { Peer, Publisher, Rules } from "./rules.ts";
import { RunsInOrder } from "./runs-in-order.ts";
import type { Trigger } from "./trigger-topics.ts";

/** Runs interfaces for messages to their topics (spec/surfaces 4). */
export class TriggerRuns {
  readonly #host: Host;
  readonly #note: Rules["note"];
  /** Runs for messages of actions, by topic, each in the order of its messages. */
  readonly #ofActions = new Map<string, RunsInOrder>();
  /** Bytes of the messages whose runs have not ended. */
  #bytes = 0;

  constructor(host: Host) {
    this.#host = host;
    this.#note = sparingly(host);
  }

  /**
   * Runs an interface for a client's message, unless the network policy of the interface or the client's bound on messages forbids the run.
   * The message is delivered in any case. For a durable interface the promise resolves with true when the run was stored.
   */
  ofClient(trigger: Trigger, message: Message, from: Publisher, isDuplicate: boolean): Promise<boolean> | undefined {
    const { caller, peer } = from;
    if (denialOf(trigger, peer, this.#host) !== undefined) return undefined;
    const request = this.#request(message, {
      params: { ...peer.params, ...paramsOf(message, isDuplicate) },
      headers: caller.jwt === undefined ? {} : { "airpipe-jwt": caller.jwt },
      ip: ipOfPeer(trigger.interface, peer, this.#host),
      hops: depthOf(message, peer),
    });
    if (trigger.interface.durable === undefined) {
      this.#run(trigger, request, from.inOrder);
      return undefined;
    }
    return new Promise((resolve) => this.#run(trigger, request, from.inOrder, resolve));
  }

  /**
   * Runs an interface for the message of an action. Messages that cause each other in a circle stop at a depth from which no run begins.
   */
  ofAction(trigger: Trigger, message: Message, hops: number): void {
    const { topic } = trigger;
    const order = this.#ofActions.get(topic) ?? new RunsInOrder(this.#host.monotonic);
    this.#ofActions.set(topic, order);
    this.#run(trigger, this.#request(message, { params: paramsOf(message, false), hops }), (work) => order.add(work));
  }

  #request({ payload }: Message, parts: Partial<Request>): Request {
    const text = textOf(payload);
    const value = parseJson(text);
    const body: Json = value === undefined ? text : value;
    return { ...bareRequest(this.#host, "mqtt"), body, raw_body: text, bytes: payload, ...parts };
  }

  /** Makes a shutdown wait for an accepted message, until the result is called. */
  #hold(bytes: number): () => void {
    const leave = background(this.#host).hold();
    this.#bytes += bytes;
    return () => {
      this.#bytes -= bytes;
      leave();
    };
  }

  /** Runs an interface. `stored` is called with true when a durable run was stored, or has ended without that. */
  #run(trigger: Trigger, request: Request, inOrder: Publisher["inOrder"], stored: (isStored: boolean) => void = ignore): void {
    const { hops = 0 } = request;
    if (isTooDeep(hops)) {
      this.#note(`mqtt: runs have caused each other ${hops} times: the interface is not run`, fieldsOf(trigger));
      stored(true);
      return;
    }
    const { config, interface: target } = trigger;
    const release = this.#hold(request.bytes?.length ?? 0);
    const isTaken =
      this.#bytes <= limits.waitingRunBytes &&
      inOrder((done) =>
        beginRun(
          new LiveRun(this.#host, config, target, request),
          () => {
            release();
            done();
          },
          stored,
        ),
      );
    if (isTaken) return;
    release();
    stored(false);
    this.#note("mqtt: too many messages: the interface is not run", fieldsOf(trigger));
  }
}

const ignore = (): void => undefined;

/**
 * The number of hops that a client gave with its message, or when it connected: the client may be a service that answers one of this
 * process's runs.
 */
function depthOf({ properties }: Message, { headers }: Peer): number {
  const hops = properties?.userProperties?.[hopsName];
  return Math.max(hopsOf(headers[hopsName]), ...[hops].flat().map(hopsOf));
}

const fieldsOf = ({ config, interface: target, topic }: Trigger): JsonObject => ({ config: config.name, interface: target.name, topic });

const paramsOf = ({ topic, qos, retain }: Message, isDuplicate: boolean): JsonObject => ({
  topic,
  qos: String(qos),
  retain: String(retain),
  dup: String(isDuplicate),
});
