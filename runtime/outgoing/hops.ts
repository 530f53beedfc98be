import type { Json } from "../value/json.ts";

/** The header of a request, and the user property of an MQTT message, that says how deep the run is that it starts. */
export const hopsName = "pipewright-hops";

/** Depth beyond which no run starts: services that call each other in a circle end there. */
const deepest = 8;

/** The depth that a request or a message names. A text that is no number counts as 0: an outside caller begins there. */
export function hopsOf(text: Json | undefined): number {
  return typeof text === "string" && /^\d+$/.test(text) ? Number(text) : 0;
}

/** True for a run that would be deeper than any may be. */
export const isTooDeep = (hops = 0): boolean => hops > deepest;
