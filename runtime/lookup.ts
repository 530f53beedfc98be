import type { Act } from "./act.ts";
import { Failure } from "./failure.ts";
import { isObject, type Json, type JsonObject, typeOf } from "./json.ts";
import { entries, selectStatus } from "./reply.ts";
import { type Request, Run } from "./run.ts";
import type { Span } from "./tracing/span.ts";

/** How a loop runs; times are milliseconds. */
export interface LookupOptions {
  /** Gives succeeded and failed items apart, and succeeds. */
  readonly partition?: true;
  /** Items that run at once. */
  readonly concurrency?: number;
  /** Merged into every item; inherited keys win. */
  readonly inherit?: JsonObject;
  /** The same, made from earlier actions; these win over `inherit`. */
  readonly inherit_jq?: JsonObject;
  readonly item_timeout?: number | null;
}

/** What a run of one item left. */
interface ItemResult {
  readonly item: Json;
  readonly data: JsonObject;
  /** Absent when its time was over. */
  readonly status: number | undefined;
  /** Why it failed. */
  readonly error: string | undefined;
  readonly failed: boolean;
}

/**
 * Runs a list of actions for every item of an array, in a run of its own whose body is the item (language.md 4). Items start in order; results keep
 * it. A flat loop fails when an item failed, and keeps the results of all.
 */
export async function lookup(act: Act, over: Json, options: LookupOptions, body: (cx: Run) => void): Promise<Json> {
  const list = over ?? [];
  if (!Array.isArray(list)) throw new Failure("evaluation", `lookup expects an array, got ${typeOf(list)}`);
  const span = act.span?.child(`${act.name}::lookup`, { "pipewright.items": list.length });
  const one = (item: Json): Promise<ItemResult> => runItem(act, withInherited(item, options), options, body, span);
  const results = await inOrder(list, options.concurrency ?? 10, one).finally(() => span?.end());
  return options.partition === true ? partitioned(results) : flat(results);
}

/** Starts the items in order, no more than `limit` at once. */
async function inOrder<R>(list: readonly Json[], limit: number, run: (item: Json) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(list.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < list.length; i = next++) results[i] = await run(list[i] ?? null);
  };
  await Promise.all(Array.from({ length: Math.min(limit, list.length) }, worker));
  return results;
}

function withInherited(item: Json, { inherit, inherit_jq }: LookupOptions): Json {
  if (inherit === undefined && inherit_jq === undefined) return item;
  return { ...(isObject(item) ? item : { value: item }), ...inherit, ...inherit_jq };
}

async function runItem(
  act: Act,
  item: Json,
  { item_timeout }: LookupOptions,
  body: (cx: Run) => void,
  span: Span | undefined,
): Promise<ItemResult> {
  const { run: parent } = act;
  const child = new Run(parent.host, parent.config, { ...neutral, ...detail(parent) }, itemRequest(parent, item), parent);
  child.span = span;
  const forget = act.cancellation.listen(() => child.cancel("the action around it has ended"));
  try {
    body(child);
    const inTime = await finished(child, item_timeout ?? undefined);
    return inTime ? settled(item, child) : expired(item, child, item_timeout ?? 0);
  } finally {
    forget();
  }
}

/** The item is the body; everything else is read from the request itself. */
function itemRequest({ input }: Run, item: Json): Request {
  const { id, trigger, method, path, params } = input;
  return { id, trigger, method, path, params, body: item, raw_body: null, headers: {}, ip: {} };
}

/** An item answers by the default rules of 7.3, whatever the interface says of its own response. */
const neutral = { name: "lookup", output: "none", run: () => undefined } as const;

const detail = (parent: Run): { show_error_detail?: true } => (parent.interface.show_error_detail ? { show_error_detail: true } : {});

/** False when the item took too long; what it has in flight is aborted. */
async function finished(child: Run, limit: number | undefined): Promise<boolean> {
  if (child.over) return true;
  if (limit === undefined) {
    await child.finish();
    return true;
  }
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), limit);
  const inTime = await Promise.race([late, child.finish().then(() => true)]);
  clearTimeout(timer);
  if (!inTime) child.cancel("item timed out");
  return inTime;
}

function settled(item: Json, child: Run): ItemResult {
  const status = child.short === undefined ? selectStatus(child, null) : (child.short.http_code ?? 200);
  const failed = status >= 400;
  return { item, data: entries(child), status, error: failed ? firstError(child) : undefined, failed };
}

const expired = (item: Json, child: Run, ms: number): ItemResult => ({
  item,
  data: entries(child),
  status: undefined,
  error: `item timed out after ${ms}ms`,
  failed: true,
});

function firstError(child: Run): string | undefined {
  for (const act of child.declared) {
    const error = act.state === "failed" ? (act.error ?? act.errors?.[0]) : undefined;
    if (error !== undefined) return error;
  }
  return undefined;
}

function flat(results: readonly ItemResult[]): Json {
  const data = results.map(({ data, status, error }) => (status === undefined && error !== undefined ? { data, error } : { data }));
  const failed = results.filter((result) => result.failed);
  const [first] = failed;
  if (first === undefined) return data;
  const status = first.status === undefined ? {} : { status: first.status };
  throw new Failure("evaluation", `${failed.length} of ${results.length} items failed`, { data, ...status });
}

function partitioned(results: readonly ItemResult[]): Json {
  return {
    succeeded: results.filter(({ failed }) => !failed).map(({ data }) => ({ data })),
    failed: results
      .filter(({ failed }) => failed)
      .map(({ item, status, error, data }) => ({
        item,
        ...(status === undefined ? {} : { http_code: status }),
        ...(error === undefined ? {} : { error }),
        ...(Object.keys(data).length === 0 ? {} : { data }),
      })),
  };
}
