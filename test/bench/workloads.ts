import { isDeepStrictEqual } from "node:util";
import type { Shot } from "./load.ts";

/** One request that all systems answer alike. */
export interface Workload extends Shot {
  readonly title: string;
  readonly needsDatabase: boolean;
  /** What the answer must say: the data of the action `Reply`, or the whole body of a server without an envelope. */
  readonly isRight: (data: unknown) => boolean;
}

const account = {
  id: 42,
  email: "ada@example.com",
  name: "Ada Lovelace",
  age: 36,
  plan: "pro",
  source: "web",
  utm: { campaign: 1, medium: "mail" },
};

export const workloads = {
  w1: {
    title: "static answer",
    method: "GET",
    path: "/w1",
    headers: {},
    needsDatabase: false,
    isRight: (data) => isDeepStrictEqual(data, { message: "hello", service: "orders", version: 3, ok: true, tags: ["a", "b"] }),
  },
  w2: {
    title: "validate and echo",
    method: "POST",
    path: "/w2",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(account),
    needsDatabase: false,
    isRight: (data) => isDeepStrictEqual(data, { user_id: account.id, mail: account.email, name: account.name }),
  },
  w6: {
    title: "10 rows of PostgreSQL",
    method: "GET",
    path: "/w6?cat=3",
    headers: {},
    needsDatabase: true,
    isRight: (data) =>
      Array.isArray(data) &&
      data.length === 10 &&
      isDeepStrictEqual(data[0], { id: 3, name: "Item 3", unit_price: 28.75, qty: 4, total: 115 }),
  },
} as const satisfies Record<string, Workload>;

export type WorkloadName = keyof typeof workloads;
