import { createHash } from "node:crypto";
import type { Resource } from "../process/host.ts";
import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import { limitReason } from "../value/too-large.ts";
import { isOwnNamespace } from "./own-namespaces.ts";

/** The place of a value: the same key in two namespaces is two places. */
export interface StateKey {
  readonly namespace: string;
  readonly key: string;
}

/** A value and its version, which counts its writes: 1 for a new key, and for one that had expired or was deleted (spec/surfaces 12). */
export interface Stored {
  readonly value: Json;
  readonly version: number;
}

export interface Write {
  /** Milliseconds for which the value is kept, by the clock of the store; undefined for no end, even if an earlier write had one. */
  readonly ttl?: number | undefined;
  /** The version that the value must have for the write to happen; 0 when the value must not exist. */
  readonly expected?: number | undefined;
  /** The caller of the write: a waiting write is dropped when the signal aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** Bounds of a set of identities. */
export interface Remember {
  /** Milliseconds for which each new identity is kept. */
  readonly ttl?: number | undefined;
  /** The most identities without `ttl` in a set: the oldest ones make room. */
  readonly cap: number;
  /** The most identities with `ttl` in a set; one more fails. */
  readonly most?: number | undefined;
  /** Marks new identities. To a caller with the same mark they are new again, since the caller may be repeated work. */
  readonly mark?: string | undefined;
  /** The caller of the write: a waiting write is dropped when the signal aborts. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Durable state. Every operation is one atomic step for all users of the store, and rejects with a `Failure` of the kind "state". An
 * expired entry does not exist, whether it was swept or not.
 */
export interface StateStore extends Resource {
  readonly get: (place: StateKey) => Promise<Stored | undefined>;
  /** Writes a value. Gives the new version; undefined when the version is not the expected one. */
  readonly set: (place: StateKey, value: Json, write: Write) => Promise<number | undefined>;
  /**
   * Stores the larger of the stored and the given value by `exceeds`, and gives the stored one. A value that stays keeps its version and
   * its time of expiry.
   */
  readonly advance: (place: StateKey, value: Json, ttl: number | undefined, signal?: AbortSignal) => Promise<Stored>;
  /** Removes a value; false when there was none. */
  readonly delete: (place: StateKey, signal?: AbortSignal) => Promise<boolean>;
  /**
   * Remembers identities, and gives for each whether it was new. A known identity keeps its age, unless it has the mark of the caller. An
   * identity that occurs twice in a call is new once.
   */
  readonly seen: (place: StateKey, ids: readonly string[], remember: Remember) => Promise<boolean[]>;
}

/** How identities are kept: `expires` is the time of their expiry, null for never. */
export interface Remembering {
  readonly expires: number | null;
  /** The most identities without expiry in the set: the oldest ones make room. */
  readonly cap: number;
  readonly now: number;
  readonly mark?: string | undefined;
}

/** The most identities of a set without `ttl` (spec/language 5.3, spec/transforms 8). */
export const seenCap = 5000;

/** The most identities of a set with `ttl` (spec/transforms 8). */
export const seenMost = 1_000_000;

export const maxKeyBytes = 512;
const maxValueBytes = 1_048_576;

/** The failure of a write that finds no room. */
export class StateFull extends Failure {
  constructor(cause?: unknown) {
    super("state", "state is full", cause === undefined ? {} : { cause });
  }
}

/** The value as JSON text, which every backend stores, so that no object is shared with a store. */
export function serialised(value: Json): string {
  const json = textOf(value);
  if (Buffer.byteLength(json) > maxValueBytes) throw new Failure("state", `state value is longer than ${maxValueBytes} bytes`);
  return json;
}

function textOf(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    const limit = limitReason(error);
    throw limit === undefined ? error : new Failure("state", `state ${limit}`);
  }
}

/** Refuses names that a backend could not store, and namespaces of the service, because data may name one. */
export function checkName(kind: "key" | "namespace", name: string): void {
  if (kind === "namespace" && isOwnNamespace(name)) throw new Failure("state", "state namespace is one of the service itself");
  if (Buffer.byteLength(name) > maxKeyBytes) throw new Failure("state", `state ${kind} is longer than ${maxKeyBytes} bytes`);
  if (name.includes("\0")) throw new Failure("state", `state ${kind} holds a NUL character`);
  // PostgreSQL and SQLite would replace it by U+FFFD, so that two names would become one.
  if (!name.isWellFormed()) throw new Failure("state", `state ${kind} holds half a surrogate pair`);
}

/** The name of an identity, with a bounded length that every backend can store. */
export function identity(id: string): string {
  if (Buffer.byteLength(id) <= maxKeyBytes && !id.includes("\0") && id.isWellFormed()) return id;
  return `sha256:${createHash("sha256").update(id).digest("hex")}`;
}
