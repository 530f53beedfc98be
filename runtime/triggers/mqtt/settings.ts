import type { Host } from "../../host.ts";
import { type Bind, bindOf } from "../../lib/bind.ts";

/** How an operator wants MQTT to be served. */
export interface MqttSettings {
  /** Where clients connect without WebSocket; undefined: nowhere. */
  readonly bind: Bind | undefined;
  /** 0: MQTT is not served. */
  readonly maxConnections: number;
}

/** The port of MQTT; only in the message of a wrong setting. */
const usualPort = 1883;

/** Reads the variables of surfaces.md 4; what is wrong with them goes to `unmet`. */
export function settingsOf({ env }: Pick<Host, "env">, unmet: string[]): MqttSettings {
  const bind = env("PIPEWRIGHT_MQTT_BIND") || "off";
  const most = env("PIPEWRIGHT_MQTT_MAX_CONNECTIONS") || "1000";
  if (!/^\d{1,6}$/.test(most)) unmet.push(`PIPEWRIGHT_MQTT_MAX_CONNECTIONS must be a whole number up to 999999, not '${most}'`);
  return {
    bind: bindOf("PIPEWRIGHT_MQTT_BIND", bind, usualPort, unmet),
    maxConnections: /^\d{1,6}$/.test(most) ? Number(most) : 1_000,
  };
}
