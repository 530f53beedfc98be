import type { Config } from "../run/interface.ts";

/**
 * Lists the reasons that keep configurations from being mounted in an application: connections that stay open need a server of pipewright.
 */
export const unmountable = (configs: readonly Config[]): readonly string[] =>
  configs.flatMap(({ name, protocols = [], interfaces }) => {
    if (protocols.length === 0) return [];
    const triggers = interfaces.flatMap(({ name: target, ws, mqtt }) => [
      ...(ws === undefined ? [] : [`${target} (ws)`]),
      ...(mqtt === undefined ? [] : [`${target} (mqtt)`]),
    ]);
    const why =
      triggers.length > 0 ? `has triggers of WebSocket or MQTT: ${triggers.join(", ")}` : "publishes by MQTT, which needs a broker";
    return [`${name} ${why}. Fastify serves requests only: move this to a configuration of its own, and serve that with pipewright serve`];
  });

/** Configurations that publish to channels, which have no listeners inside of an application. */
export const unheard = (configs: readonly Config[]): readonly string[] =>
  configs.flatMap(({ name, channels }) =>
    channels === undefined ? [] : [`${name} publishes to channels, which no client of this application can subscribe to`],
  );
