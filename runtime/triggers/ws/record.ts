import type { TriggerFeature } from "../../features/feature.ts";

export const spec: TriggerFeature = {
  summary: "Text frames of a socket run the interface.",
  planned: true,
  schema: {
    type: ["string", "number", "boolean"],
    context: "static",
    description: "With any value every text frame of a WebSocket runs the interface.",
  },
};
