import type { TriggerFeature } from "../../features/feature.ts";

/** Every field is read when the process starts. */
export const spec: TriggerFeature = {
  summary: "Runs the interface at given times.",
  planned: true,
  schema: {
    title: "Schedule",
    type: "object",
    required: ["cron"],
    additionalProperties: false,
    properties: {
      cron: { type: "string", context: "start", judge: "cron_line", description: "Five fields: minute, hour, day, month, weekday." },
      enabled: { type: "boolean", context: "start", default: false, description: "Whether it runs; not without this." },
      timezone: { type: "string", context: "start", judge: "time_zone", description: "IANA time zone, UTC by default." },
      max_attempts: { type: "integer", context: "start", minimum: 1, maximum: 100, description: "Attempts of one run, 1 by default." },
      retry_backoff_seconds: {
        type: "number",
        context: "start",
        minimum: 0,
        description: "Seconds before the second attempt, 60 by default.",
      },
      retry_backoff_multiplier: { type: "number", context: "start", minimum: 1, description: "Growth of the wait, 2 by default." },
      max_backoff_seconds: { type: "number", context: "start", minimum: 0, description: "Longest wait in seconds, 3600 by default." },
    },
  },
};
