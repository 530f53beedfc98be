import type { Host } from "./host.ts";

/** The name of this process among the nodes of a service: leases, schedules and the console know it by the same one. */
export const nodeName = (host: Pick<Host, "resource" | "uuid">): string =>
  host.resource("node", () => ({ name: host.uuid(), close: () => undefined })).name;
