import { percentDecode } from "../formats/form.ts";
import type { Host } from "../process/host.ts";
import type { Config } from "../run/interface.ts";
import { type Refusal, refusals } from "../run/refusals.ts";
import type { Endpoint, EndpointRequest, EndpointsOf } from "../triggers/endpoint.ts";
import { answer } from "../triggers/http/answer.ts";
import { receive } from "../triggers/http/body.ts";
import { refuse } from "../triggers/http/refusal.ts";
import { requestTarget } from "../triggers/http/request.ts";
import type { Json, JsonObject } from "../value/json.ts";
import { Recent } from "../value/recent.ts";
import { engineOf } from "./durable.ts";
import { patiently } from "./patience.ts";
import { hashOfToken } from "./waits.ts";

/** The most bytes of the body of a callback. */
const mostBody = 1_048_576;

/** An address may try `wrong` unknown tokens in `ms` milliseconds; further tokens of the address are refused unread. */
const patience = { wrong: 10, ms: 1_000 } as const;

const tooMany: Refusal = { status: 429, code: "too_many_unknown_tokens", retryAfter: 1 };
const already: Refusal = { status: 409, code: "already_resumed" };

/** Takes callbacks for runs that wait, at any node (spec/surfaces 14). */
export const callbacks: EndpointsOf<Config> = (host) =>
  ["POST", "ANY"].map((method): Endpoint => {
    const take = (request: EndpointRequest): void => (method === "POST" ? resume(host, request) : show(request));
    return { method, path: "/_pipewright/callback/:token", take };
  });

/**
 * Answers with a page for people who open the link. Opening it resumes nothing, because scanners of mail open links, too. A client that
 * accepts no HTML gets 405 with `Allow: POST`.
 */
function show({ message, response, id, closes }: EndpointRequest): void {
  const { method, headers } = message;
  const wantsPage = method === "GET" && /\btext\/html\b/i.test(headers.accept ?? "");
  if (!wantsPage) {
    refuse(response, refusals.methodNotAllowed, id, ["POST"]);
    return;
  }
  const safe = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "referrer-policy": "no-referrer",
  };
  answer(response, { status: 200, headers: safe, body: page }, id, closes());
}

/** The page is the same for every token, so that it does not reveal whether a run exists. */
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>Confirm</title>
<style>body { font: 1.1rem system-ui; display: grid; place-items: center; min-height: 90vh } button { font: inherit; padding: .6em 1.6em }</style>
<form method="post"><p>Somebody waits for your answer.</p><button>Confirm</button></form>
</html>
`;

function resume(host: Host, { message, response, id, closes }: EndpointRequest): void {
  const address = message.socket.remoteAddress ?? "";
  const misses = host.resource("unknown tokens", () => ({ of: new Recent<Misses>(1_000), close: () => undefined })).of;
  if (isTooMany(misses.get(address), host.monotonic())) {
    refuse(response, tooMany, id);
    return;
  }
  receive({ message, response }, { ...host.limits, maxBodyBytes: mostBody }, (received) => {
    if ("code" in received) {
      refuse(response, received, id);
      return;
    }
    const payload = payloadOf(host, received.value, message.headers);
    void resumed(host, tokenOf(message.url ?? ""), payload).then((outcome) => {
      if (response.writableEnded || response.destroyed) return;
      if ("code" in outcome) {
        if (outcome === refusals.notFound) note(misses, address, host.monotonic());
        refuse(response, outcome, id);
      } else {
        const body = JSON.stringify({ resumed: true, request_id: outcome.id });
        answer(response, { status: 202, headers: { "content-type": "application/json" }, body }, id, closes());
      }
    });
  });
}

/**
 * Gives the payload to the run that waits for it. Never rejects. A caller that is told that the store is away may send the callback again,
 * since the store takes only one.
 */
export async function resumed(host: Host, token: string, payload: string): Promise<{ readonly id: string } | Refusal> {
  const engine = engineOf(host);
  if (engine.health.isDown) return refusals.runStoreUnavailable;
  try {
    const outcome = await patiently(engine, engine.store.resume(hashOfToken(token), payload));
    if (outcome.state === "unknown") return refusals.notFound;
    if (outcome.state === "already") return already;
    engine.health.written();
    engine.wake();
    return outcome;
  } catch (error) {
    return engine.gaveUp(error) ? refusals.runStoreUnavailable : refusals.internalError;
  }
}

/** The last part of the path. The token is empty, and therefore unknown, when the path cannot be read. */
function tokenOf(url: string): string {
  const last = requestTarget(url)?.path.split("/").at(-1) ?? "";
  return percentDecode(last) ?? "";
}

/** The data that the waiting action gives. Only headers that describe the body, or are the sender's own, are part of it. */
export function payloadOf(host: Host, body: Json, headers: Readonly<Record<string, string | string[] | undefined>>): string {
  const shown: JsonObject = {};
  for (const [name, value] of Object.entries(headers))
    if (typeof value === "string" && (name === "content-type" || name.startsWith("x-"))) shown[name] = value;
  return JSON.stringify({ body, headers: shown, received_at: new Date(host.now()).toISOString() });
}

interface Misses {
  readonly since: number;
  count: number;
}

const isTooMany = (misses: Misses | undefined, now: number): boolean =>
  misses !== undefined && misses.count >= patience.wrong && now - misses.since < patience.ms;

function note(misses: Recent<Misses>, address: string, now: number): void {
  const before = misses.get(address);
  if (before === undefined || now - before.since >= patience.ms) misses.set(address, { since: now, count: 1 });
  else before.count += 1;
}
