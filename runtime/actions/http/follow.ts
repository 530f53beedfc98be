import type { Act } from "../../act.ts";
import { Failure } from "../../failure.ts";
import { answerChallenge, type DigestLogin } from "./digest.ts";
import { type Answer, exchange, type HttpCall } from "./exchange.ts";
import { redirected } from "./redirect.ts";

/** What may be sent after a first request. */
export interface Following {
  /** Most redirects; 0 gives them back. */
  readonly redirects: number;
  /** Answers challenges of the first origin. */
  readonly digest: DigestLogin | undefined;
  /** The end of the attempt by the monotonic clock. */
  readonly deadline: number;
}

/** Sends a request, and those that challenges and redirects ask for; the time limit covers them all. */
export async function follow(act: Act, first: HttpCall, { redirects, digest, deadline }: Following): Promise<Answer> {
  let call = first;
  for (let left = redirects; ; left--) {
    const login = digest !== undefined && call.url.origin === first.url.origin ? digest : undefined;
    const answer = await (login === undefined ? exchange(act, call, deadline) : challenged(act, call, login, deadline));
    const next = redirects === 0 ? undefined : redirected(call, answer);
    if (next === undefined) return answer;
    if (left === 0) throw new Failure("transport", "http connect failed: too many redirects", { upstream: 502 });
    call = next;
  }
}

/** The answer belongs to this request alone: another path needs another one. */
async function challenged(act: Act, call: HttpCall, login: DigestLogin, deadline: number): Promise<Answer> {
  const answer = await exchange(act, call, deadline);
  if (answer.status !== 401) return answer;
  const authorization = answerChallenge(answer.headers["www-authenticate"], call, login, act.run.host);
  if (authorization === undefined) return answer;
  return exchange(act, { ...call, headers: new Map([...call.headers, ["authorization", authorization]]) }, deadline);
}
