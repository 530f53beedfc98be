import { sliceMs } from "../../threads/slices.ts";
import type { TraceSpan } from "../../tracing/tracer.ts";
import { longestWait } from "../../value/duration.ts";
import { Failure } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, typeOf } from "../../value/json.ts";
import { Cancellation } from "../cancellation.ts";
import { selectStatus, shownError, wholeEntries } from "../end/reply.ts";
import { Veil } from "../end/veil.ts";
import type { Interface } from "../interface.ts";
import { withOptions } from "../options.ts";
import type { Request } from "../received.ts";
import type { Act, Run } from "../run.ts";

/** How a loop runs; times are milliseconds. */
export interface LookupOptions {
  /** The loop succeeds in any case, and its data separate succeeded from failed items. */
  readonly partition?: true;
  /** The most items that run at once. */
  readonly concurrency?: number;
  /** Members that are merged into every item; they win over members of the item. */
  readonly inherit?: JsonObject;
  /** Members that earlier actions make, merged like `inherit`; they win over it. */
  readonly inherit_jq?: JsonObject;
  readonly item_timeout?: number | null;
}

/** The declarations for each item, after the options, if there are any. */
type LookupArguments = readonly [body: Interface["run"], none?: undefined] | readonly [options: LookupOptions, body: Interface["run"]];

/** The result of the run of one item. */
interface ItemResult {
  readonly item: Json;
  readonly data: JsonObject;
  /** The status of the item's run; undefined when the time of the item was over. */
  readonly status: number | undefined;
  /** The first error of the item. */
  readonly error: string | undefined;
  /** The error as the caller may see it. */
  readonly shown: string | undefined;
  readonly failed: boolean;
}

/** A loop while it runs: its action, the run of that action, and the span of the loop when the run is traced. */
interface Loop {
  readonly act: Act;
  readonly target: Interface;
  readonly span: TraceSpan | undefined;
  readonly options: LookupOptions;
  readonly body: (cx: Run) => void;
}

/** Takes the result of an item; an error that `result` throws fails the loop. */
type Take = (result: () => ItemResult) => void;

/**
 * Runs a list of actions for every item of an array, each in a run of its own whose body is the item (spec/language 4). Items start in
 * order, and their results keep this order. A flat loop fails when an item failed, and keeps the results of all.
 */
export async function lookup(act: Act, over: Json, ...args: LookupArguments): Promise<Json> {
  const [options, body] = withOptions(args);
  const list = over ?? [];
  if (!Array.isArray(list)) throw new Failure("evaluation", `lookup expects an array, got ${typeOf(list)}`);
  const span = act.span?.child(`${act.name}::lookup`, { "pipewright.items": list.length });
  const results = await inOrder(list, { act, target: itemsOf(act.run.interface), span, options, body }).finally(() => span?.end());
  act.run.shared.veil?.loop(act);
  return options.partition === true ? partitioned(results, act.run) : flat(results);
}

/** The number of items that are started between two looks at the clock. */
const itemsOfSlice = 64;

/** Starts the items in order, at most `concurrency` at once, and none after the action is cancelled. */
function inOrder(list: readonly Json[], loop: Loop): Promise<ItemResult[]> {
  const { promise, resolve, reject } = Promise.withResolvers<ItemResult[]>();
  const { act, options } = loop;
  const limit = options.concurrency ?? 10;
  const results: ItemResult[] = new Array(list.length);
  let next = 0;
  let open = 0;
  let isStarting = false;
  // Callbacks are used here, because promises would cost turns of the queue and memory for every item.
  const start = (i: number): void => {
    open += 1;
    runItem(loop, withInherited(list[i] ?? null, options), i, (result) => {
      try {
        results[i] = result();
        open -= 1;
        // While `goOn` starts items, its own loop takes the results of items that end at once.
        if (!isStarting) goOn();
      } catch (error) {
        reject(error);
      }
    });
  };
  const { monotonic } = act.run.host;
  let until = monotonic() + sliceMs;
  let isPaused = false;
  const pause = (): void => {
    isPaused = true;
    setImmediate(() => {
      isPaused = false;
      until = monotonic() + sliceMs;
      goOn();
    });
  };
  const goOn = (): void => {
    if (isPaused) return;
    isStarting = true;
    try {
      for (let started = 0; open < limit && next < list.length && !act.cancellation.aborted; started++) {
        // The loop pauses after a slice, because items that never really wait would block all other requests.
        if (started % itemsOfSlice === 0 && monotonic() >= until) {
          pause();
          return;
        }
        start(next++);
      }
      if (open > 0) return;
      if (next < list.length) act.throwIfCancelled();
      resolve(results);
    } catch (error) {
      reject(error);
    } finally {
      isStarting = false;
    }
  };
  goOn();
  return promise;
}

function withInherited(item: Json, { inherit, inherit_jq }: LookupOptions): Json {
  if (inherit === undefined && inherit_jq === undefined) return item;
  return { ...(isObject(item) ? item : { value: item }), ...inherit, ...inherit_jq };
}

function runItem(loop: Loop, item: Json, index: number, take: Take): void {
  const { item_timeout = null } = loop.options;
  if (item_timeout === null) {
    const child = itemRun(loop, item, index, loop.act.cancellation);
    loop.body(child);
    child.whenOver(() => take(() => settled(item, child)));
    return;
  }
  runInTime(loop, item, index, item_timeout).then(
    (result) => take(() => result),
    (error: unknown) =>
      take(() => {
        throw error;
      }),
  );
}

/** Runs an item with a time limit: its calls under way are aborted when the time is over. */
async function runInTime(loop: Loop, item: Json, index: number, limit: number): Promise<ItemResult> {
  const { act } = loop;
  const child = itemRun(loop, item, index, new Cancellation());
  const forget = act.cancellation.listen(() => child.cancel("the action around it has ended"));
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), Math.min(limit, longestWait));
  try {
    loop.body(child);
    const inTime = child.over || (await Promise.race([late, child.finish().then(() => true)]));
    if (inTime) return settled(item, child);
    const failure = new Failure("timeout", `item timed out after ${limit}ms`);
    child.cancellation.abort(failure);
    return expired(item, child, failure.message);
  } finally {
    clearTimeout(timer);
    forget();
  }
}

function itemRun({ act, target, span }: Loop, item: Json, index: number, cancellation: Cancellation): Run {
  const { run } = act;
  const child = run.inner(target, itemRequest(run, item), cancellation);
  child.loop = act;
  child.span = span;
  child.journal = run.journal?.inner(act, index);
  return child;
}

/** The request of an item: the item is the body, and all else comes from the request itself. */
function itemRequest({ input }: Run, item: Json): Request {
  const { id, trigger, method, path, params } = input;
  return { id, trigger, method, path, params, body: item, raw_body: null, headers: {}, ip: {} };
}

/** Makes the interface of items. An item answers by the default rules of 7.3, whatever the interface says about its own response. */
const itemsOf = ({ name, show_error_detail, permit }: Interface): Interface => ({
  name,
  output: "none",
  run: () => undefined,
  ...(show_error_detail ? { show_error_detail } : {}),
  ...(permit === undefined ? {} : { permit }),
});

const none = { error: undefined, shown: undefined };

function settled(item: Json, child: Run): ItemResult {
  const status = child.short === undefined ? selectStatus(child, null) : (child.short.http_code ?? 200);
  const failed = status >= 400;
  const { error, shown } = failed ? firstErrors(child) : none;
  return { item, data: veiledEntries(child), status, error, shown, failed };
}

function expired(item: Json, child: Run, error: string): ItemResult {
  return { item, data: veiledEntries(child), status: undefined, error, shown: error, failed: true };
}

/** The entries of an item with whole error texts, for the data of the loop. The run notes how the answer shows them. */
function veiledEntries(child: Run): JsonObject {
  const data = wholeEntries(child);
  for (const act of child.declared) {
    if (act.error === undefined && act.errors === undefined) continue;
    child.shared.veil ??= new Veil();
    const entry = data[act.name];
    child.shared.veil.failed(act, isObject(entry ?? null) ? (entry as JsonObject) : undefined, child.interface.show_error_detail === true);
  }
  return data;
}

/** The first error of an item, and the first error that the caller may see. */
function firstErrors(child: Run): Pick<ItemResult, "error" | "shown"> {
  const detail = child.interface.show_error_detail === true;
  const failed = child.declared.filter(({ state }) => state === "failed");
  const [error] = failed.flatMap((act) => act.error ?? act.errors?.[0] ?? []);
  const [shown] = failed.flatMap((act) => (act.spec.hide_errors ? [] : (shownError(act, detail) ?? act.errors?.[0] ?? [])));
  return { error, shown };
}

function flat(results: readonly ItemResult[]): Json {
  const data = results.map(({ data, status, error }) => (status === undefined && error !== undefined ? { data, error } : { data }));
  const failed = results.filter((result) => result.failed);
  const [first] = failed;
  if (first === undefined) return data;
  const status = first.status === undefined ? {} : { status: first.status };
  throw new Failure("evaluation", `${failed.length} of ${results.length} items failed`, { data, ...status });
}

function partitioned(results: readonly ItemResult[], run: Run): Json {
  return {
    succeeded: results.filter(({ failed }) => !failed).map(({ data }) => ({ data })),
    failed: results.filter(({ failed }) => failed).map((result) => failedItem(result, run)),
  };
}

function failedItem({ item, status, error, shown, data }: ItemResult, run: Run): JsonObject {
  const record = (text: string | undefined): JsonObject => ({
    item,
    ...(status === undefined ? {} : { http_code: status }),
    ...(text === undefined ? {} : { error: text }),
    ...(Object.keys(data).length === 0 ? {} : { data }),
  });
  const whole = record(error);
  if (shown !== error) run.shared.veil?.replace(whole, record(shown));
  return whole;
}
