import type { VariableRecord } from "./variable-record.ts";

/** The variables of metrics and traces. */
export const tracingVariables = {
  PIPEWRIGHT_METRICS_BIND: {
    group: "Metrics and traces",
    meaning: "Address and port of the metrics for Prometheus, or off.",
    preset: "127.0.0.1:9090",
    example: "0.0.0.0:9090",
  },
  PIPEWRIGHT_OTEL_ENDPOINT: {
    group: "Metrics and traces",
    meaning: "URL of the trace collector; /v1/traces is added if it is missing.",
    example: "http://collector:4318",
  },
  PIPEWRIGHT_OTEL_HDR_NAME: {
    group: "Metrics and traces",
    meaning: "Value of the header NAME to the collector: PIPEWRIGHT_OTEL_HDR_X_API_KEY is for x-api-key.",
    example: "shop",
  },
  PIPEWRIGHT_OTEL_RATIO: {
    group: "Metrics and traces",
    meaning: "Share of traces that are recorded, 0 to 1; a decision of the caller wins.",
    preset: 1,
    example: "0.1",
  },
  PIPEWRIGHT_OTEL_TIMEOUT_MS: {
    group: "Metrics and traces",
    meaning: "Milliseconds for one message to the collector, with all its attempts.",
    preset: 30_000,
    example: "5000",
  },
} as const satisfies Readonly<Record<string, VariableRecord>>;
