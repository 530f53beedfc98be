import { readFileSync } from "node:fs";
import client from "prom-client";
import { expect, test } from "vitest";
import { root } from "../../harness/folders.ts";

// The dashboard for Grafana, and the guide of clusters, ask for metrics that there are.

const read = (file: string): string => readFileSync(new URL(file, root), "utf8");

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string }[];
}

const { panels }: { readonly panels: readonly Panel[] } = JSON.parse(read("templates/grafana/dashboard.json"));

/** Names of metrics, without the endings that a histogram gives its series. */
const metricsIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:pipewright|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name.replace(/_(?:bucket|count|sum)$/, ""));

const registry = new client.Registry();
client.collectDefaultMetrics({ register: registry });
const known = new Set([...metricsIn(read("docs/metrics.md")), ...registry.getMetricsAsArray().map(({ name }) => name)]);

test("every panel asks for metrics that a service has", () => {
  expect(panels.length).toBeGreaterThan(10);
  for (const { title, targets } of panels) {
    const asked = targets.flatMap(({ expr }) => metricsIn(expr));
    expect(asked, title).not.toEqual([]);
    expect(
      asked.filter((name) => !known.has(name)),
      title,
    ).toEqual([]);
  }
});

test("panels have ids of their own and do not cover each other", () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
});

test("the guide of clusters names metrics that there are", () => {
  const names = metricsIn(read("docs/clustering.md"));
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});
