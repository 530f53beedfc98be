import type { Dispatcher } from "undici";
import { loadUndici, type Trust, type Ways } from "../outgoing/agents.ts";
import type { Undici } from "../outgoing/connections.ts";
import type { Egress } from "../outgoing/egress.ts";
import { hopsName } from "../outgoing/hops.ts";
import { Failure } from "../value/failure.ts";
import type { Json, JsonObject } from "../value/json.ts";
import type { CallStubs } from "./call-stubs.ts";
import { type Effects, withoutEmpty } from "./effects.ts";
import type { StubAnswer } from "./world.ts";

/** The destination of a run's calls: everything before it, from policy to retries, is that of production. */
export interface CallPlace {
  readonly stubs: CallStubs;
  readonly effects: Effects;
  /** Checks addresses that come from data. */
  readonly egress: () => Egress;
  /** Lets the time of the trial pass while a run waits for an answer. */
  readonly passes: (ms: number) => Promise<void>;
}

/** The outgoing door of a host on which stubs answer: no call leaves the process. */
export function stubbedWays(place: CallPlace): Ways {
  return {
    usual: undefined,
    guarded: undefined,
    load: async (_, trust) => stubbed(await loadUndici(), place, trust),
    close: () => undefined,
  };
}

/** A whole dispatcher, because libraries also use its other methods. */
function stubbed({ Dispatcher: Base }: Undici, place: CallPlace, trust: Trust): Dispatcher {
  return new (class extends Base {
    override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      const controller = new Controller((reason) => handler.onResponseError?.(controller, reason));
      exchange(options, handler, controller, place, trust).catch((error: unknown) =>
        controller.fail(error instanceof Error ? error : new Error(String(error))),
      );
      return true;
    }
  })();
}

async function exchange(
  options: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
  controller: Controller,
  place: CallPlace,
  trust: Trust,
): Promise<void> {
  const url = new URL(`${options.origin}${options.path}`);
  if (!trust.address) place.egress().checkHost(url.hostname);
  const { method } = options;
  const headers = headersOf(options.headers);
  place.effects.add({ call: `${method} ${url.href}`, ...withoutEmpty({ headers, body: bodyOf(options.body, headers["content-type"]) }) });
  const answer = place.stubs.answer(method, url);
  if ("problem" in answer) throw new Failure("transport", place.effects.lacks(answer.problem), { upstream: 502 });
  // A peer that refuses the connection has never seen the request.
  if (answer.fails === "refused") throw coded("ECONNREFUSED", "connect ECONNREFUSED");
  if (answer.fails === "timeout") throw coded("UND_ERR_CONNECT_TIMEOUT", "connect timeout");
  handler.onRequestStart?.(controller, {});
  await place.passes(answer.delay);
  if (controller.aborted) return;
  if (answer.fails === "reset") throw coded("ECONNRESET", "read ECONNRESET");
  const { bytes, type } = contentOf(answer);
  handler.onResponseStart?.(controller, answer.status, { ...(type === undefined ? {} : { "content-type": type }), ...answer.headers });
  if (bytes.length > 0 && !controller.aborted) handler.onResponseData?.(controller, bytes);
  if (!controller.aborted) handler.onResponseEnd?.(controller, {});
}

const coded = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/** The controller of one exchange, in the interface of undici. */
class Controller implements Dispatcher.DispatchController {
  readonly #tell: (reason: Error) => void;
  aborted = false;
  paused = false;
  reason: Error | null = null;
  rawHeaders = null;
  rawTrailers = null;

  constructor(tell: (reason: Error) => void) {
    this.#tell = tell;
  }

  abort(reason: Error): void {
    this.fail(reason);
  }

  fail(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#tell(reason);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }
}

/** The headers with names in small letters, without the header that counts hops. */
function headersOf(given: Dispatcher.DispatchOptions["headers"]): Record<string, string> {
  const list = Array.isArray(given) ? given : [];
  const lines: [string, string][] = [];
  for (let i = 0; i + 1 < list.length; i += 2) lines.push([String(list[i]).toLowerCase(), String(list[i + 1])]);
  const pairs = Array.isArray(given) ? lines : Object.entries(given ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]);
  return Object.fromEntries(pairs.filter(([name]) => name !== hopsName));
}

/** The body of a call: JSON when its type says so, else a text; bytes that are no UTF-8 as Base64. */
function bodyOf(body: Dispatcher.DispatchOptions["body"], type = ""): Json | undefined {
  if (body === null || body === undefined) return undefined;
  const bytes = typeof body === "string" ? Buffer.from(body) : body instanceof Uint8Array ? Buffer.from(body) : undefined;
  if (bytes === undefined) return undefined;
  const text = bytes.toString("utf8");
  if (!Buffer.from(text).equals(bytes)) return bytes.toString("base64");
  try {
    return /[/+]json\b/.test(type) ? (JSON.parse(text) as Json) : text; // what JSON.parse gives is JSON
  } catch {
    return text;
  }
}

/** The content of an answer: a text is sent unchanged, any other value as JSON. */
function contentOf({ body, headers }: StubAnswer): { readonly bytes: Buffer; readonly type: string | undefined } {
  const isTyped = Object.keys(headers as JsonObject).some((name) => name.toLowerCase() === "content-type");
  if (body === null) return { bytes: Buffer.alloc(0), type: undefined };
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const type = typeof body === "string" ? "text/plain; charset=utf-8" : "application/json";
  return { bytes, type: isTyped ? undefined : type };
}
