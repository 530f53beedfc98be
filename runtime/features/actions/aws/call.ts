import { type AwsRequest, signedRequest } from "../../../keys/aws-signature.ts";
import { withService } from "../../../outgoing/service-failure.ts";
import type { Host, Resource } from "../../../process/host.ts";
import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { own } from "../../../value/json.ts";
import { Recent } from "../../../value/recent.ts";
import type { Answer } from "../http/answer.ts";
import { exchange } from "../http/exchange.ts";
import { measured } from "../http/measured.ts";
import { errorOf, isExpired, mayBeClock, serviceFailure } from "./errors.ts";
import type { Account } from "./model.ts";

/** A request to a service, before it is signed. */
export interface ServiceCall extends Omit<AwsRequest, "region"> {
  readonly protocol: string;
  /** The host of the service without a bucket: one clock is kept for it. */
  readonly clock: string;
  /** Milliseconds of the whole exchange. */
  readonly timeout: number;
  /** The most bytes of the answer. */
  readonly limit: number;
  /** The answer holds credentials. */
  readonly confidential?: true;
}

/** How far the clocks of services are ahead of ours: milliseconds by host. */
interface Clocks extends Resource {
  readonly ahead: Recent<number>;
}

const clocksOf = (host: Host): Clocks => host.resource<Clocks>("aws clocks", () => ({ ahead: new Recent(64), close: () => undefined }));

/** Milliseconds by which the clock of a service is ahead of ours, as far as it is known. */
export const aheadOf = (host: Host, clock: string): number => clocksOf(host).ahead.get(clock) ?? 0;

/** Services take a signature whose time is up to 5 or 15 minutes from theirs. */
const worthCorrecting = 240_000;

/**
 * Sends a signed request and gives its answer of status 2xx. It is sent once more with the time of the service where the clocks are minutes
 * apart, and with fresh credentials where the service calls the temporary ones expired. Throws `Failure`.
 */
export function callService(act: Act, account: Account, call: ServiceCall): Promise<Answer> {
  // Calls that fetch credentials are not measured as calls of the action.
  return call.confidential === undefined ? measured(act, () => tried(act, account, call)) : tried(act, account, call);
}

async function tried(act: Act, account: Account, call: ServiceCall): Promise<Answer> {
  const { host } = act.run;
  const deadline = host.monotonic() + call.timeout;
  let current = account;
  let isCorrected = false;
  for (;;) {
    const time = host.now() + aheadOf(host, call.clock);
    const answer = await send(act, current, call, time, deadline);
    if (answer.status >= 200 && answer.status < 300) return answer;
    const error = await errorOf(answer, call.service, act);
    if (!isCorrected && mayBeClock(error) && corrects(host, call.clock, answer, time)) {
      isCorrected = true;
      continue;
    }
    const renewed = current === account && isExpired(error) ? await account.renew() : undefined;
    if (renewed === undefined) throw serviceFailure(call.service, answer, error);
    current = renewed;
  }
}

/** Notes how far the clock of the service is ahead, by the date of its answer; false when that explains no refusal. */
function corrects(host: Host, clock: string, { headers }: Answer, time: number): boolean {
  const date = own(headers, "date");
  const theirs = typeof date === "string" ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(theirs) || Math.abs(theirs - time) < worthCorrecting) return false;
  clocksOf(host).ahead.set(clock, theirs - host.now());
  return true;
}

async function send(act: Act, { credentials, region }: Account, call: ServiceCall, time: number, deadline: number): Promise<Answer> {
  act.throwIfCancelled();
  const { headers, query } = signedRequest({ ...call, region }, credentials, time);
  const { method, protocol, host, path, timeout, limit, body, confidential } = call;
  const exchanged = {
    ...{ method, url: new URL(`${protocol}//${host}${path}`), query: query === "" ? "" : `?${query}` },
    ...{ headers: new Map(Object.entries(headers)), body: body.length === 0 && method !== "PUT" && method !== "POST" ? null : body },
    ...{ timeout, connectTimeout: 10_000, idleTimeout: null, streams: false, transport: undefined, limit },
    ...(confidential === undefined ? {} : { confidential }),
  };
  return exchange(act, exchanged, deadline).catch((error: unknown) => {
    throw error instanceof Failure ? withService(`aws ${call.service}`, error) : error;
  });
}
