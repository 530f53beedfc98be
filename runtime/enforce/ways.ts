import type { InterfaceRecord } from "../plan/interface-record.ts";

/** An interface as far as it says who reaches it: that of a plan, or that of a module. */
export type Reached = Pick<InterfaceRecord, "ws" | "mqtt" | "mcp" | "schedule" | "public" | "subscribe_authorizer"> & {
  /** A schedule that the environment decides about may run. */
  readonly idle?: { readonly state: "off" | "at start" };
  readonly triggers?: Readonly<Record<string, unknown>>;
};

const guard = "subscribe_authorizer ";

/**
 * The ways into an interface beside its route, as a manifest lists them (`reached_by`). Clients of a realtime trigger publish and subscribe
 * below the name of an interface that has one, which is why these bound what they may subscribe to, too.
 */
export function waysInto(target: Reached): readonly string[] {
  const { ws, mqtt, mcp, schedule, subscribe_authorizer: authorizer, idle, triggers = {} } = target;
  return [
    ...(ws === undefined ? [] : [`ws ${ws}`]),
    ...(mqtt === undefined ? [] : [`mqtt ${mqtt}`]),
    ...(mcp === undefined ? [] : [`mcp ${mcp.name}`]),
    ...(schedule === undefined && idle?.state !== "at start" ? [] : ["schedule"]),
    ...(target.public ? ["public"] : []),
    ...(authorizer === undefined ? [] : [`${guard}${authorizer}`]),
    ...Object.keys(triggers),
  ];
}

/** The first difference that opens an interface further than it was reviewed: a way that is not listed, or a guard that is gone. */
export function openedBy(ways: readonly string[], reviewed: readonly string[]): string | undefined {
  const way = ways.find((one) => !one.startsWith(guard) && !reviewed.includes(one));
  if (way !== undefined) return `is not listed with ${way}`;
  const lost = reviewed.find((one) => one.startsWith(guard) && !ways.includes(one));
  return lost === undefined ? undefined : `is listed with ${lost}, which it has not`;
}
