import type { Host } from "../process/host.ts";
import type { Config } from "../run/interface.ts";

/** The process that the API reports on. */
export interface Watched {
  readonly host: Host;
  readonly configs: readonly Config[];
  /** Needs that do not answer now, as `/readyz` lists them. */
  readonly unmet: () => Promise<readonly string[]>;
}
