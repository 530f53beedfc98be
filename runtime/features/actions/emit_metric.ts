import { isMetricName } from "../../formats/metric-names.ts";
import type { Act } from "../../run/run.ts";
import { number, object, string } from "../../shapes/shape.ts";
import { Failure } from "../../value/failure.ts";
import type { Json, JsonObject } from "../../value/json.ts";
import type { Action } from "../feature.ts";

/** Null means unset, as for every field that held a marker. */
export interface MetricArgs {
  readonly name: string;
  readonly type?: "counter" | "gauge" | "histogram";
  readonly value?: number | null;
  readonly labels?: JsonObject | null;
  readonly description?: string | null;
}

const maxLabels = 10;

/**
 * Records a measurement, and gives `{name, type, value}` (spec/language 5.3, spec/surfaces 16). Without `expose_metrics` nothing is
 * recorded. A counter never falls; the type and the labels of a metric are those of its first measurement. Secrets in its texts are `***`.
 */
export async function emit_metric(
  { name: action, run }: Act,
  { name: plainName, type = "counter", value, labels, description }: MetricArgs,
): Promise<Json> {
  const { redactor } = run.host;
  const name = redactor.text(plainName);
  if (!isMetricName(name)) throw new Failure("evaluation", `bad metric name '${name}'`);
  const measured = value ?? (type === "counter" ? 1 : undefined);
  if (measured === undefined) throw new Failure("evaluation", `a ${type} metric needs a value`);
  if (type === "counter" && measured < 0) throw new Failure("evaluation", `a counter never falls: ${measured}`);
  // Every reader of metrics sees their labels, so secrets in them are hidden.
  const pairs = Object.entries(labels ?? {}).map(([key, label]) => [redactor.text(key), redactor.json(label)] as const);
  if (pairs.length > maxLabels) throw new Failure("evaluation", `a metric has at most ${maxLabels} labels, not ${pairs.length}`);
  const of = { config: run.config.name, interface: run.interface.name, action };
  const meaning = typeof description === "string" ? redactor.text(description) : undefined;
  run.config.metrics?.(run.host).record(of, { name, type, value: measured, labels: Object.fromEntries(pairs), description: meaning });
  return { name, type, value: measured };
}

export const spec: Action<MetricArgs> = {
  summary: "Count or measure something.",
  effect: "state",
  reveals: { metric: [["name"], ["value"], ["labels"], ["description"]] },
  schema: {
    type: "object",
    required: ["name"],
    keepsKeys: true,
    additionalProperties: false,
    properties: {
      name: { type: "string", description: "Name of the metric: letters, digits, _ and :." },
      type: {
        type: "string",
        enum: ["counter", "gauge", "histogram"],
        context: "static",
        default: "counter",
        description: "Kind of metric.",
      },
      value: { type: "number", description: "The amount that is added, or the measured value; a counter without it counts by 1." },
      labels: {
        type: "object",
        additionalProperties: { description: "A label.", context: "text" },
        description: "Labels, at most 10; config, interface and action are added.",
      },
      description: { type: "string", description: "What is measured." },
    },
  },
  run: emit_metric,
  shape: () => object({ name: string, type: string, value: number }),
};
