import type { Serving } from "./ws-serving.ts";
import { serving } from "./ws-serving.ts";

/** Interfaces whose channels only some callers may use. */
export const config = `
name: rights
interfaces:
  feed: { ws: "on", public: true, actions: [{ name: A, input: "a|headers::airpipe-jwt|" }] }
  open: { ws: "on", actions: [{ name: A, input: "a|headers::airpipe-jwt|" }] }
  guarded: { ws: "on", subscribe_authorizer: allow, actions: [] }
  lobby: { ws: "on", public: true, subscribe_authorizer: lobby-allow, actions: [] }
  allow:
    respond: early
    actions:
      - { name: Token, input: a|headers|, assert: { http_code_on_error: 403, tests: [{ value: airpipe-jwt, is_valid_jwt: a|var::SECRET| }] } }
      - name: Own
        run_when_succeeded: { actions: [Token], http_code_on_error: 403 }
        input: a|body|
        assert: { http_code_on_error: 403, tests: [{ value: channel, regex: "^(own:|own:#$|slow$)" }, { value: op, regex: "^(subscribe|presence|publish)$" }] }
      - { name: Slow, run_when_succeeded: [Own], run_on_assertion: { tests: [{ value: channel, is_equal_to: slow }] }, delay: 10s }
  lobby-allow: { actions: [{ name: A, input: a|body|, assert: { http_code_on_error: 401, tests: [{ value: op, is_equal_to: "a|env::ALLOWED|" }] } }] }
`;

/** The channels that a client without credential may name. */
export const PIPEWRIGHT_WS_PUBLIC_CHANNELS = "news:#, lobby:+";

/** Serves the configuration of rights. */
export const served = (env = {}): Promise<Serving> => serving(config, { env: { PIPEWRIGHT_WS_PUBLIC_CHANNELS, ...env } });

/** The answer to who may not. */
export const refused = (op: string, channel: string, ap_error = "forbidden") => ({ ap_error, op, channel });

/** A frame that publishes. */
export const publish = (channel: string) => ({ ap_publish: { channels: channel, data: 1 } });

/** A frame that enters. */
export const enter = (channel: string) => ({ ap_presence_enter: { channel, id: "me" } });
