import type { Json } from "../value/json.ts";

/** The header of a request, and the user property of an MQTT message, that says how deep the run is that it starts. */
export const hopsName = "pipewright-hops";

/** The depth beyond which no run starts, so that services that call each other in a circle end. */
const deepest = 8;

/** The depth in a request or a message. A text that is no number counts as 0, the depth of a request from outside. */
export function hopsOf(text: Json | undefined): number {
  return typeof text === "string" && /^\d+$/.test(text) ? Number(text) : 0;
}

/** True for a run that would be deeper than any may be. */
export const isTooDeep = (hops = 0): boolean => hops > deepest;
