import type { Host } from "../process/host.ts";
import type { Request } from "./received.ts";

/** The request of a run without a caller, such as one of a schedule: it has no method and no body. */
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
