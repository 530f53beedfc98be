import type { Host } from "../process/host.ts";
import { contextOf, type Headers, headersOf, sampledByRatio, type TraceContext } from "./context.ts";
import type { Attributes, SpanKind, Tracer, TraceSpan } from "./tracer.ts";

/** A piece of work that has ended. Times are Unix milliseconds with a fraction. */
export interface Finished {
  readonly context: TraceContext;
  /** The context of the span around it; undefined for the first span of a trace. */
  readonly parent: TraceContext | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly began: number;
  readonly ended: number;
  readonly attributes: Attributes;
  readonly failed: boolean;
}

/** The selection of traces that are recorded. */
export interface Sampling {
  /** The part of the traces that begin in this process, from 0 to 1. */
  readonly ratio: number;
  /** True when the decision of a caller is followed. */
  readonly followsCaller: boolean;
}

/** The parts that the spans of one trace have in common. */
interface Trace {
  readonly host: Host;
  readonly ids: Ids;
  /** The Unix time at which the monotonic clock was 0: all spans of a trace use this one clock, which never goes back. */
  readonly epoch: number;
  readonly take: (span: Finished) => void;
}

/** Begins traces; every sampled span is handed to `take` when it ends. */
export function beginner(host: Host, { ratio, followsCaller }: Sampling, take: (span: Finished) => void): Tracer["begin"] {
  const ids = new Ids(host);
  return (name, kind, attributes, headers) => {
    const caller = headers === undefined ? undefined : contextOf(headers);
    const traceId = caller?.traceId ?? ids.take(32);
    const sampled = caller !== undefined && followsCaller ? caller.sampled : sampledByRatio(traceId, ratio);
    const context = { traceId, spanId: ids.take(16), sampled, state: caller?.state ?? "", isRemote: false };
    const trace = { host, ids, epoch: host.now() - host.monotonic(), take };
    return new LiveSpan(trace, context, caller, name, kind, attributes);
  };
}

/** A span of a traced process. Only a sampled span is handed over. */
class LiveSpan implements TraceSpan {
  readonly context: TraceContext;
  readonly #trace: Trace;
  readonly #parent: TraceContext | undefined;
  readonly #name: string;
  readonly #began: number;
  #kind: SpanKind;
  #attributes: Attributes;
  #failed = false;
  #over = false;

  constructor(trace: Trace, context: TraceContext, parent: TraceContext | undefined, name: string, kind: SpanKind, attributes: Attributes) {
    this.#trace = trace;
    this.context = context;
    this.#parent = parent;
    this.#name = name;
    this.#kind = kind;
    this.#attributes = attributes;
    this.#began = trace.host.monotonic();
  }

  /** A span inside this one. */
  child(name: string, attributes: Attributes = {}): LiveSpan {
    const context = { ...this.context, spanId: this.#trace.ids.take(16) };
    return new LiveSpan(this.#trace, context, this.context, name, "internal", attributes);
  }

  set(attributes: Attributes): void {
    if (this.context.sampled) this.#attributes = { ...this.#attributes, ...attributes };
  }

  /** Notes that the work has failed; `type` is a class of failures, not the text of this one. */
  fail(type: string): void {
    this.#failed = true;
    this.set({ "error.type": type });
  }

  /** Notes that the work calls another service; gives the headers that continue the trace there. */
  calls(attributes: Attributes): Headers {
    this.#kind = "client";
    this.set(attributes);
    return headersOf(this.context);
  }

  /** Ends the span; only the first end counts. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    if (!this.context.sampled) return;
    const { host, epoch, take } = this.#trace;
    take({
      context: this.context,
      parent: this.#parent,
      name: this.#name,
      kind: this.#kind,
      began: epoch + this.#began,
      ended: epoch + host.monotonic(),
      attributes: this.#attributes,
      failed: this.#failed,
    });
  }

  /** Ends the span of work with a status. */
  endWith(status: number): void {
    this.set({ "http.response.status_code": status });
    if (status >= 500) this.fail(String(status));
    this.end();
  }
}

/** Random ids, cut out of one long text, because asking for bytes for each id would take as long as the rest of a span. */
class Ids {
  readonly #host: Host;
  #made = "";
  #next = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Gives random hexadecimal digits. */
  take(digits: number): string {
    if (this.#next + digits > this.#made.length) {
      this.#made = this.#host.bytes(4_096).toString("hex");
      this.#next = 0;
    }
    this.#next += digits;
    return this.#made.slice(this.#next - digits, this.#next);
  }
}
