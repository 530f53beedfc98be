import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import type { Answer } from "./answer.ts";
import { answerChallenge, type DigestLogin } from "./digest.ts";
import { exchange, type HttpCall } from "./exchange.ts";
import { redirected } from "./redirect.ts";

/** The requests that may be sent after a first one. */
export interface Following {
  /** Most redirects; 0 gives them back. */
  readonly redirects: number;
  /** Answers challenges of the first origin. */
  readonly digest: DigestLogin | undefined;
  /** The end of the attempt by the monotonic clock. */
  readonly deadline: number;
}

/** Sends the requests that an answer to the first one asks for, a challenge or a redirect; the time limit covers them all. */
export async function follow(act: Act, first: HttpCall, received: Answer, { redirects, digest, deadline }: Following): Promise<Answer> {
  let call = first;
  let answer = received;
  for (let left = redirects; ; left--) {
    if (digest !== undefined && answer.status === 401 && call.url.origin === first.url.origin)
      answer = await challenged(act, call, answer, digest, deadline);
    const next = redirects === 0 ? undefined : redirected(call, answer, first, act.run.host.redactor);
    if (next === undefined) return answer;
    if (left === 0) throw new Failure("transport", "http connect failed: too many redirects", { upstream: 502 });
    call = next;
    answer = await exchange(act, call, deadline);
  }
}

/** Answers a challenge. The credentials are calculated for this request alone; another path needs others. */
async function challenged(act: Act, call: HttpCall, answer: Answer, login: DigestLogin, deadline: number): Promise<Answer> {
  const authorization = answerChallenge(answer.headers["www-authenticate"], call, login, act.run.host);
  if (authorization === undefined) return answer;
  return exchange(act, { ...call, headers: new Map([...call.headers, ["authorization", authorization]]) }, deadline);
}
