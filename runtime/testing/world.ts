import type { Json, JsonObject } from "../value/json.ts";

/** The answer of a stub to one call. */
export interface StubAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  /** Milliseconds until it answers. */
  readonly delay: number;
  /** How the service fails to answer. */
  readonly fails?: "refused" | "timeout" | "reset";
}

/** Answers calls of one method to one address, in which `:name` stands for a segment and `*` for any text. */
export interface CallStub {
  readonly method: string;
  readonly url: string;
  readonly answers: readonly StubAnswer[];
  /** The answers are for successive calls, each for one; otherwise the only one is for all calls. */
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
  /** As of a stub of calls. */
  readonly inTurn: boolean;
}

/** The output of a command, and how it ends. */
export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

/** Answers an action that waits for somebody, or the calls of an agent that wait until a person agrees. */
export interface CallbackStub {
  readonly action: string;
  readonly callbacks: readonly Callback[];
  /** As of a stub of calls. */
  readonly inTurn: boolean;
}

/** The request of somebody to a run that waits; `late`: none comes in time. */
export type Callback = "late" | { readonly body: Json; readonly headers: Readonly<Record<string, string>> };

/** Answers whatever no stub answers, for runs that are only compared. A test has none: what it lacks there is a mistake of its. */
export interface Outside {
  readonly call: (method: string, url: string) => StubAnswer;
  readonly query: (database: string, text: string, params: readonly Json[]) => Pick<ScriptedQuery, "rows" | "error">;
  readonly command: (line: string) => CommandOutput;
  readonly callback: (action: string) => Callback;
  /** The bytes of a file of an SFTP server, by `HOST:/path`; undefined: there is none. */
  readonly file: (place: string) => Buffer | undefined;
}

/** All that a run may see of the outside: what is not here does not exist. Stubs are looked at in order, the first that fits answers. */
export interface World {
  readonly environment: string;
  readonly env: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, Json | (() => Json | undefined)>>;
  readonly secrets: JsonObject;
  /** Unix milliseconds. */
  readonly clock: number;
  readonly seed: string;
  /** Values of the durable state by `KEY` or `NAMESPACE.KEY`. */
  readonly state: JsonObject;
  /** Versions of these values: 1 where there is none. */
  readonly versions: Readonly<Record<string, number>>;
  /** Identities that sets of the state hold, named likewise, the oldest first. */
  readonly seen: Readonly<Record<string, readonly string[]>>;
  readonly calls: readonly CallStub[];
  readonly databases: Readonly<Record<string, DatabaseStub>>;
  readonly commands: readonly CommandStub[];
  readonly callbacks: readonly CallbackStub[];
  /** Files of SFTP servers, by `HOST:/path`. */
  readonly files: Readonly<Record<string, Buffer>>;
  readonly outside?: Outside | undefined;
}
