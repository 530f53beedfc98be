import { median, quantile, ratios } from "./statistics.ts";
import type { SocketWorkloadName } from "./websockets.ts";
import type { WorkloadName } from "./workloads.ts";

/** CPU of a request, at most: of what the same costs in a reference, and for the interpreter of what it costs compiled. */
export interface Goal {
  readonly fastify: number;
  readonly "node:http": number;
  readonly interpreted: number;
}

/** The figures that we mean to reach on a machine of two cores. */
export const goals: Readonly<Record<WorkloadName, Goal>> = {
  w1: { fastify: 0.9, "node:http": 1.1, interpreted: 1.5 },
  w2: { fastify: 0.85, "node:http": 1.1, interpreted: 1.8 },
  w3: { fastify: 0.95, "node:http": 1.1, interpreted: 2 },
  w4: { fastify: 0.9, "node:http": 1, interpreted: 1.5 },
  w5: { fastify: 0.9, "node:http": 1, interpreted: 2 },
  w6: { fastify: 1.05, "node:http": 1.15, interpreted: 1.5 },
  w7: { fastify: 0.85, "node:http": 1, interpreted: 1.3 },
  w8: { fastify: 0.95, "node:http": 1, interpreted: 1.5 },
  w11: { fastify: 1, "node:http": 1, interpreted: 1.5 },
  w12: { fastify: 1, "node:http": 1, interpreted: 1.5 },
};

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
 * Whether a cost stays within a share of another, round by round: missed only when the median and the best tenth of the rounds are over it,
 * so that a noisy machine fails nothing. Undefined where the rounds are too few.
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
