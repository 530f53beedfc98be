import type { Host } from "../process/host.ts";
import type { Credentials } from "./http/credentials.ts";
import type { Upgrade } from "./http/upgrade-request.ts";

/**
 * A part that speaks a protocol on connections that began as a request (RFC 9110, 7.8). It belongs to the process: all configs that name it
 * share it. The port does not name the type of configs, so that `Config` can use it.
 */
export interface Protocol<Config, Target> {
  /** Lists the reasons why the protocol cannot serve these configs. */
  readonly missing: (configs: readonly Config[]) => Promise<readonly string[]>;
  /**
   * Serves these configs from now on: connections of removed interfaces are closed, all others stay. `credentials` knows the keys of the
   * organisation.
   */
  readonly serve: (configs: readonly Config[], credentials: Credentials) => void;
  /** The point at a path (still escaped); undefined when this protocol does not use the path. */
  readonly at: (path: string) => UpgradePoint<Target> | undefined;
  /** Tells all connections that the process ends, and resolves when they are closed. */
  readonly end: () => Promise<void>;
}

/** A path at which connections change their protocol. */
export interface UpgradePoint<Target> {
  /** The interface whose network policy decides which callers get here; without it all do. */
  readonly of?: Target;
  /** Takes over a connection, or refuses it. */
  readonly take: (upgrade: Upgrade) => void;
}

/** The protocol of a process, made at its first use. */
export type ProtocolOf<Config, Target> = (host: Host) => Protocol<Config, Target>;
