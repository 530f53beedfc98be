import type { Host } from "../../process/host.ts";
import { type Bind, bindOf } from "../../process/settings/bind.ts";
import { wholeNumber } from "../../realtime/settings.ts";

/** The operator's settings for MQTT. */
export interface MqttSettings {
  /** The address for clients without WebSocket; undefined when there is none. */
  readonly bind: Bind | undefined;
  /** The most connections; with 0 MQTT is not served. */
  readonly maxConnections: number;
}

/** The remedy against forged tokens that run an interface. */
export const verifying = "test it with is_valid_jwt in the interface or its subscribe_authorizer";

/** The default port of MQTT, for the message about a wrong setting. */
const usualPort = 1883;

/** Reads the variables of spec/surfaces 4; mistakes are added to `unmet`. */
export function settingsOf(host: Pick<Host, "env">, unmet: string[]): MqttSettings {
  return {
    bind: bindOf("PIPEWRIGHT_MQTT_BIND", host.env("PIPEWRIGHT_MQTT_BIND") || "off", usualPort, unmet),
    maxConnections: wholeNumber(host, "PIPEWRIGHT_MQTT_MAX_CONNECTIONS", 1_000, unmet) ?? 0,
  };
}
