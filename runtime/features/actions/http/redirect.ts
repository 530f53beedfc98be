import type { Address } from "../../../outgoing/address.ts";
import type { Redactor } from "../../../value/redact.ts";
import type { Answer } from "./answer.ts";
import type { HttpCall } from "./exchange.ts";
import { target } from "./target.ts";

/** Names of headers that prove who the caller is. */
const credential = /auth|cookie|credential|jwt|key|password|secret|session|signature|token/;

/**
 * The call that a redirect asks for; undefined when the answer is no redirect that may be followed. GET and HEAD are repeated, and 303
 * turns every method into GET (spec/language 5.1.3). The new address is checked like the first one, and another origin gets no credentials:
 * no header that is called like one, and none in which `secrets` finds any. The address counts as data, unless its origin is that of the
 * `first` call.
 */
export function redirected(call: HttpCall, { status, headers }: Answer, first: HttpCall, secrets: Redactor): HttpCall | undefined {
  const { location } = headers;
  if (typeof location !== "string" || ![301, 302, 303, 307, 308].includes(status)) return undefined;
  const repeats = call.method === "GET" || call.method === "HEAD";
  if (!repeats && status !== 303) return undefined;
  const { url, credentials } = target(Buffer.from(location, "latin1").toString(), call.url);
  const fields = new Map(call.headers);
  if (url.origin !== call.url.origin)
    for (const [name, value] of call.headers)
      if (name === "host" || credential.test(name) || secrets.text(value) !== value) fields.delete(name);
  if (credentials !== undefined) fields.set("authorization", credentials);
  const { trust: _, ...rest } = call;
  const next = { ...rest, url, query: url.search, headers: fields, ...trustIn(url, first) };
  if (repeats && status !== 303) return next;
  fields.delete("content-type");
  return { ...next, method: "GET", body: null };
}

function trustIn(url: Address, { url: before, trust }: HttpCall): Pick<HttpCall, "trust"> {
  if (url.origin !== before.origin) return { trust: { address: false, proxy: trust?.proxy ?? true } };
  return trust === undefined ? {} : { trust };
}
