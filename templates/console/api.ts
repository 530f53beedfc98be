import type { CapturedRun, RunSummary } from "../../runtime/capture/recording.ts";
import type { InterfaceFacts, MapFacts } from "../../runtime/console/facts.ts";
import type { Json } from "../../runtime/value/json.ts";

// The requests of the page. All go to its own origin, never to another host.

/** An interface as the map lists it, with its current state in the process. */
export interface MapEntry extends MapFacts {
  readonly served: boolean;
  readonly capture: { readonly mode: string; readonly open: boolean } | null;
  /** The next times of its schedule, in ISO 8601. */
  readonly next_runs?: readonly string[];
}

export interface Need {
  readonly config: string;
  readonly kind: string;
  readonly name: string;
  readonly met: boolean;
}

/** Figures of the latest runs of an interface, counted by the process. */
export interface Figure {
  readonly config: string;
  readonly interface: string;
  readonly runs: number;
  readonly refused: number;
  readonly failed: number;
  /** Median and 95th percentile of the durations, in milliseconds. */
  readonly p50: number;
  readonly p95: number;
  /** Runs of each span of `bar_ms`, the oldest first. */
  readonly bars: readonly number[];
  readonly failed_bars: readonly number[];
}

export type Run = CapturedRun;
export type { InterfaceFacts, Json, RunSummary };

/** The address below which `dev` has its page; the console of a service is at `/console`. */
export const devBase = "/_pipewright";
export const isDev = location.pathname.startsWith(devBase);
const base = isDev ? `${devBase}/api/v1` : "/api/v1";
const keyName = "pipewright-key";

/** The key of this tab. It goes with the tab, and no other site can read it. */
export const storedKey = (): string => sessionStorage.getItem(keyName) ?? "";
export const keepKey = (key: string): void => (key === "" ? sessionStorage.removeItem(keyName) : sessionStorage.setItem(keyName, key));

/** An answer that is no success. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const headers = (): Record<string, string> => (isDev ? {} : { authorization: `Bearer ${storedKey()}` });

export async function ask(path: string, signal?: AbortSignal, body?: string): Promise<Response> {
  const sent = body === undefined ? { headers: headers() } : { method: "POST", headers: { ...headers(), ...jsonHeaders() }, body };
  const response = await fetch(`${base}${path}`, { ...sent, cache: "no-store", ...(signal && { signal }) }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new Refused(0, "The service does not answer.");
  });
  if (!response.ok) throw new Refused(response.status, await reasonOf(response));
  return response;
}

export async function reasonOf(response: Response): Promise<string> {
  if (response.status === 401) return "This key is not known here.";
  if (response.status === 429) return "Too many wrong keys came from this address. Wait a minute.";
  if (response.status === 404) return "This is not here, or not any more.";
  const text = await response.text();
  try {
    const { message, error } = JSON.parse(text) as { message?: string; error?: string };
    return message ?? error ?? `The service answers ${response.status}.`;
  } catch {
    return `The service answers ${response.status}.`;
  }
}

const query = (parts: Readonly<Record<string, string | undefined>>): string => {
  const filled = Object.entries(parts).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "");
  return filled.length === 0 ? "" : `?${new URLSearchParams(filled)}`;
};

interface Listed {
  readonly organisation: string;
  readonly environment: string;
  readonly next: string | null;
}

/** Reads all pages of a list. */
async function whole<Page extends Listed, Item>(path: string, items: (page: Page) => readonly Item[]): Promise<[Page, readonly Item[]]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = (await (await ask(`${path}${query({ limit: "500", cursor })}`)).json()) as Page; // the API says so
    all.push(...items(page));
    if (page.next === null) return [page, all];
    cursor = page.next;
  }
}

type MapPage = Listed & { readonly interfaces: readonly MapEntry[] };

export async function readMap(): Promise<{ environment: string; organisation: string; entries: readonly MapEntry[] }> {
  const [{ environment, organisation }, entries] = await whole("/map", (page: MapPage) => page.interfaces);
  return { environment, organisation, entries };
}

export const readNeeds = async (): Promise<readonly Need[]> =>
  (await whole("/needs", (page: Listed & { readonly needs: readonly Need[] }) => page.needs))[1];

export const readInterface = async (config: string, target: string): Promise<InterfaceFacts> =>
  (await ask(`/interface${query({ config, interface: target })}`)).json();

export const readFigures = async (of: { config?: string; interface?: string } = {}): Promise<readonly Figure[]> =>
  ((await (await ask(`/figures${query(of)}`)).json()) as { interfaces: Figure[] }).interfaces;

export interface RunFilters {
  readonly config?: string;
  readonly interface?: string;
  readonly trigger?: string;
  readonly status?: string;
  readonly since?: string;
}

export const readRuns = async (filters: RunFilters, cursor?: string): Promise<{ runs: readonly RunSummary[]; next: string | null }> =>
  (await ask(`/runs${query({ ...filters, limit: "200", cursor })}`)).json();

export const readRun = async (id: string): Promise<Run> => (await ask(`/runs/${encodeURIComponent(id)}`)).json();

/** Calls `tell` with runs as they are recorded, until the signal aborts; the first call has the newest runs. */
export async function followRuns(filters: RunFilters, tell: (runs: readonly RunSummary[]) => void, signal: AbortSignal): Promise<void> {
  const response = await ask(`/runs/live${query({ ...filters, limit: "100" })}`, signal);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done || value === undefined) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = event.split("\n").find((line) => line.startsWith("data: "));
      if (data !== undefined) tell((JSON.parse(data.slice(6)) as { runs: RunSummary[] }).runs);
    }
  }
}

/** A durable run that waits. */
export interface DurableRun {
  readonly id: string;
  readonly config: string;
  readonly interface: string;
  readonly created: string;
  readonly due: string | null;
}

/** Durable runs that wait, the newest first, limited to a number that a person can look through. */
export const readWaiting = async (): Promise<readonly DurableRun[]> =>
  ((await (await ask("/durable-runs?status=waiting&limit=500")).json()) as { runs: DurableRun[] }).runs;

/** A wait of a durable run. When an agent's tool call waits for approval, `question` has the tool and its arguments. */
export interface Wait {
  readonly action: string;
  readonly until: string;
  readonly state: string;
  readonly question?: Json;
}

/** The waits of a durable run. */
export const readWaits = async (id: string): Promise<readonly Wait[]> =>
  ((await (await ask(`/durable-runs/${encodeURIComponent(id)}`)).json()) as { waits?: Wait[] }).waits ?? [];

/** Sends a command to a durable run. In a service the API key must have the right to do so. */
export async function orderRun(id: string, order: string, body: Json | undefined): Promise<void> {
  await ask(`/durable-runs/${id}/${order}`, undefined, JSON.stringify(body ?? null));
}

/** Hands a recorded run to the browser as a file of contract tests. */
export async function saveTest(id: string): Promise<void> {
  const response = await ask(`/runs/${encodeURIComponent(id)}/test`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = `run-${id.slice(0, 8)}.test.yaml`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** A diagnostic of the project that `dev` serves. */
export interface Problem {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly hint?: string;
  readonly frame: string;
  readonly fix?: { readonly title: string; readonly text: string };
}

export interface DevState {
  readonly version: number;
  readonly isBroken: boolean;
  readonly diagnostics: readonly Problem[];
  readonly unmet: readonly string[];
}

export const readDev = async (): Promise<DevState> => (await fetch(`${devBase}/dev.json`, { cache: "no-store" })).json();

/** The headers of requests that change something: `dev` accepts these only from its own page, which has a token. */
export const jsonHeaders = (): Record<string, string> => ({
  "content-type": "application/json",
  "x-pipewright-token": document.querySelector<HTMLMetaElement>('meta[name="token"]')?.content ?? "",
});

/** Has `dev` write the fix of a diagnostic into its file. */
export async function applyFix({ code, file, line, column }: Problem): Promise<void> {
  const response = await fetch(`${devBase}/fix`, {
    method: "POST",
    headers: jsonHeaders(),
    body: JSON.stringify({ code, file, line, column }),
  });
  if (!response.ok) throw new Refused(response.status, await reasonOf(response));
}
