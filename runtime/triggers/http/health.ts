import type { IncomingMessage } from "node:http";
import { keyOf } from "../../keys/api-keys.ts";
import { TriedKeys } from "../../keys/tried-keys.ts";
import type { Host } from "../../process/host.ts";
import type { Json } from "../../value/json.ts";
import { answer } from "./answer.ts";
import type { Outgoing } from "./outgoing.ts";
import type { Service } from "./table.ts";

/** A page of the server itself. */
export interface OwnPage {
  readonly path: string;
  readonly service: Service;
}

export interface HealthOptions {
  readonly host: Host;
  /** API keys of the organisation, and whether the query may hold one. */
  readonly keys: readonly string[];
  readonly queryKeys: boolean;
  /** Names of the needs that do not answer at the moment. */
  readonly unmet: () => Promise<readonly string[]>;
  /** False while the process drains. */
  readonly isServing: () => boolean;
  readonly fails: (error: unknown, response: Outgoing, id: string) => void;
}

const asJson = { "content-type": "application/json" };

/**
 * The pages for load balancers: `/livez` answers as long as the event loop turns, `/readyz` while every need answers. The names of needs
 * reveal configurations and databases, so that only a caller with an API key gets them; the log has them when they change.
 */
export function healthPages({ host, keys, queryKeys, unmet, isServing, fails }: HealthOptions): readonly OwnPage[] {
  const triedKeys = new TriedKeys(keys, host.monotonic);
  let last = "";

  function mayKnow(message: IncomingMessage): boolean {
    const { remoteAddress: address = "" } = message.socket;
    const key = keyOf(message, new URLSearchParams(message.url?.split("?")[1] ?? ""), queryKeys);
    return key !== undefined && triedKeys.wait(address) === 0 && triedKeys.accepts(key, address);
  }

  function ready(response: Outgoing, id: string, message: IncomingMessage): void {
    const say = (status: number, word: string, needs: readonly string[]): void => {
      const body: Json = { status: word, ...(status !== 200 && mayKnow(message) ? { unmet: [...needs] } : {}) };
      answer(response, { status, headers: asJson, body: JSON.stringify(body) }, id, false);
    };
    if (!isServing()) {
      say(503, "draining", []);
      return;
    }
    unmet().then(
      (needs) => {
        if (needs.join() !== last)
          host.log(needs.length === 0 ? "info" : "warn", needs.length === 0 ? "ready again" : "not ready", { unmet: [...needs] });
        last = needs.join();
        if (needs.length === 0) say(200, "ready", []);
        else say(503, "unready", needs);
      },
      (error: unknown) => fails(error, response, id),
    );
  }

  return [
    { path: "/livez", service: (response, id) => answer(response, { status: 200, headers: asJson, body: '{"status":"ok"}' }, id, false) },
    { path: "/readyz", service: ready },
  ];
}
