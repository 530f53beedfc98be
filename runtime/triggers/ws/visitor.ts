import { ipOf } from "../../network/chain.ts";
import type { Caller } from "../../network/gate.ts";
import { hopsName, hopsOf } from "../../outgoing/hops.ts";
import type { Host } from "../../process/host.ts";
import type { Interface } from "../../run/interface.ts";
import type { Request } from "../../run/received.ts";
import type { Json, JsonObject } from "../../value/json.ts";
import type { Credential } from "../http/credentials.ts";
import type { Upgrade } from "../http/upgrade-request.ts";

/** The content of a frame of text. */
export interface Sent {
  readonly text: string;
  readonly bytes: Buffer;
}

/** The client of a connection, as it was when the connection was opened: all its runs see the same client. */
export class Visitor {
  readonly hasKey: boolean;
  readonly token: string | undefined;
  /** Unix milliseconds at which the token expires; undefined when it does not. */
  readonly expires: number | undefined;
  /** True when the token was verified before the connection was opened. */
  readonly isVerified: boolean;
  readonly caller: Caller;
  readonly #host: Host;
  readonly #path: string;
  readonly #params: JsonObject;
  readonly #headers: JsonObject;
  readonly #ip: JsonObject;
  readonly #hops: number;

  constructor(host: Host, { network }: Interface, upgrade: Upgrade, credential: Credential, isVerified: boolean) {
    const { caller, path, params, message } = upgrade;
    const { hasKey, token, expires } = credential;
    this.#host = host;
    this.hasKey = hasKey;
    this.token = token;
    this.expires = expires;
    this.isVerified = isVerified;
    this.caller = caller;
    this.#path = path;
    this.#params = params;
    // Node gives strings, and a list for set-cookie.
    const headers = message.headers as JsonObject;
    this.#hops = hopsOf(headers[hopsName]);
    this.#headers = token === undefined ? headers : { ...headers, "airpipe-jwt": token };
    this.#ip = network === undefined ? ipOf(caller) : network.ip(caller, host);
  }

  /** The request of a run on behalf of the visitor; `sent` is the frame that asks for the run. */
  request(trigger: string, body: Json, sent?: Sent): Request {
    return {
      id: this.#host.uuid(),
      trigger,
      method: "GET",
      path: this.#path,
      body,
      raw_body: sent?.text ?? null,
      params: this.#params,
      headers: this.#headers,
      ip: this.#ip,
      ...(sent === undefined ? {} : { bytes: sent.bytes }),
      hops: this.#hops,
    };
  }
}
