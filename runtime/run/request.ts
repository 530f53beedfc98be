import type { Host } from "../process/host.ts";
import type { Request } from "./received.ts";

/** The request of a run that nobody asked for: no method, no body, no caller. */
export function bareRequest(host: Host, trigger: string): Request {
  return {
    id: host.uuid(),
    trigger,
    method: null,
    path: null,
    body: null,
    raw_body: null,
    params: {},
    headers: {},
    ip: {},
  };
}
