import type { RunsAsked } from "../run/caller.ts";
import { cancelRun, type Ordered, resumeRun, runJson, shownRun, stuckMs } from "../store/run-orders.ts";
import { type RunStore, runStatuses } from "../store/runs.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";
import type { Engine } from "./engine.ts";
import { retryRun } from "./retry.ts";

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

const notFound: Answer = { status: 404, body: { error: "not_found" } };
const wrong = (message: string): Answer => ({ status: 400, body: { error: "invalid_param", message } });

/** Answers an operator about the durable runs of the store (docs/admin-api.md), as the commands of `runs` do. */
export async function answerOperator(engine: Engine, { id, order, query, body }: RunsAsked): Promise<Answer> {
  const { store } = engine;
  if (id === undefined) return list(store, query);
  if (order !== undefined) return ordered(engine, id, order, body);
  const run = await shownRun(store, id);
  return run === undefined ? notFound : { status: 200, body: runJson(run, await store.now()) };
}

const names = ["status", "config", "interface", "limit", "cursor"] as const;
const states = ["open", "waiting", "stuck", ...runStatuses.slice(2)];

async function list(store: RunStore, query: ReadonlyMap<string, string>): Promise<Answer> {
  const [limit, status, after] = [query.get("limit") ?? "50", query.get("status"), query.get("cursor")];
  const foreign = [...query.keys()].find((key) => !names.some((name) => name === key));
  // The answer is JSON, so that the name of a caller's parameter is safe in it.
  if (foreign !== undefined) return wrong(`${foreign.slice(0, 64)} must be one of ${names.join(", ")}`);
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > 500) return wrong("limit must be a number from 1 to 500");
  if (status !== undefined && !states.includes(status)) return wrong(`status must be one of ${states.join(", ")}`);
  if (after !== undefined && !/^[\w.-]{1,64}$/.test(after)) return wrong("cursor must be what the page before has given as next");
  const now = await store.now();
  const chosen = status === "stuck" ? { dueBefore: now - stuckMs } : { status: runStatuses.find((each) => each === status) };
  const filter = { config: query.get("config"), interface: query.get("interface"), after, limit: Number(limit) };
  const rows = await store.list({ ...filter, ...chosen });
  const next = rows.length === filter.limit ? (rows.at(-1)?.id ?? null) : null;
  return { status: 200, body: { runs: rows.map((row) => runJson(row, now)), next } };
}

async function ordered(engine: Engine, id: string, order: string, body: Json): Promise<Answer> {
  const answer = await obey(engine.store, id, order, body);
  if (typeof answer === "string") return wrong(answer);
  if ("done" in answer) {
    engine.wake();
    return { status: 200, body: { id, done: answer.done } };
  }
  return answer.isUnknown === true ? notFound : { status: 409, body: { error: "conflict", message: answer.refused } };
}

/** Does an operator's order. Gives a message when the body does not fit the order. */
async function obey(store: RunStore, id: string, order: string, body: Json): Promise<Ordered | string> {
  if (order === "cancel") return cancelRun(store, id);
  if (order === "retry") return retryRun(store, id);
  const answer = body ?? {};
  if (!isObject(answer) || Object.keys(answer).some((key) => key !== "action" && key !== "body"))
    return "the body must be an object with action and body alone";
  const { action, body: payload = null } = answer;
  if (action !== undefined && typeof action !== "string") return "action must be the name of the action that waits";
  return resumeRun(store, id, { action, body: payload, receivedAt: await store.now() });
}
