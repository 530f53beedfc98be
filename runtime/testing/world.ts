import type { Json, JsonObject } from "../value/json.ts";

/** The answer of a stub to one call. */
export interface StubAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  /** Milliseconds until the stub answers. */
  readonly delay: number;
  /** The way in which the service fails to answer. */
  readonly fails?: "refused" | "timeout" | "reset";
}

/** Answers calls of one method to one address, in which `:name` stands for a segment and `*` for any text. */
export interface CallStub {
  readonly method: string;
  readonly url: string;
  readonly answers: readonly StubAnswer[];
  /** True when each answer is for one call, in order; otherwise the single answer is for all calls. */
  readonly inTurn: boolean;
}

/** A query that a script expects, and its rows. `*` in the text stands for any text. */
export interface ScriptedQuery {
  readonly query: string;
  readonly params?: readonly Json[];
  readonly rows: Json;
  readonly error?: string;
}

/** The stand-in for a database: SQLite in memory, a script, or another address of the same kind. */
export type DatabaseStub =
  | { readonly kind: "memory"; readonly setup: readonly string[] }
  | { readonly kind: "script"; readonly queries: readonly ScriptedQuery[] }
  | { readonly kind: "url"; readonly url: string };

/** Answers a command. `*` in it stands for any text. */
export interface CommandStub {
  readonly command: string;
  readonly outputs: readonly CommandOutput[];
  /** True when each output is for one call, in order. */
  readonly inTurn: boolean;
}

/** The output of a command, and its exit. */
export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

/** Answers an action that waits for a callback, or the calls of an agent that wait until a person agrees. */
export interface CallbackStub {
  readonly action: string;
  readonly callbacks: readonly Callback[];
  /** True when each callback is for one wait, in order. */
  readonly inTurn: boolean;
}

/** The request that a waiting run gets; `late` when none arrives in time. */
export type Callback = "late" | { readonly body: Json; readonly headers: Readonly<Record<string, string>> };

/**
 * Answers every request that no stub answers, for runs that are only compared. A test has none: a missing answer is a mistake of the test.
 */
export interface Outside {
  readonly call: (method: string, url: string) => StubAnswer;
  readonly query: (database: string, text: string, params: readonly Json[]) => Pick<ScriptedQuery, "rows" | "error">;
  readonly command: (line: string) => CommandOutput;
  readonly callback: (action: string) => Callback;
  /** The bytes of a file on an SFTP server, by `HOST:/path`; undefined when the file does not exist. */
  readonly file: (place: string) => Buffer | undefined;
}

/** Everything of the outside that a run can see. Stubs are tried in order, and the first that fits answers. */
export interface World {
  readonly environment: string;
  readonly env: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, Json | (() => Json | undefined)>>;
  readonly secrets: JsonObject;
  /** The time of the run in Unix milliseconds. */
  readonly clock: number;
  readonly seed: string;
  /** Values of the durable state by `KEY` or `NAMESPACE.KEY`. */
  readonly state: JsonObject;
  /** The versions of these values; 1 by default. */
  readonly versions: Readonly<Record<string, number>>;
  /** The identities in sets of the state, under the same kind of names, the oldest first. */
  readonly seen: Readonly<Record<string, readonly string[]>>;
  readonly calls: readonly CallStub[];
  readonly databases: Readonly<Record<string, DatabaseStub>>;
  readonly commands: readonly CommandStub[];
  readonly callbacks: readonly CallbackStub[];
  /** Files of SFTP servers, by `HOST:/path`. */
  readonly files: Readonly<Record<string, Buffer>>;
  readonly outside?: Outside | undefined;
}
