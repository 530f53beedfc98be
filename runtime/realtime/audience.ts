import type { Run } from "../run/run.ts";
import type { JsonObject } from "../value/json.ts";
import { channelsOf } from "./channels.ts";
import { channelLevels, covers, nameProblem } from "./names.ts";
import { publicPatterns } from "./settings.ts";

/**
 * Makes a function that publishes a message to all of these channels. Where the configuration has MQTT, clients of MQTT get the message at
 * the topic with the channel's name, too, unless only some clients may subscribe to the channel. The message runs no interface there. Each
 * reason against publishing is told once.
 */
export function audienceOf(run: Run, names: readonly string[], tell: (reason: string) => void): (message: JsonObject) => void {
  const channels = channelsOf(run.host);
  const valid = names.filter((name) => {
    const problem = nameProblem(name);
    if (problem !== undefined) tell(problem);
    return problem === undefined;
  });
  const topics = valid.filter((name) => isForEverybody(name, run));
  const reasons = new Set<string>();
  const refuse = (reason: string): void => {
    if (!reasons.has(reason)) tell(reason);
    reasons.add(reason);
  };
  return (message) => {
    const text = JSON.stringify(message);
    for (const name of valid) {
      const refusal = channels.publish(name, message, false, text);
      if (refusal !== undefined) refuse(`channel '${name}': ${refusal}`);
    }
    if (topics.length === 0) return;
    const payload = Buffer.from(text);
    const broker = run.config.mqtt?.(run.host);
    for (const topic of topics) {
      const problem = broker?.publish({ topic, payload, qos: 0, retain: false, hops: (run.received.hops ?? 0) + 1, isQuiet: true });
      if (problem !== undefined) refuse(`${problem}: '${topic}'`);
    }
  };
}

/** True for a public channel. MQTT asks no authorizer of sockets, and does not know which channels are public. */
function isForEverybody(name: string, { config, host }: Run): boolean {
  const levels = channelLevels(name);
  const isGuarded = config.interfaces.some(({ ws, subscribe_authorizer }) => ws !== undefined && subscribe_authorizer !== undefined);
  if (config.mqtt === undefined || isGuarded || levels === undefined) return false;
  return publicPatterns(host).some((pattern) => covers(pattern, levels));
}
