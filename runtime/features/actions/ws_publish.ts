import { touches } from "../../outgoing/touches.ts";
import { type ChannelRefusal, type Channels, channelsOf } from "../../realtime/channels.ts";
import { nameProblem } from "../../realtime/names.ts";
import type { Act } from "../../run/run.ts";
import { array, object, string } from "../../shapes/shape.ts";
import { turns } from "../../threads/slices.ts";
import { Failure } from "../../value/failure.ts";
import { type Json, typeOf } from "../../value/json.ts";
import { boolean } from "../../value/values.ts";
import type { Action } from "../feature.ts";

/** Null means unset, as for every field that held a marker. */
export interface WsPublishArgs {
  /** A channel, or a list of them. */
  readonly channels: Json;
  /** Absent: the body. */
  readonly data?: Json;
  readonly retain?: Json;
}

/**
 * Publishes to these channels, whether or not sockets have subscribed to them, and gives `{published}` with the channels. Without `data`
 * the body is published. `retain` keeps the message for later subscribers; null removes the kept one. Nothing is published when one of the
 * names is not a channel.
 */
export async function ws_publish(act: Act, { channels: value, data = act.run.body, retain = null }: WsPublishArgs): Promise<Json> {
  const isRetained = isTrue(retain);
  const names = namesOf(value);
  for (const name of names) touches(act.run, { kind: "channels", name });
  const channels = channelsOf(act.run.host);
  const text = JSON.stringify(data);
  const turn = turns(act);
  for (const name of names) {
    publish(channels, name, { data, text, retain: isRetained });
    if (turn.isDue()) await turn.take();
  }
  return { published: names };
}

/** True and "true": a marker may give a text. */
const isTrue = (retain: Json): boolean => boolean(retain, "retain") === true;

function namesOf(value: Json): string[] {
  const list = Array.isArray(value) ? value : value === null || value === "" ? [] : [value];
  if (list.length === 0) throw new Failure("evaluation", "ws_publish needs a channel");
  const names = list.map((item) => {
    if (typeof item !== "string" && typeof item !== "number")
      throw new Failure("evaluation", `field channels: expected string, got ${typeOf(item)}`);
    return String(item);
  });
  for (const name of names) {
    const problem = nameProblem(name);
    if (problem !== undefined) throw new Failure("evaluation", problem);
  }
  return [...new Set(names)];
}

/** The message of an action, with its JSON text. */
interface Written {
  readonly data: Json;
  readonly text: string;
  readonly retain: boolean;
}

function publish(channels: Channels, name: string, { data, text, retain }: Written): void {
  const refusal = channels.publish(name, data, retain, text);
  if (refusal !== undefined) throw new Failure("evaluation", `channel '${name}': ${reasons[refusal] ?? refusal}`);
}

/** Why a message cannot be published. */
const reasons: { readonly [R in ChannelRefusal]?: string } = {
  invalid_frame: "the key $presence is only for who is present",
  payload_too_large: "the data is longer than 262144 bytes",
  limit_retained: "too many channels have a retained message",
  rate_limited: "too many messages wait for the other processes of the service",
};

export const spec: Action<WsPublishArgs> = {
  summary: "Publish to realtime channels.",
  effect: "network",
  needs: "channels",
  reveals: { channel: [["channels"]], message: [["data"]] },
  bounds: "256 KiB of data",
  schema: {
    type: "object",
    required: ["channels"],
    additionalProperties: false,
    properties: {
      channels: {
        type: ["string", "number", "array"],
        description: "A channel, a list of them, or a marker that gives either; a marker with text around it is one level.",
        context: "channel",
        items: { context: "channel" },
      },
      data: { keepsNull: true, description: "The message. The default is the body; a written null is sent as null." },
      retain: {
        description: "Keep it for later subscribers: true or false, or a marker that gives one; null as data takes back what is kept.",
      },
    },
  },
  asks: { channels: namesOf, retain: isTrue },
  run: ws_publish,
  shape: () => object({ published: array(string) }),
};
