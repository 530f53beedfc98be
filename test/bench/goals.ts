import { median, quantile, ratios } from "./statistics.ts";
import type { SocketWorkloadName } from "./websockets.ts";
import type { WorkloadName } from "./workloads.ts";

/** CPU of a request, at most: of what the same costs in a reference, and for the interpreter of what it costs compiled. */
export interface Goal {
  readonly fastify: number;
  readonly "node:http": number;
  readonly interpreted: number;
}

/** A goal for workloads of requests: to node:http, and of the interpreter, the share is the same for all of them. */
const goal = (fastify: number): Goal => ({ fastify, "node:http": 1.05, interpreted: 1.5 });

/** The figures that we mean to reach on a machine of two cores. */
export const goals: Readonly<Record<WorkloadName, Goal>> = {
  w1: goal(0.8),
  w2: goal(0.8),
  w3: goal(0.9),
  w4: goal(0.9),
  w5: goal(0.9),
  w6: goal(1),
  w7: goal(0.85),
  w8: goal(0.85),
  w11: { fastify: 1, "node:http": 1, interpreted: 1.5 },
  w12: { fastify: 1, "node:http": 1, interpreted: 1.5 },
};

/** The workloads whose geometric mean has a goal of its own, and that goal: CPU of a request in proportion to Fastify. */
export const averaged: readonly WorkloadName[] = ["w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8"];
export const mostOnAverage = 0.86;

/** The geometric mean: twice as dear and half as dear are as far from 1. */
export const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

/** Goals for messages of sockets: CPU of one, at most, of what it costs a server that is written by hand with `ws`, and compiled. */
export const socketGoals: Readonly<Record<SocketWorkloadName, { readonly ws: number; readonly interpreted: number }>> = {
  w9: { ws: 1, interpreted: 1.5 },
  w10: { ws: 1, interpreted: 1.5 },
};

/** Microseconds that a policy, a limit of requests and the recording of failures may add to a request. */
export const mostGuarding = 8;

/** Rounds below which nothing is said. */
const enough = 5;

/**
 * True when a cost stays within a share of another, round by round. It is false only when the median and the best tenth of the rounds are
 * over the share, so that a noisy machine fails nothing. Undefined where the rounds are too few.
 */
export function isReached(costs: readonly number[], of: readonly number[], share: number): boolean | undefined {
  const all = ratios(costs, of).filter((ratio) => !Number.isNaN(ratio));
  return all.length < enough ? undefined : median(all) <= share || quantile(all, 0.1) <= share;
}

/** A goal as a cell of a table. */
export function verdict(costs: readonly number[], of: readonly number[], share: number): string {
  const reached = isReached(costs, of, share);
  return reached === undefined ? `<= ${share}` : `<= ${share} ${reached ? "ok" : "MISSED"}`;
}
