import type { TriggerFeature } from "../../features/feature.ts";

export const spec: TriggerFeature = {
  summary: "Text frames of a socket run the interface.",
  planned: true,
  schema: {
    type: ["string", "number", "boolean"],
    context: "static",
    description: "Any value: every text frame of a socket runs the interface.",
  },
};
