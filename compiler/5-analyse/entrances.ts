import { present } from "../present.ts";
import type { AnalysedInterface } from "./analysed.ts";

/** A way in which runs of an interface begin; the kinds are those of the console. */
export type Entrance =
  | { readonly kind: "http"; readonly method: string; readonly route: string }
  /** `state` is present for a schedule that is off, or that the environment switches at the start. */
  | { readonly kind: "schedule"; readonly cron: string; readonly timezone: string; readonly state?: "off" | "at start" }
  | { readonly kind: "ws" }
  /** Runs by messages to the topic `<environment>/<interface>/<topic>`. */
  | { readonly kind: "mqtt"; readonly topic: string }
  /** Runs by calls of the tool; without `server` the default server offers it. */
  | { readonly kind: "mcp"; readonly tool: string; readonly server?: string }
  /** Runs by a trigger without code of its own in the compiler. */
  | { readonly kind: "trigger"; readonly name: string }
  | { readonly kind: "cli" }
  | { readonly kind: "interfaces" };

/** All entrances of an interface. An interface without a trigger is run by the command line or by other interfaces. */
export function entrancesOf(plan: AnalysedInterface): readonly Entrance[] {
  const { route, method, ws, mqtt, mcp, schedule, idle, output, triggers = {} } = plan;
  const timed = schedule ?? idle;
  const all: readonly (Entrance | undefined)[] = [
    route === undefined ? undefined : { kind: "http", method, route },
    timed && { kind: "schedule", cron: timed.cron, timezone: timed.timezone ?? "UTC", ...(idle && { state: idle.state }) },
    ws && { kind: "ws" },
    mqtt === undefined ? undefined : { kind: "mqtt", topic: mqtt },
    mcp && { kind: "mcp", tool: mcp.name, ...present({ server: mcp.server }) },
    ...Object.keys(triggers).map((name): Entrance => ({ kind: "trigger", name })),
  ];
  const own = all.filter((each) => each !== undefined);
  return own.length > 0 ? own : [{ kind: output === "cli" ? "cli" : "interfaces" }];
}
