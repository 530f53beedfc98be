import type { DocumentStages } from "../languages/document-stages.ts";
import type { CapabilityKind } from "./capabilities.ts";
import type { Dialect } from "./dialect.ts";

/** A service: its host, with a port where it is not the usual one. */
export interface TouchedHost {
  readonly kind: "hosts";
  readonly name: string;
  /** The port where `name` has none. */
  readonly usualPort?: number;
  /** True when data have chosen the address, which is therefore checked when the connection is opened. */
  readonly fromData?: boolean;
}

/** The tables that a query touches stand in its text. */
export interface TouchedByQuery {
  readonly kind: "query";
  readonly text: string;
  readonly database: string;
  readonly speaks: Dialect;
}

/** An operation on documents touches its collection, and those that the stages of a pipeline name. */
export interface TouchedByDocuments {
  readonly kind: "documents";
  readonly request: DocumentStages;
  readonly of: string;
}

export interface TouchedThing {
  readonly kind: Exclude<CapabilityKind, "hosts">;
  readonly name: string;
  readonly of?: string | undefined;
  readonly verb?: string;
}

/** Something outside that a run is about to touch. */
export type Touch = TouchedHost | TouchedByQuery | TouchedByDocuments | TouchedThing;
