import type { Host } from "../process/host.ts";
import type { Credentials } from "./http/credentials.ts";
import type { Upgrade } from "./http/upgrade-request.ts";

/**
 * A part that speaks a protocol on connections which a request has opened (RFC 9110, 7.8). It belongs to the process: configs that name the
 * same one share it. The port names no `Config` of its own, so that configs can hold it.
 */
export interface Protocol<Config, Target> {
  /** Lists the reasons that keep these configs from being served by it. */
  readonly missing: (configs: readonly Config[]) => Promise<readonly string[]>;
  /**
   * From now on serves these: connections of interfaces that are gone are closed, all others stay. `credentials` knows the keys of the
   * organisation.
   */
  readonly serve: (configs: readonly Config[], credentials: Credentials) => void;
  /** The point at a path (still escaped); undefined: nothing of this protocol. */
  readonly at: (path: string) => UpgradePoint<Target> | undefined;
  /** Tells all connections that the process ends, and resolves when they are closed. */
  readonly end: () => Promise<void>;
}

/** A path at which connections change their protocol. */
export interface UpgradePoint<Target> {
  /** The interface whose network policy decides who may come so far; without it everybody may. */
  readonly of?: Target;
  /** Takes over a connection, or refuses it. */
  readonly take: (upgrade: Upgrade) => void;
}

/** The protocol of a process, made when it is first asked for. */
export type ProtocolOf<Config, Target> = (host: Host) => Protocol<Config, Target>;
