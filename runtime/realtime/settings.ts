import type { Host } from "../host.ts";

/** Bounds of the channels of an organisation (surfaces.md 3); the first two are those of one listener. */
export const defaultChannelLimits = {
  subscriptions: 1_000,
  presence: 100,
  retained: 1_000,
  topics: 100_000,
  messageBytes: 262_144,
};

/** A whole number of the environment; undefined where it is something else. */
export function wholeNumber(host: Host, name: string, otherwise: number): number | undefined {
  const text = host.env(name) || String(otherwise);
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** What keeps channels from being what they are for: they end at the border of a process (decisions.md A20). */
export const channelNeeds = ({ env }: Pick<Host, "env">): readonly string[] =>
  env("PIPEWRIGHT_CLUSTERED") === "true" ? ["PIPEWRIGHT_CLUSTERED=true: channels do not reach other nodes in this version"] : [];

export const historyVariable = "PIPEWRIGHT_WS_HISTORY_MAX";

/** Messages that a channel keeps for those who subscribe later; what is no number keeps a process with sockets from starting. */
export const historyDepth = (host: Host): number => wholeNumber(host, historyVariable, 0) ?? 0;
