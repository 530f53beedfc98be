import type { IncomingMessage, ServerResponse } from "node:http";
import type { Host } from "../process/host.ts";
import type { Config } from "../run/interface.ts";
import type { JsonObject } from "../value/json.ts";

/** The process that the API reports on. */
export interface Watched {
  readonly host: Host;
  readonly configs: readonly Config[];
  /** Needs that do not answer at the moment, as `/readyz` lists them. */
  readonly unmet: () => Promise<readonly string[]>;
  /** The console, where the process was linked with one. */
  readonly shown?: AdminConsole | undefined;
  /** True in the first of several processes, which serves nothing itself. */
  readonly isFirst?: boolean;
}

/** An answer of the admin API. */
export interface ApiReply {
  readonly status: number;
  readonly body: JsonObject;
}

/** The page that shows a process, and the answers for this page. */
export interface AdminConsole {
  /** Sends the page, which needs no key: it is the same for every service and holds no data of this one. */
  readonly page: (message: IncomingMessage, response: ServerResponse) => undefined;
  /**
   * Answers a caller with a key: requests of the admin API, and further ones of the page. Gives undefined when it has sent the answer
   * itself. Rejects when the store of runs does not answer.
   */
  readonly answers: (
    path: string,
    query: ReadonlyMap<string, string>,
    watched: Watched,
    message: IncomingMessage,
    response: ServerResponse,
  ) => Promise<ApiReply | undefined>;
  /** The configs with a meter that counts their runs for the page. */
  readonly counted: (configs: readonly Config[]) => readonly Config[];
  /** Registers this process, until it ends, so that the page of any node shows it. Never rejects. */
  readonly attend: (host: Host, configs: () => readonly Config[]) => Promise<void>;
}
