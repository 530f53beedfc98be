import type { Sampling } from "../../tracing/span.ts";
import type { Attributes } from "../../tracing/tracer.ts";
import type { Environment } from "./environment.ts";

/** The collector of spans, and how spans are sent to it (spec/surfaces 16). */
export interface TracingSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds for one message, including all attempts. */
  readonly timeoutMs: number;
  readonly compression: "none" | "gzip";
  readonly sampling: Sampling;
  /** Attributes of the process itself. */
  readonly resource: Attributes;
}

const hdr = "PIPEWRIGHT_OTEL_HDR_";

/**
 * The settings of traces: from `PIPEWRIGHT_OTEL_*`, else from the variables of OpenTelemetry itself. Undefined when no collector is named.
 */
export function tracingOf(env: Environment, unmet: string[]): TracingSettings | undefined {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === "true" || env.OTEL_TRACES_EXPORTER === "none") return undefined;
  const url = endpointOf(env, unmet);
  if (url === undefined) return undefined;
  const read = { env, unmet };
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || "http/protobuf";
  if (protocol !== "http/protobuf") unmet.push(`OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, not '${protocol}'`);
  const compression = env.OTEL_EXPORTER_OTLP_TRACES_COMPRESSION || env.OTEL_EXPORTER_OTLP_COMPRESSION || "none";
  if (compression !== "gzip" && compression !== "none")
    unmet.push(`OTEL_EXPORTER_OTLP_COMPRESSION must be gzip or none, not '${compression}'`);
  const resource = {
    "service.name": "pipewright",
    ...pairs(read, "OTEL_RESOURCE_ATTRIBUTES"),
    ...(env.OTEL_SERVICE_NAME ? { "service.name": env.OTEL_SERVICE_NAME } : {}),
  };
  const own = Object.entries(env).filter(([name, value]) => name.startsWith(hdr) && value);
  const headers = {
    ...pairs(read, "OTEL_EXPORTER_OTLP_HEADERS"),
    ...pairs(read, "OTEL_EXPORTER_OTLP_TRACES_HEADERS"),
    ...Object.fromEntries(own.map(([name, value]) => [name.slice(hdr.length).toLowerCase().replaceAll("_", "-"), value ?? ""])),
  };
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value))
      unmet.push(`header '${name}' of traces is no header`);
  }
  return {
    url,
    headers,
    timeoutMs: numberOf(
      read,
      ["PIPEWRIGHT_OTEL_TIMEOUT_MS", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"],
      30_000,
      [1, 600_000],
    ),
    compression: compression === "gzip" ? "gzip" : "none",
    sampling: samplingOf(read),
    resource,
  };
}

interface Read {
  readonly env: Environment;
  readonly unmet: string[];
}

/** The address of the collector. `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` is a whole address; the others are a root for all signals. */
function endpointOf(env: Environment, unmet: string[]): string | undefined {
  const names = ["PIPEWRIGHT_OTEL_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"] as const;
  const name = names.find((each) => env[each]);
  if (name === undefined) return undefined;
  const url = URL.parse(env[name] ?? "");
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // The address may hold a password, so it is not shown.
    unmet.push(`${name} must be an address such as http://collector:4318`);
    return undefined;
  }
  if (name !== "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" && !url.pathname.endsWith("/v1/traces"))
    url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  return url.href;
}

function samplingOf({ env, unmet }: Read): Sampling {
  const ratio = numberOf({ env, unmet }, ["PIPEWRIGHT_OTEL_RATIO", "OTEL_TRACES_SAMPLER_ARG"], 1, [0, 1]);
  if (env.PIPEWRIGHT_OTEL_RATIO) return { ratio, followsCaller: true };
  const word = env.OTEL_TRACES_SAMPLER || "parentbased_traceidratio";
  const [, parent, kind] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(word) ?? [];
  if (kind === undefined) unmet.push(`OTEL_TRACES_SAMPLER: '${word}' is not known`);
  const followsCaller = parent !== undefined;
  return { ratio: kind === "always_on" ? 1 : kind === "always_off" ? 0 : ratio, followsCaller };
}

function numberOf({ env, unmet }: Read, names: readonly string[], otherwise: number, [least, most]: readonly [number, number]): number {
  const name = names.find((each) => env[each]);
  if (name === undefined) return otherwise;
  const text = env[name] ?? "";
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  unmet.push(`${name} must be a number from ${least} to ${most}, not '${text}'`);
  return otherwise;
}

/** Reads `name=value` pairs with commas between them, percent-encoded. The text may be secret, so that it is not shown. */
function pairs({ env, unmet }: Read, name: string): Record<string, string> {
  const entries = (env[name] ?? "").split(",").filter((pair) => pair.trim() !== "");
  try {
    return Object.fromEntries(
      entries.map((pair) => {
        const at = pair.indexOf("=");
        if (at < 1) throw new URIError("no pair");
        return [decodeURIComponent(pair.slice(0, at).trim()), decodeURIComponent(pair.slice(at + 1).trim())];
      }),
    );
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    unmet.push(`${name} must be a list of name=value with commas between them`);
    return {};
  }
}
