import type { Act } from "./act.ts";
import { Cancellation } from "./cancellation.ts";
import { Failure } from "./failure.ts";
import type { Interface } from "./interface.ts";
import { isObject, type Json, type JsonObject, typeOf } from "./json.ts";
import { entries, selectStatus, shownError } from "./reply.ts";
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

/** The action whose loop it is, and the span of the loop where the run is traced. */
interface Around {
  readonly act: Act;
  readonly span: Span | undefined;
  /** The interface of the runs of its items. */
  readonly target: Interface;
}

/**
 * Runs a list of actions for every item of an array, in a run of its own whose body is the item (language.md 4). Items start in order; results keep
 * it. A flat loop fails when an item failed, and keeps the results of all.
 */
export async function lookup(act: Act, over: Json, options: LookupOptions, body: (cx: Run) => void): Promise<Json> {
  const list = over ?? [];
  if (!Array.isArray(list)) throw new Failure("evaluation", `lookup expects an array, got ${typeOf(list)}`);
  const span = act.span?.child(`${act.name}::lookup`, { "pipewright.items": list.length });
  const around = { act, span, target: ofItems(act.run) };
  const one = (item: Json): ItemResult | Promise<ItemResult> => runItem(around, withInherited(item, options), options, body);
  const results = await inOrder(list, options.concurrency ?? 10, act, one).finally(() => span?.end());
  return options.partition === true ? partitioned(results) : flat(results);
}

/** Starts the items in order, no more than `limit` at once, and no further ones when the action is cancelled. */
function inOrder<R>(list: readonly Json[], limit: number, act: Act, run: (item: Json) => R | Promise<R>): Promise<R[]> {
  const { promise, resolve, reject } = Promise.withResolvers<R[]>();
  const results: R[] = new Array(list.length);
  let next = 0;
  let open = 0;
  // Callbacks: loops that wait would take a few promises, and a turn of the queue for each, for every item.
  const start = (i: number): void => {
    const result = run(list[i] ?? null);
    if (!(result instanceof Promise)) results[i] = result;
    else {
      open += 1;
      result.then((found) => {
        results[i] = found;
        open -= 1;
        goOn();
      }, reject);
    }
  };
  const goOn = (): void => {
    try {
      while (open < limit && next < list.length && !act.cancellation.aborted) start(next++);
      if (open > 0) return;
      if (next < list.length) act.throwIfCancelled();
      resolve(results);
    } catch (error) {
      reject(error);
    }
  };
  goOn();
  return promise;
}

function withInherited(item: Json, { inherit, inherit_jq }: LookupOptions): Json {
  if (inherit === undefined && inherit_jq === undefined) return item;
  return { ...(isObject(item) ? item : { value: item }), ...inherit, ...inherit_jq };
}

function runItem(
  around: Around,
  item: Json,
  { item_timeout = null }: LookupOptions,
  body: (cx: Run) => void,
): ItemResult | Promise<ItemResult> {
  if (item_timeout !== null) return runInTime(around, item, item_timeout, body);
  const child = itemRun(around, item, around.act.cancellation);
  body(child);
  return child.over ? settled(item, child) : child.finish().then(() => settled(item, child));
}

/** The same for an item whose time is limited: what it has in flight when it is over is aborted. */
async function runInTime(around: Around, item: Json, limit: number, body: (cx: Run) => void): Promise<ItemResult> {
  const { act } = around;
  const child = itemRun(around, item, new Cancellation());
  const forget = act.cancellation.listen(() => child.cancel("the action around it has ended"));
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), limit);
  try {
    body(child);
    const inTime = child.over || (await Promise.race([late, child.finish().then(() => true)]));
    if (inTime) return settled(item, child);
    child.cancel("item timed out");
    return expired(item, child, limit);
  } finally {
    clearTimeout(timer);
    forget();
  }
}

function itemRun({ act: { run }, span, target }: Around, item: Json, cancellation: Cancellation): Run {
  const child = new Run(run.host, run.config, target, itemRequest(run, item), run, cancellation);
  child.span = span;
  return child;
}

/** The item is the body; everything else is read from the request itself. */
function itemRequest({ input }: Run, item: Json): Request {
  const { id, trigger, method, path, params } = input;
  return { id, trigger, method, path, params, body: item, raw_body: null, headers: {}, ip: {} };
}

/** An item answers by the default rules, whatever the interface says of its own response; what is logged of it names the interface. */
function ofItems({ interface: { name, show_error_detail } }: Run): Interface {
  return { name, output: "none", ...(show_error_detail === undefined ? {} : { show_error_detail }), run: () => undefined };
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

/** As its entry shows it: what an action keeps from the caller is not told here either. */
function firstError(child: Run): string | undefined {
  const detail = child.interface.show_error_detail === true;
  for (const act of child.declared) {
    if (act.state !== "failed" || act.spec.hide_errors) continue;
    const error = shownError(act, detail) ?? act.errors?.[0];
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
