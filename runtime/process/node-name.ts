import type { Host } from "./host.ts";

/** The name of this process among the nodes of a service, for leases, schedules and the console. */
export const nodeName = (host: Pick<Host, "resource" | "uuid">): string =>
  host.resource("node", () => ({ name: host.uuid(), close: () => undefined })).name;
