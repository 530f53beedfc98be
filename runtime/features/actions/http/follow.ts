import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import type { Json } from "../../../value/json.ts";
import type { Answer } from "./answer.ts";
import { answerChallenge, type DigestLogin, isStale } from "./digest.ts";
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

/**
 * Answers a challenge, and once more where the nonce has become too old meanwhile. The credentials are calculated for this request alone;
 * another path needs others.
 */
async function challenged(act: Act, call: HttpCall, first: Answer, login: DigestLogin, deadline: number): Promise<Answer> {
  const answered = async (answer: Answer): Promise<Answer> => {
    const authorization = answerChallenge(challengeOf(answer), call, login, act.run.host);
    if (authorization === undefined) return answer;
    return exchange(act, { ...call, headers: new Map([...call.headers, ["authorization", authorization]]) }, deadline);
  };
  const second = await answered(first);
  return second.status === 401 && isStale(challengeOf(second), challengeOf(first)) ? answered(second) : second;
}

const challengeOf = ({ headers }: Answer): Json | undefined => headers["www-authenticate"];
