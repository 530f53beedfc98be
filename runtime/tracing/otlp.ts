import type { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import type { Host } from "../process/host.ts";
import type { TracingSettings } from "../process/settings/tracing-options.ts";
import { beginner, type Finished } from "./span.ts";
import type { Attributes, Tracer } from "./tracer.ts";

type Exported = Parameters<OTLPTraceExporter["export"]>[0][number];

/** The most spans that wait for the collector; further ones are dropped. */
const mostWaiting = 4_096;
/** The most spans of one message. */
const mostAtOnce = 512;
/** Milliseconds for which a span waits, so that spans are sent in batches. */
const gatherMs = 1_000;
/** Milliseconds between two warnings that the collector is too slow. */
const remindMs = 60_000;
/** Milliseconds that a process at its end waits for the collector. */
const lastMs = 3_000;

/** Milliseconds beyond the time of a message after which an answer that has not ended counts as none. */
const lateMs = 1_000;

/** Sends a batch by the OTLP library; resolves with the error when it has failed. */
type Send = (spans: Exported[]) => Promise<Error | undefined>;

const kinds = { internal: 0, server: 1, client: 2 } as const;

/** Sends spans to a collector over OTLP/HTTP (spec/surfaces 16). When the collector does not answer, spans are lost, but no request is. */
class Exporter {
  readonly #host: Host;
  readonly #send: Send;
  readonly #resource: { readonly attributes: Attributes };
  #waiting: Exported[] = [];
  /** Spans that were dropped since the last warning. */
  #dropped = 0;
  #isDown = false;
  /** The time, by the monotonic clock, from which the log may warn again that the collector is too slow. */
  #mayRemind = 0;
  #reminder: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(host: Host, resource: Attributes, send: Send) {
    this.#host = host;
    this.#send = send;
    this.#resource = { attributes: resource };
  }

  take(span: Finished): void {
    if (this.#waiting.length >= mostWaiting) {
      this.#dropped += 1;
      if (!this.#isDown && this.#reminder === undefined) void this.#remind();
      return;
    }
    this.#waiting.push(this.#exported(span));
    if (this.#sending !== undefined) return;
    if (this.#waiting.length >= mostAtOnce) void this.#flush();
    else this.#timer ??= setTimeout(() => void this.#flush(), gatherMs).unref();
  }

  /** Sends the remaining spans, for as long as the process may wait. */
  async close(): Promise<void> {
    this.#reminder?.abort();
    const late = new AbortController();
    const all = async (): Promise<void> => {
      while (!late.signal.aborted && (this.#sending !== undefined || this.#waiting.length > 0)) await (this.#sending ?? this.#flush());
    };
    const waits = this.#host.sleep(lastMs, late.signal).catch(() => undefined);
    await Promise.race([all(), waits]);
    late.abort();
    clearTimeout(this.#timer);
    this.#dropped += this.#waiting.length;
    if (this.#dropped > 0) this.#host.log("warn", "spans were dropped", { spans: this.#dropped });
  }

  /**
   * Logs how many spans were dropped because the collector is too slow: soon, and then once a minute. Spans that are dropped while the
   * collector is away are logged when it is back.
   */
  async #remind(): Promise<void> {
    const reminder = new AbortController();
    const host = this.#host;
    this.#reminder = reminder;
    await host.sleep(Math.max(gatherMs, this.#mayRemind - host.monotonic()), reminder.signal).catch(() => undefined);
    this.#reminder = undefined;
    if (reminder.signal.aborted || this.#isDown || this.#dropped === 0) return;
    host.log("warn", "the collector of traces is too slow: spans were dropped", { spans: this.#dropped });
    this.#dropped = 0;
    this.#mayRemind = host.monotonic() + remindMs;
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting.splice(0, mostAtOnce);
    const request = this.#send(batch).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
    this.#sending = request.then((error) => {
      this.#sending = undefined;
      this.#tell(error, batch.length);
      if (this.#waiting.length > 0)
        this.#timer ??= setTimeout(() => void this.#flush(), this.#waiting.length >= mostAtOnce ? 0 : gatherMs).unref();
    });
    return this.#sending;
  }

  /** Logs once that the collector is away, and once that it is back. */
  #tell(error: Error | undefined, spans: number): void {
    if (error !== undefined) this.#dropped += spans;
    if (this.#isDown === (error !== undefined)) return;
    this.#isDown = error !== undefined;
    if (error !== undefined) this.#host.log("warn", `traces cannot be exported, spans are dropped: ${error.message || error.name}`);
    else {
      this.#host.log("info", "traces are exported again", { dropped: this.#dropped });
      this.#dropped = 0;
    }
  }

  #exported({ context, parent, name, kind, began, ended, attributes, failed }: Finished): Exported {
    const { redactor } = this.#host;
    // The encoder reads only the attributes of a resource.
    return {
      name: redactor.text(name),
      kind: kinds[kind],
      spanContext: () => placeOf(context),
      ...(parent === undefined ? {} : { parentSpanContext: placeOf(parent) }),
      startTime: timeOf(began),
      endTime: timeOf(ended),
      duration: timeOf(ended - began),
      status: { code: failed ? 2 : 0 },
      attributes: redactor.json(attributes),
      events: [],
      links: [],
      ended: true,
      resource: this.#resource as Exported["resource"],
      instrumentationScope: scope,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    };
  }
}

const scope = { name: "pipewright" };

const placeOf = ({ traceId, spanId, sampled, state, isRemote }: Finished["context"]): ReturnType<Exported["spanContext"]> => ({
  traceId,
  spanId,
  traceFlags: sampled ? 1 : 0,
  isRemote,
  ...(state === "" ? {} : { traceState: { serialize: () => state } as never }), // the encoder only calls serialize
});

/** A time in milliseconds as seconds and nanoseconds. */
function timeOf(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.min(Math.round((ms - seconds * 1_000) * 1e6), 999_999_999)];
}

/** The tracer of a process with a collector. Only this file loads the library. */
export async function tracerTo(settings: TracingSettings): Promise<(host: Host) => Tracer> {
  const send = await sender(settings);
  return (host) => {
    for (const [name, value] of Object.entries(settings.headers)) host.redactor.add(`header ${name} of traces`, value);
    const resource = { "deployment.environment.name": host.environment, ...settings.resource };
    const exporter = new Exporter(host, resource, send);
    return { begin: beginner(host, settings.sampling, (span) => exporter.take(span)), close: () => exporter.close() };
  };
}

/**
 * The library repeats failed messages that may succeed, within the time of a message. It waits without end for a collector that answers
 * slowly, so that its time is bounded here, too.
 */
async function sender({ url, headers, timeoutMs, compression }: TracingSettings): Promise<Send> {
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-proto");
  const library = new OTLPTraceExporter({ url, headers, timeoutMillis: timeoutMs, compression: compression as never }); // one of its two words, by the settings
  return (spans) =>
    new Promise((resolve) => {
      const late = setTimeout(() => resolve(new Error("the answer took too long")), timeoutMs + lateMs).unref();
      library.export(spans, ({ code, error }) => {
        clearTimeout(late);
        resolve(code === 0 ? undefined : (error ?? new Error("refused")));
      });
    });
}
