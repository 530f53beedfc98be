import { hostOf, touches } from "../../../outgoing/touches.ts";
import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { isObject, own } from "../../../value/json.ts";
import type { Answer } from "../http/answer.ts";
import type { Account } from "./account.ts";
import { ask, type GoogleRequest } from "./ask.ts";
import { type Token, tokenOf } from "./tokens.ts";

/** An address that takes the place of a service, and how long one request may take. */
export interface ServiceArgs {
  readonly endpoint: string | null;
  readonly timeout: number;
  readonly fromData: boolean;
}

/** Asks with a token of the account. A token that the service refuses is fetched anew, once. */
export async function askWithToken(
  act: Act,
  account: Account,
  scope: string,
  request: Omit<GoogleRequest, "headers"> & { readonly headers?: GoogleRequest["headers"] },
): Promise<Answer> {
  const args = { scopes: [scope] };
  // No token is fetched for a service that may not be asked.
  touches(act.run, hostOf(request.url, request.fromData));
  const attempt = ({ text }: Token): Promise<Answer> =>
    ask(act, { ...request, headers: { accept: "application/json", ...request.headers, authorization: `Bearer ${text}` } });
  const token = await tokenOf(act, account, args, request.timeout);
  try {
    return await attempt(token);
  } catch (error) {
    if (!(error instanceof Failure) || !isOfToken(error)) throw error;
    return attempt(await tokenOf(act, account, args, request.timeout, token.text));
  }
}

/** True when a 401 is about our token. It may also be about the token of another service, for example of Apple's. */
function isOfToken({ details: { upstream, data = null } }: Failure): boolean {
  const code = isObject(data) ? own(data, "code") : undefined;
  return upstream === 401 && (code === "" || code === "UNAUTHENTICATED" || code === "authError");
}

/** The address of a service, without a slash at its end. */
export function baseOf({ endpoint }: ServiceArgs, usual: string): string {
  const url = URL.parse(endpoint ?? usual);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "" || url.search !== "")
    throw new Failure("evaluation", "field endpoint: expected an address of http or https");
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}
