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
      enabled: {
        type: "boolean",
        context: "start",
        default: false,
        description: "Whether the schedule is on; without `enabled: true` it never runs.",
      },
      timezone: { type: "string", context: "start", judge: "time_zone", default: "UTC", description: "IANA time zone." },
      max_attempts: {
        type: "integer",
        context: "start",
        minimum: 1,
        maximum: 100,
        default: 1,
        description: "Attempts of one run in all.",
      },
      retry_backoff_seconds: {
        type: "number",
        context: "start",
        minimum: 0,
        default: 60,
        description: "Seconds before the second attempt.",
      },
      retry_backoff_multiplier: {
        type: "number",
        context: "start",
        minimum: 1,
        default: 2,
        description: "Factor by which each wait is longer than the one before it.",
      },
      max_backoff_seconds: { type: "number", context: "start", minimum: 0, default: 3600, description: "Longest wait in seconds." },
    },
  },
};
