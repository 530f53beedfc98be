import type { Resource } from "../process/host.ts";
import type { Json, JsonObject } from "../value/json.ts";

/** The record of an action. */
export interface CapturedAction {
  readonly name: string;
  /** `unfinished`: the run had ended before this action did. */
  readonly status: "succeeded" | "failed" | "skipped" | "unfinished";
  readonly ms: number;
  /** The place of a failed action in the YAML: `file:line:column`. */
  readonly at?: string;
  /** The data with which the action began; absent when its result is equal. */
  readonly input?: Json;
  /** The result; absent when the action hides its data. */
  readonly data?: Json;
  readonly error?: string;
  readonly errors?: readonly string[];
}

/** A call, a query, a command or a value of the state that a run asked for, with the answer. */
export interface CapturedExchange {
  /** Method and address. */
  readonly call?: string;
  readonly status?: number;
  /** The content type of the answer. */
  readonly type?: string;
  /** The address to which a redirect has led. */
  readonly location?: string;
  readonly body?: Json;
  /** How the call failed, when the service did not answer. */
  readonly fails?: "refused" | "timeout" | "reset";
  readonly query?: string;
  readonly database?: string;
  readonly params?: Json;
  readonly rows?: Json;
  readonly error?: string;
  /** A command as one line. */
  readonly command?: string;
  readonly stdout?: Json;
  readonly stderr?: string;
  readonly exit?: number;
  /** `KEY` or `NAMESPACE.KEY` of the durable state: the value that the run found, and its version where that is not 1. */
  readonly state?: string;
  readonly value?: Json;
  readonly version?: number;
  /** The identities that the set already held. */
  readonly seen?: Json;
  /** True when the answer is not kept: the action hides its data, or the answer is too long. */
  readonly hidden?: true;
}

/** The values from outside that a configuration reads; secrets appear by name only. */
export interface CapturedNeeds {
  readonly env: Readonly<Record<string, string>>;
  readonly vars: JsonObject;
  readonly secrets: readonly string[];
}

/** The request of a recorded run. Headers that are not known to be harmless are `***`. */
export interface CapturedRequest {
  readonly method?: string;
  /** The route as the configuration has it, because the path of the request may hold a hidden parameter. */
  readonly route?: string;
  readonly params: JsonObject;
  readonly headers: JsonObject;
  readonly body: Json;
}

/** A run without its data, as lists show it. */
export interface RunSummary {
  readonly run_uuid: string;
  /** The run that has started this one. */
  readonly parent: string | null;
  readonly config: string;
  readonly interface: string;
  readonly trigger: string;
  /** The start of the run in ISO 8601. */
  readonly started: string;
  readonly ms: number;
  readonly status: number;
}

/** A recorded run (spec/surfaces 16): without secrets, and bounded. */
export interface CapturedRun extends RunSummary {
  /** True when the run was aborted, because the process ended or the client disconnected. */
  readonly aborted?: true;
  /** True when the caller was answered before the run ended (`respond: early`); `status` is that of the run. */
  readonly early?: true;
  /** The errors outside of actions: those of parameters, of the assert of the interface and of the response. */
  readonly errors?: readonly string[];
  readonly request: CapturedRequest;
  /** The actions in the order of the configuration. */
  readonly actions: readonly CapturedAction[];
  /** The exchanges in the order in which they ended, and the state that a test has to provide; absent when the run asked for nothing. */
  readonly exchanges?: readonly CapturedExchange[];
  readonly needs?: CapturedNeeds;
}

/** A filter of runs. */
export interface RunFilter {
  readonly config?: string;
  readonly interface?: string;
  readonly trigger?: string;
  /** A status, or the first digit of a class of statuses. */
  readonly status?: number;
  /** Unix milliseconds: runs that started then or later. */
  readonly since?: number;
  /** Unix milliseconds: runs that started before. */
  readonly until?: number;
}

/** A page of runs, the newest first; `next` is the cursor of the following page, null at the end. */
export interface RunPage<R = RunSummary> {
  readonly runs: readonly R[];
  readonly next: number | null;
}

/** A run on its way to the store. */
export interface Entry extends RunSummary {
  /** `started` in Unix milliseconds. */
  readonly at: number;
  /** The whole record as JSON. */
  readonly text: string;
}

/** One bounded capture of one bundle. */
export interface WindowKey {
  readonly config: string;
  readonly interface: string;
  readonly bundle: string;
}

/** The state of a window: when it began, in Unix milliseconds, and how many runs had ended in it before the latest ones were added. */
export interface WindowState {
  readonly started: number;
  readonly before: number;
}

/** The store of recorded runs. Its methods reject when the store does not answer. */
export interface History extends Resource {
  readonly write: (entries: readonly Entry[]) => Promise<void>;
  /** Adds finished runs to the count of a window; the window begins now if it has not begun before. */
  readonly count: (window: WindowKey, runs: number, now: number) => Promise<WindowState>;
  /** Lists runs without their data. `cursor` is `next` of the page before. */
  readonly list: (filter: RunFilter, limit: number, cursor?: number) => Promise<RunPage>;
  /** Lists runs with their whole records. */
  readonly records: (filter: RunFilter, limit: number, cursor?: number) => Promise<RunPage<CapturedRun>>;
  /** Finds the newest run with this id. */
  readonly find: (id: string) => Promise<CapturedRun | undefined>;
  /** Removes runs that are older than the retention, and the oldest ones when there are too many. */
  readonly prune: (now: number) => Promise<void>;
}

/** How long runs are kept, and how many of them (spec/surfaces 16). */
export const retention = { ms: 7 * 86_400_000, runs: 10_000 } as const;
