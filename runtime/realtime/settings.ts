import type { Host } from "../process/host.ts";
import { type Levels, patternLevels } from "./names.ts";

/** Bounds of the channels of an organisation (spec/surfaces 3); the first two are those of one listener. */
export const defaultChannelLimits = {
  subscriptions: 1_000,
  presence: 100,
  retained: 1_000,
  retainedBytes: 67_108_864,
  topics: 100_000,
  messageBytes: 262_144,
};

/** Reads a whole number from the environment. For any other text it gives undefined, and adds a problem. */
export function wholeNumber({ env }: Pick<Host, "env">, name: string, otherwise: number, problems: string[] = []): number | undefined {
  const text = env(name) || String(otherwise);
  if (/^\d{1,9}$/.test(text)) return Number(text);
  problems.push(`${name} must be a whole number, not '${text}'`);
  return undefined;
}

export const historyVariable = "PIPEWRIGHT_WS_HISTORY_MAX";

/** The number of messages that a channel keeps for later subscribers. An invalid number keeps a process with sockets from starting. */
export const historyDepth = (host: Host): number => wholeNumber(host, historyVariable, 0) ?? 0;

export const publicVariable = "PIPEWRIGHT_WS_PUBLIC_CHANNELS";

/** The patterns of channels that clients without a credential may use, by default all. A text that is no pattern is added to `problems`. */
export const publicPatterns = ({ env }: Pick<Host, "env">, problems: string[] = []): readonly Levels[] =>
  listOf(env(publicVariable) || "#").flatMap((pattern) => {
    const levels = patternLevels(pattern);
    if (levels === undefined) problems.push(`${publicVariable}: '${pattern}' is no channel and no pattern, such as news:#`);
    return levels === undefined ? [] : [levels];
  });

/** The items of a comma list. */
export const listOf = (text: string): readonly string[] =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
