import type { TriggerFeature } from "../../features/feature.ts";

export const spec: TriggerFeature = {
  summary: "Say in a sentence when it runs the interface.",
  schema: {
    type: "object",
    required: ["greeting"],
    additionalProperties: false,
    properties: { greeting: { type: "string", description: "Body of the run." } },
  },
};
