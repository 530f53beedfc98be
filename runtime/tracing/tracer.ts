import type { JsonObject } from "../value/json.ts";
import type { Headers, TraceContext } from "./context.ts";

/** The attributes of a span: words of the configuration and of protocols, never a body or a query. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export type SpanKind = "internal" | "server" | "client";

/** A process that traces its runs. A host without one costs a run nothing but the question. */
export interface Tracer {
  /** The first span here: of the caller's trace, where the headers name one, else of a new trace. */
  readonly begin: (name: string, kind: SpanKind, attributes: Attributes, headers?: JsonObject) => TraceSpan;
  readonly close: () => void | Promise<void>;
}

/** A piece of work under way (spec/surfaces 16): a request, a run, an action, a loop. */
export interface TraceSpan {
  readonly context: TraceContext;
  /** A span inside this one. */
  readonly child: (name: string, attributes?: Attributes) => TraceSpan;
  readonly set: (attributes: Attributes) => void;
  /** The work has failed; `type` is a class of failures, not its text. */
  readonly fail: (type: string) => void;
  /** The work calls another service: the headers that make the trace go on there. */
  readonly calls: (attributes: Attributes) => Headers;
  /** Only the first end counts. */
  readonly end: () => void;
  /** The end of something that has a status. */
  readonly endWith: (status: number) => void;
}
