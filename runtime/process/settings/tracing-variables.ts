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
    meaning: "Collector of traces; /v1/traces is added unless it is there.",
    example: "http://collector:4318",
  },
  PIPEWRIGHT_OTEL_HDR_NAME: {
    group: "Metrics and traces",
    meaning: "Header of messages to the collector: PIPEWRIGHT_OTEL_HDR_X_API_KEY is x-api-key.",
    example: "shop",
  },
  PIPEWRIGHT_OTEL_RATIO: {
    group: "Metrics and traces",
    meaning: "Part of the traces that are recorded where no caller has decided, from 0 to 1.",
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
