import type { Host } from "../../process/host.ts";
import { type Bind, bindOf } from "../../process/settings/bind.ts";
import { wholeNumber } from "../../realtime/settings.ts";

/** How an operator wants MQTT to be served. */
export interface MqttSettings {
  /** Where clients connect without WebSocket; undefined: nowhere. */
  readonly bind: Bind | undefined;
  /** 0: MQTT is not served. */
  readonly maxConnections: number;
}

/** How a forged token is kept from running an interface. */
export const verifying = "test it with is_valid_jwt in the interface or its subscribe_authorizer";

/** The port of MQTT; only in the message of a wrong setting. */
const usualPort = 1883;

/** Reads the variables of spec/surfaces 4; what is wrong with them goes to `unmet`. */
export function settingsOf(host: Pick<Host, "env">, unmet: string[]): MqttSettings {
  return {
    bind: bindOf("PIPEWRIGHT_MQTT_BIND", host.env("PIPEWRIGHT_MQTT_BIND") || "off", usualPort, unmet),
    maxConnections: wholeNumber(host, "PIPEWRIGHT_MQTT_MAX_CONNECTIONS", 1_000, unmet) ?? 0,
  };
}
