import { compileFunction } from "node:vm";
import { transformSync } from "esbuild";
import { type Compiled, compiledOutput, type JqFilter } from "#runtime/languages/jq/filter.ts";
import * as pw from "#runtime/printed/jq.ts";
import { jqWork } from "#runtime/threads/kinds/jq.ts";
import type { Json } from "#runtime/value/json.ts";
import { printJq } from "../../compiler/jq/print/index.ts";
import { verdict } from "./goals.ts";
import { nanoseconds, threadTime } from "./micro.ts";
import { median, ratios } from "./statistics.ts";
import { figure, table } from "./table.ts";

interface Row {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly active: boolean;
}

const users = (count: number): Row[] =>
  Array.from({ length: count }, (_, i) => ({ id: i, name: `name ${i}`, email: `n${i}@example.com`, active: i % 3 !== 0 }));

const many = { users: users(20) };
const answer = { body: { candidates: [{ content: { parts: [{ text: "hello" }] } }] } };

/** A filter, data for it, and a function that does the same without any checks. */
const subjects: readonly { readonly filter: string; readonly data: Json; readonly byHand: () => Json }[] = [
  {
    filter: ".body.candidates[0].content.parts[0].text",
    data: answer,
    byHand: () => answer.body.candidates[0]?.content.parts[0]?.text ?? null,
  },
  { filter: ".users | map({id, name})", data: json(many), byHand: () => many.users.map(({ id, name }) => ({ id, name })) },
  {
    filter: "[.users[] | select(.active and .id > 4) | .email]",
    data: json(many),
    byHand: () => many.users.filter(({ active, id }) => active && id > 4).map(({ email }) => email),
  },
];

function json(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json; // what JSON.parse gives is JSON
}

/** Nanoseconds of one call, round by round. */
export interface JqReport {
  readonly [filter: string]: { readonly byHand: readonly number[]; readonly compiled: readonly number[]; readonly real: readonly number[] };
}

/**
 * The goals: at most six times the time of code without checks, for maps and selects; at least five hundred times as fast as jq
 * (spec/jq-jsonpath-regex A.2).
 */
const goals = { byHand: 6, real: 1 / 500 } as const;

/** Measures a compiled filter beside code by hand, and beside jq itself without the way to its thread. */
export async function benchJq(rounds: number): Promise<JqReport> {
  const report: Record<string, JqReport[string]> = {};
  for (const { filter, data, byHand } of subjects) {
    const compiled: JqFilter = { text: filter, compiled: compile(filter) };
    const times = { byHand: [] as number[], compiled: [] as number[], real: [] as number[] };
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      const byHandTime = nanoseconds(() => keep(byHand()));
      const compiledTime = nanoseconds(() => keep(compiledOutput(compiled, data) ?? null));
      const realTime = await realNanoseconds(filter, data);
      if (round === 0) continue;
      times.byHand.push(byHandTime);
      times.compiled.push(compiledTime);
      times.real.push(realTime);
    }
    report[filter] = times;
  }
  return report;
}

function compile(filter: string): Compiled {
  const printed = printJq(filter, 0);
  if ("reason" in printed) throw new Error(`${filter} is not compiled: ${printed.reason}`);
  const { code } = transformSync(`module.exports = ${printed.code}`, { loader: "ts", target: "node24" });
  const module: { exports: Compiled } = { exports: () => null };
  compileFunction(code, ["module", "pw"])(module, { ...pw });
  return module.exports;
}

let sink: Json = null;

function keep(value: Json): void {
  sink = value;
}

async function realNanoseconds(filter: string, data: Json): Promise<number> {
  const calls = 20;
  const began = threadTime();
  for (let i = 0; i < calls; i++) sink = await jqWork({ filter, input: JSON.stringify(data) });
  return (threadTime() - began) / calls;
}

export function jqTable(report: JqReport): string {
  const rows = Object.entries(report).map(([filter, { byHand, compiled, real }]) => [
    filter,
    figure(median(byHand)),
    figure(median(compiled)),
    figure(median(real)),
    `${figure(median(ratios(compiled, byHand)))} ${filter.includes("[]") || filter.includes("map") ? verdict(compiled, byHand, goals.byHand) : ""}`.trimEnd(),
    `${figure(median(ratios(real, compiled)))} ${verdict(compiled, real, goals.real)}`,
  ]);
  return `${table(["jq filter", "by hand ns", "compiled ns", "jq ns", "compiled to hand", "jq to compiled"], rows)}${sink === undefined ? " " : ""}`;
}
