import { fromFile } from "../../files/settings-file.ts";
import { type Bind, bindOf, isLoopback } from "./bind.ts";
import type { Environment } from "./environment.ts";

/** Settings of the admin API: its address and its keys (spec/surfaces 0, 10, 16). */
export interface AdminSettings {
  /** The address of the API; undefined when it is off, or there is no key. */
  readonly bind: Bind | undefined;
  /** Keys of the organisation, which allow reading. */
  readonly keys: readonly string[];
  /** Keys of the admin API alone, which also allow changes of durable runs. */
  readonly adminKeys: readonly string[];
  /** True when the query of a request may hold a key. */
  readonly queryKeys: boolean;
  /** Names under which clients reach the server, besides addresses and `localhost`. */
  readonly hosts: readonly string[];
}

const shortestKey = 16;

/**
 * Reads the settings of the admin API. Without a key the API is not served; a missing key is an unmet need when the address can be reached
 * from outside.
 */
export function adminOf(env: Environment, unmet: string[]): AdminSettings {
  const keys = keysOf("PIPEWRIGHT_API_KEYS", env, unmet);
  const adminKeys = keysOf("PIPEWRIGHT_ADMIN_KEYS", env, unmet);
  const isOpen = keys.length + adminKeys.length > 0;
  const address = bindOf("PIPEWRIGHT_ADMIN_BIND", env.PIPEWRIGHT_ADMIN_BIND || "", 4112, unmet);
  const isOutside = address !== undefined && !isLoopback(address.address);
  if (isOutside && !isOpen)
    unmet.push(`PIPEWRIGHT_ADMIN_BIND: ${address.address}:${address.port} is reached from other machines: set PIPEWRIGHT_API_KEYS`);
  return {
    bind: isOpen ? address : undefined,
    keys,
    adminKeys,
    queryKeys: env.PIPEWRIGHT_QUERY_KEYS !== "off",
    hosts: listOf(env.PIPEWRIGHT_ADMIN_HOSTS ?? "").map((host) => host.toLowerCase()),
  };
}

/** Warns of settings of an operator that have no effect. */
export function adminWarnings({ keys, adminKeys }: AdminSettings, env: Environment): readonly string[] {
  const isAsked = (env.PIPEWRIGHT_ADMIN_BIND || "off") !== "off";
  return [
    ...(isAsked && keys.length + adminKeys.length === 0 ? ["the admin API is not served: PIPEWRIGHT_API_KEYS is not set"] : []),
    ...(env.PIPEWRIGHT_CAPTURE
      ? ["PIPEWRIGHT_CAPTURE has no effect: an interface is recorded when it says capture; PIPEWRIGHT_CAPTURE_MAX bounds that"]
      : []),
  ];
}

/** Reads keys: a comma list; or, after `file:`, the path of a file with a comma list or one key a line. */
function keysOf(name: string, env: Environment, unmet: string[]): readonly string[] {
  const source = env[name] ?? "";
  const read = source.startsWith("file:") ? fromFile(source.slice("file:".length), (text) => text) : { value: source };
  if ("problem" in read) {
    unmet.push(`${name}: ${read.problem}`);
    return [];
  }
  const keys = listOf(read.value.replaceAll(/\r?\n/g, ","));
  const short = keys.findIndex((key) => key.length < shortestKey);
  // The key itself is not quoted.
  if (short >= 0) unmet.push(`${name}: key ${short + 1} is shorter than ${shortestKey} characters`);
  return keys;
}

const listOf = (text: string): string[] =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
