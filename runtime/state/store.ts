import { createHash } from "node:crypto";
import type { Resource } from "../process/host.ts";
import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import { limitReason } from "../value/too-large.ts";
import { isOwnNamespace } from "./own-namespaces.ts";

/** Where a value is: keys of different namespaces never meet. */
export interface StateKey {
  readonly namespace: string;
  readonly key: string;
}

/** A value and how often it was written: 1 for a key that did not exist, or no longer did (spec/surfaces 12). */
export interface Stored {
  readonly value: Json;
  readonly version: number;
}

export interface Write {
  /** Milliseconds that the value is kept, by the clock of the store; undefined: for ever, whatever was said before. */
  readonly ttl?: number | undefined;
  /** The version that it must have now; 0: it must not exist. */
  readonly expected?: number | undefined;
  /** The caller, without whom a write that still waits is not made. */
  readonly signal?: AbortSignal | undefined;
}

/** Bounds of a set of identities. */
export interface Remember {
  /** Milliseconds that each new identity is kept. */
  readonly ttl?: number | undefined;
  /** How many identities without `ttl` a set holds: the oldest make room. */
  readonly cap: number;
  /** How many that expire a set may hold; one more fails. */
  readonly most?: number | undefined;
  /** Marks new identities: to a caller with the mark they are new again, since it may be the same work done once more. */
  readonly mark?: string | undefined;
  /** The caller, without whom a write that still waits is not made. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Durable state. Every operation is one atomic step for all that use the store, and rejects with a `Failure` of the kind "state". An
 * expired entry does not exist, swept or not.
 */
export interface StateStore extends Resource {
  readonly get: (place: StateKey) => Promise<Stored | undefined>;
  /** The new version; undefined when the version is another one than expected. */
  readonly set: (place: StateKey, value: Json, write: Write) => Promise<number | undefined>;
  /** Stores the larger of the two by `exceeds`, and gives what is stored then. A value that stays keeps its version and its time. */
  readonly advance: (place: StateKey, value: Json, ttl: number | undefined, signal?: AbortSignal) => Promise<Stored>;
  /** False when there was nothing. */
  readonly delete: (place: StateKey, signal?: AbortSignal) => Promise<boolean>;
  /**
   * Per identity whether it is new; all are remembered then. One that comes again keeps its age, unless it has the mark of the caller, and
   * inside one call it is new once.
   */
  readonly seen: (place: StateKey, ids: readonly string[], remember: Remember) => Promise<boolean[]>;
}

/** How identities are kept: `expires` is the time from which they do not exist any more, null for never. */
export interface Remembering {
  readonly expires: number | null;
  /** How many that never expire the set holds: the oldest make room. */
  readonly cap: number;
  readonly now: number;
  readonly mark?: string | undefined;
}

/** Identities that a set without `ttl` holds (spec/language 5.3, spec/transforms 8). */
export const seenCap = 5000;

/** Identities with `ttl` that a set may hold (spec/transforms 8). */
export const seenMost = 1_000_000;

export const maxKeyBytes = 512;
const maxValueBytes = 1_048_576;

/** There is no room for what is written. */
export class StateFull extends Failure {
  constructor(cause?: unknown) {
    super("state", "state is full", cause === undefined ? {} : { cause });
  }
}

/** The value as JSON text, which is what every backend keeps: nobody shares an object with a store. */
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

/** Refuses names that a backend could not hold, and namespaces of the service: data may name one. */
export function checkName(kind: "key" | "namespace", name: string): void {
  if (kind === "namespace" && isOwnNamespace(name)) throw new Failure("state", "state namespace is one of the service itself");
  if (Buffer.byteLength(name) > maxKeyBytes) throw new Failure("state", `state ${kind} is longer than ${maxKeyBytes} bytes`);
  if (name.includes("\0")) throw new Failure("state", `state ${kind} holds a NUL character`);
  // PostgreSQL and SQLite would keep U+FFFD in its place, so that different names would meet.
  if (!name.isWellFormed()) throw new Failure("state", `state ${kind} holds half a surrogate pair`);
}

/** An identity of any length as a name of bounded length, which every backend can hold. */
export function identity(id: string): string {
  if (Buffer.byteLength(id) <= maxKeyBytes && !id.includes("\0") && id.isWellFormed()) return id;
  return `sha256:${createHash("sha256").update(id).digest("hex")}`;
}
