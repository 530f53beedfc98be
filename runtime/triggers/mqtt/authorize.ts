import { hopsName, hopsOf } from "../../outgoing/hops.ts";
import type { Host } from "../../process/host.ts";
import { LiveRun } from "../../run/live-run.ts";
import { bareRequest } from "../../run/request.ts";
import { authorize } from "../authorize.ts";
import { ipOfPeer } from "./peer.ts";
import type { Caller, Peer } from "./rules.ts";
import type { TopicFilter } from "./topics.ts";
import type { Trigger } from "./trigger-topics.ts";

/** True when all interfaces that guard topics of a filter allow it: for each, a run of its authorizer decides. */
export async function areAllowing(
  guards: readonly Trigger[],
  filter: TopicFilter,
  caller: Caller,
  peer: Peer,
  host: Host,
): Promise<boolean> {
  const decisions = await Promise.all(guards.map((guard) => isAllowing(guard, filter, caller, peer, host)));
  return decisions.every((isAllowed) => isAllowed);
}

function isAllowing(
  { config, interface: guarded }: Trigger,
  filter: TopicFilter,
  caller: Caller,
  peer: Peer,
  host: Host,
): Promise<boolean> {
  const target = config.interfaces.find(({ name }) => name === guarded.subscribe_authorizer);
  // An anonymous client needs a public interface; otherwise the authorizer is not asked.
  if (target === undefined || (caller.kind === "anonymous" && guarded.public !== true)) return Promise.resolve(false);
  const run = new LiveRun(host, config, target, {
    ...bareRequest(host, "authorizer"),
    body: { channel: filter.levels.join("/"), op: "subscribe" },
    params: peer.params,
    hops: hopsOf(peer.headers[hopsName]),
    headers: caller.jwt === undefined ? {} : { "airpipe-jwt": caller.jwt },
    ip: ipOfPeer(target, peer, host),
  });
  return authorize(run, peer);
}
