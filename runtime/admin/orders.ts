import type { IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "../run/interface.ts";
import type { Json, JsonObject } from "../value/json.ts";
import type { ApiReply, Watched } from "./watched.ts";

// Durable runs by the admin API. The code behind it belongs to durable interfaces, so that other bundles do not carry it.

const notFound: ApiReply = { status: 404, body: { error: "not_found" } };

/** The part of a path after `durable-runs`: the run and the order, where it has them. */
export interface RunsPath {
  readonly id?: string | undefined;
  readonly order?: string | undefined;
}

export function runsPath(path: string): RunsPath | undefined {
  const parts = /^\/api\/v1\/durable-runs(?:\/([^/]*)(?:\/(resume|cancel|retry))?)?$/.exec(path);
  return parts === null ? undefined : { id: parts[1], order: parts[2] };
}

/** Answers a question about durable runs, or gives an order. Secrets that the process knows are hidden. */
export async function durableRuns(
  { id, order }: RunsPath,
  query: ReadonlyMap<string, string>,
  body: Json,
  { host, configs }: Watched,
): Promise<ApiReply> {
  const durable = durableOf(configs);
  if (durable === undefined) return id === undefined ? { status: 200, body: { runs: [], next: null } } : notFound;
  if (id !== undefined && !/^[0-9a-fA-F-]{36}$/.test(id)) return notFound;
  const reply = await durable.answer(host, { id, order, query, body });
  // The redactor keeps an object an object.
  return { ...reply, body: host.redactor.json(reply.body) as JsonObject };
}

const durableOf = (configs: readonly Config[]) =>
  configs.flatMap(({ interfaces }) => interfaces.flatMap(({ durable }) => durable ?? []))[0];

/** Gives an order, and logs who has given it and its outcome. Its body is read only if the order takes JSON. */
export async function order(
  path: RunsPath,
  { message, response }: { readonly message: IncomingMessage; readonly response: ServerResponse },
  by: JsonObject,
  watched: Watched,
): Promise<ApiReply> {
  const received = path.order === "resume" ? await durableOf(watched.configs)?.receive(message, response) : undefined;
  if (received?.refused !== undefined) return received.refused;
  return giveOrder(path, received?.value ?? null, by, watched);
}

/** Gives an order whose body was read already, and logs it; `by` says who has given it. */
export async function giveOrder(path: RunsPath, body: Json, by: JsonObject, watched: Watched): Promise<ApiReply> {
  let status = 503;
  try {
    const reply = await durableRuns(path, new Map(), body, watched);
    status = reply.status;
    return reply;
  } finally {
    const { id = "", order = "" } = path;
    watched.host.log("info", "admin order", { order, run_uuid: id.slice(0, 36), ...by, status });
  }
}
