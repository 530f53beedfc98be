import { readFileSync, writeFileSync } from "node:fs";

/** The workloads that CI guards: no call, a body, and calls. */
export const guarded = ["w1", "w2", "w4"] as const;

/** The cost of a request to ours, in proportion to one to Fastify. */
export type Ratios = Readonly<Record<(typeof guarded)[number], number>>;

/** The ratios of the last update of the baseline, by each of the two measures. */
export interface Baseline {
  readonly instructions?: Ratios;
  readonly cpu?: Ratios;
}

/** The share of the baseline that a ratio may reach. */
export const most = 1.15;

const file = new URL("baseline.json", import.meta.url);

const baseline = (): Baseline => JSON.parse(readFileSync(file, "utf8"));

/** The ratios of a measure; undefined when the baseline has none yet. */
export const baselineOf = (measure: keyof Baseline): Ratios | undefined => baseline()[measure];

export function writeBaseline(measure: keyof Baseline, ratios: Ratios): void {
  const rounded = Object.fromEntries(guarded.map((name) => [name, Number(ratios[name].toFixed(3))]));
  writeFileSync(file, `${JSON.stringify({ ...baseline(), [measure]: rounded }, undefined, 2)}\n`);
}

/** NaN, which is what no measurement gives, is worse than anything. */
export const isWorse = (ratio: number, before: number): boolean => !(ratio <= before * most);
