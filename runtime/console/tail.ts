import type { ServerResponse } from "node:http";
import { adminHeaders } from "../admin/server.ts";
import type { ApiReply } from "../admin/watched.ts";
import { type RunQuery, readQuery } from "../capture/query.ts";
import type { History, RunSummary } from "../capture/recording.ts";
import type { Host, Resource } from "../process/host.ts";
import { stackOf } from "../value/thrown.ts";

/** Milliseconds between two questions to the store, and between two signs of life of a stream without events. */
const every = { ask: 1_000, beat: 15_000 } as const;

/** The most streams of a process, because each of them asks the store. */
const mostStreams = 16;

/** The most runs of one event. When more runs end between two questions, only the list shows them. */
const mostRuns = 200;

/** The live streams of a process; they end with the process. */
class Tails implements Resource {
  readonly open = new Set<() => void>();

  close(): void {
    for (const end of this.open) end();
  }
}

/**
 * `GET /api/v1/runs/live`: an event `runs` with summaries, the newest first, for runs that have been recorded since the one before. The
 * first event is sent at once, with the newest runs that fit the filter.
 */
export async function tail(
  history: History | undefined,
  params: ReadonlyMap<string, string>,
  host: Host,
  response: ServerResponse,
): Promise<ApiReply | undefined> {
  const query = readQuery(params, host.now());
  if ("problem" in query) return { status: 400, body: { error: "invalid_param", message: `${query.parameter} ${query.problem}` } };
  const tails = host.resource("tails", () => new Tails());
  if (tails.open.size >= mostStreams)
    return { status: 503, body: { error: "unavailable", message: `${mostStreams} streams are open already` } };
  const ends = new AbortController();
  const end = (): void => ends.abort();
  tails.open.add(end);
  response.once("close", end);
  try {
    await follow(history, query, host, response, ends.signal);
  } catch (error) {
    // A client whose stream has begun is disconnected, and connects again; any other client gets the error.
    if (!response.headersSent) throw error;
    host.log("error", "the store of runs does not answer", { stack: stackOf(error) });
  } finally {
    tails.open.delete(end);
    if (response.headersSent) response.end();
  }
  return undefined;
}

async function follow(
  history: History | undefined,
  { filter, limit }: RunQuery,
  host: Host,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  let seen: ReadonlySet<string> = new Set();
  let spoke = Number.NEGATIVE_INFINITY;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const runs = (await history?.list(filter, isFirst ? limit : mostRuns))?.runs ?? [];
    if (isFirst) response.writeHead(200, { ...adminHeaders, "content-type": "text/event-stream" });
    const fresh = runs.filter((run) => !seen.has(keyOf(run)));
    const now = host.monotonic();
    if (isFirst || fresh.length > 0) response.write(`event: runs\ndata: ${JSON.stringify({ runs: fresh })}\n\n`);
    else if (now - spoke >= every.beat) response.write(": still here\n\n");
    if (isFirst || fresh.length > 0 || now - spoke >= every.beat) spoke = now;
    seen = isFirst ? new Set(runs.map(keyOf)) : new Set([...runs.map(keyOf), ...latest(seen)]);
    await host.sleep(every.ask, signal).catch(() => undefined);
  }
}

/** Runs that were sent, as far as they may appear again: a run that began long ago may be recorded after newer ones. */
const latest = (seen: ReadonlySet<string>): readonly string[] => [...seen].slice(0, 2 * mostRuns);

/** The key of a run. Callers can choose the UUID of their run, so that it may occur twice. */
const keyOf = ({ run_uuid, started }: RunSummary): string => `${run_uuid} ${started}`;
