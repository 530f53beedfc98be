import type { TriggerFeature } from "../../features/feature.ts";

export const spec: TriggerFeature = {
  summary: "Messages to a topic of MQTT run the interface.",
  planned: true,
  schema: {
    type: "string",
    context: "static",
    description: "Last part of the topic `<environment>/<interface>/<this>`: a message there runs the interface.",
  },
};
