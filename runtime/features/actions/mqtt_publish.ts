import { touches } from "../../outgoing/touches.ts";
import type { Act } from "../../run/run.ts";
import { array, object, string } from "../../shapes/shape.ts";
import { Failure } from "../../value/failure.ts";
import { type Json, typeOf } from "../../value/json.ts";
import { boolean } from "../../value/values.ts";
import type { Action } from "../feature.ts";

/** An `mqtt_publish` block after evaluation. A key that is absent was not written. */
export interface MqttPublishArgs {
  readonly topics: Json;
  readonly data?: Json;
  readonly qos?: number | null;
  readonly retain?: Json;
}

/** Largest payload in bytes: what a client may send, too. */
const largest = 262_144;

/**
 * Publishes one message to each topic, and gives `{published: [topics]}` (spec/surfaces 15). A text is sent as it is, anything else as
 * compact JSON; without `data` the body of the request is sent. The action does not wait for receivers. A message to the topic of an
 * interface runs that interface.
 */
export async function mqtt_publish({ run }: Act, { topics, data = run.body, qos, retain = null }: MqttPublishArgs): Promise<Json> {
  const names = topicsOf(topics);
  for (const name of names) touches(run, { kind: "topics", name });
  const payload = Buffer.from(typeof data === "string" ? data : JSON.stringify(data));
  if (payload.length > largest) throw new Failure("evaluation", `a message has at most ${largest} bytes, not ${payload.length}`);
  const level = qosOf(qos ?? 0);
  const hops = (run.received.hops ?? 0) + 1;
  const broker = run.config.mqtt?.(run.host);
  for (const topic of names) {
    const problem = broker?.publish({ topic, payload, qos: level, retain: isTrue(retain), hops });
    if (problem !== undefined) throw new Failure("evaluation", `${problem}: '${topic}'`);
  }
  return { published: names };
}

/** One topic or several. All names are checked before the first message is published. */
function topicsOf(value: Json): string[] {
  const names = Array.isArray(value) ? value : [value];
  if (names.length === 0) throw new Failure("evaluation", "field topics: expected a topic, got an empty array");
  const topics = names.map((item) => {
    const name = typeof item === "number" ? String(item) : item;
    if (typeof name !== "string" || name === "") throw new Failure("evaluation", `field topics: expected a topic, got ${describe(name)}`);
    if (/[+#]/.test(name)) throw new Failure("evaluation", `a wildcard is no topic to publish to: '${name}'`);
    if (name.startsWith("$")) throw new Failure("evaluation", `a topic of the broker itself: '${name}'`);
    if (name.includes("\0") || Buffer.byteLength(name) > 65_535 || name.split("/").length > 128)
      throw new Failure("evaluation", "field topics: a topic has at most 65535 bytes and 128 levels, and no U+0000");
    return name;
  });
  return [...new Set(topics)];
}

const describe = (value: Json): string => (value === "" ? "an empty text" : typeOf(value));

function qosOf(qos: number): 0 | 1 | 2 {
  if (qos === 0 || qos === 1 || qos === 2) return qos;
  throw new Failure("evaluation", `field qos: expected 0, 1 or 2, got ${qos}`);
}

/** True and "true": a marker may give a text. */
const isTrue = (retain: Json): boolean => boolean(retain, "retain") === true;

export const spec: Action<MqttPublishArgs> = {
  summary: "Publish to MQTT topics.",
  effect: "network",
  needs: "mqtt",
  reveals: { topic: [["topics"]], message: [["data"]] },
  schema: {
    type: "object",
    required: ["topics"],
    additionalProperties: false,
    properties: {
      topics: {
        type: ["string", "number", "array"],
        description: "A topic, a list of topics, or a marker that gives one; a marker with text around it is one level.",
        context: "topic",
        items: { context: "topic" },
      },
      data: {
        keepsNull: true,
        description: "The message: a text as it is, anything else as JSON. The default is the body; a written null is sent as null.",
      },
      qos: { type: "integer", minimum: 0, maximum: 2, description: "Quality of service, 0 by default." },
      retain: { description: "Keep the message for later subscribers: true or false, or a marker that gives one." },
    },
  },
  asks: { topics: topicsOf, retain: isTrue },
  bounds: "256 KiB a message",
  run: mqtt_publish,
  shape: () => object({ published: array(string) }),
};
