import type { Schedule } from "./attempts.ts";
import type { McpToolPlan, ToolPlan } from "./tools.ts";

/** The words of an interface that its plan and the record of its module share: how callers reach it, and which callers may. */
export interface InterfaceRecord {
  readonly name: string;
  readonly output: "http" | "cli" | "none";
  /** The caller is answered before the actions run. */
  readonly respond?: "early";
  /** The schedule by which the interface runs by itself; only when it is enabled. */
  readonly schedule?: Schedule;
  /** Text frames of sockets run it, and get its reply or nothing (spec/surfaces 3, spec/language 7.6). */
  readonly ws?: "reply" | "discard";
  /** Messages to the topic `<environment>/<name>/<this>` run it (spec/surfaces 4). */
  readonly mqtt?: string;
  /** Clients of a realtime trigger need no credential. */
  readonly public?: true;
  /** The interface of the same config that decides which channels a client of a realtime trigger may use. */
  readonly subscribe_authorizer?: string;
  /** A test of the interface, or of its authorizer, verifies the tokens of clients of a realtime trigger. */
  readonly verifies?: true;
  /** How agents see and call the interface; only when that is enabled. */
  readonly mcp?: McpToolPlan;
  /** The interface as the agents of its own config see it; only when one of them may call it. */
  readonly tool?: ToolPlan;
}
