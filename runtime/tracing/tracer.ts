import type { JsonObject } from "../value/json.ts";
import type { Headers, TraceContext } from "./context.ts";

/** The attributes of a span: words of the configuration and of protocols, never a body or a query. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export type SpanKind = "internal" | "server" | "client";

/** Traces the runs of a process. Without a tracer, a run only asks whether there is one. */
export interface Tracer {
  /** Begins the first span of this process: in the caller's trace, if the headers name one, else in a new trace. */
  readonly begin: (name: string, kind: SpanKind, attributes: Attributes, headers?: JsonObject) => TraceSpan;
  readonly close: () => void | Promise<void>;
}

/** A piece of work under way (spec/surfaces 16): a request, a run, an action, a loop. */
export interface TraceSpan {
  readonly context: TraceContext;
  /** A span inside this one. */
  readonly child: (name: string, attributes?: Attributes) => TraceSpan;
  readonly set: (attributes: Attributes) => void;
  /** Notes that the work has failed; `type` is a class of failures, not the text of this one. */
  readonly fail: (type: string) => void;
  /** Notes that the work calls another service; gives the headers that continue the trace there. */
  readonly calls: (attributes: Attributes) => Headers;
  /** Ends the span; only the first end counts. */
  readonly end: () => void;
  /** Ends the span of work with a status. */
  readonly endWith: (status: number) => void;
}
