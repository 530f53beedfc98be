import { busOf } from "../../../bus/open.ts";
import type { Host } from "../../../process/host.ts";
import { sharedAddress } from "../../../store/address.ts";
import { openSessions } from "../../../store/open-mqtt-sessions.ts";
import { Failure } from "../../../value/failure.ts";
import { messageOf } from "../../../value/thrown.ts";
import type { Permission, Rules } from "../rules.ts";
import { RunsInOrder } from "../runs-in-order.ts";
import { SharedBroker } from "./shared-broker.ts";

/** The decisions about wills of clients whose process has ended. */
export interface Estates {
  readonly permission: (kind: "key" | "jwt" | "anonymous", topic: string) => Permission;
  readonly accepted: Rules["accepted"];
}

/**
 * The broker of a process with durable sessions, with or without other processes; undefined when there is no store. A store that cannot be
 * used is a problem, unless the process has no others: then it serves without the store.
 */
export function openShared(host: Host, { permission, accepted }: Estates, problems: string[]): SharedBroker | undefined {
  try {
    const store = openSessions(host, sharedAddress(host));
    if (store === undefined) return undefined;
    const runs = new RunsInOrder(host.monotonic);
    // The address of the client is unknown here, and its token is not stored.
    const from = {
      caller: { kind: "anonymous", scope: "anonymous" },
      peer: { headers: {}, peer: undefined, credential: { hasKey: false }, params: {} },
      inOrder: (work: Parameters<RunsInOrder["add"]>[0]) => runs.add(work),
    } as const;
    return new SharedBroker({ host, bus: busOf(host), store, permission, accepted: (message) => accepted(message, from, false) });
  } catch (error) {
    const reason = messageOf(error);
    if (error instanceof Failure || !busOf(host).alone) problems.push(reason);
    else host.log("warn", `mqtt: sessions end with this process: ${reason}`);
    return undefined;
  }
}
