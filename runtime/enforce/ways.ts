import type { InterfaceRecord } from "../plan/interface-record.ts";

/** The members of an interface that say how callers reach it. A plan and a module have them alike. */
export type Reached = Pick<InterfaceRecord, "ws" | "mqtt" | "mcp" | "schedule" | "public" | "subscribe_authorizer"> & {
  /**
   * A schedule that is not enabled when compiling. The environment may enable one with the state `at start`, which therefore counts as a
   * way.
   */
  readonly idle?: { readonly state: "off" | "at start" };
  readonly triggers?: Readonly<Record<string, unknown>>;
};

const guard = "subscribe_authorizer ";

/**
 * The ways into an interface beside its route, as a manifest lists them (`reached_by`). Clients of a realtime trigger publish and subscribe
 * below the name of an interface with that trigger. The ways of an interface therefore also bound what clients may subscribe to.
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
