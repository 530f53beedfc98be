import { afterEach } from "vitest";
import { type Served, type ServeOptions, serve } from "#runtime/process/server.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { planned, printOne } from "../../../harness/compile.ts";
import { evaluate } from "../../../harness/evaluate.ts";
import { type Api, type ModelPeer, modelPeer } from "../../../harness/peers/model-peer.ts";
import { send } from "../../../harness/sockets.ts";

/** Both protocols, on both paths. */
export const everyWay: readonly (readonly [api: Api, way: string, interpret: boolean])[] = (["openai", "anthropic"] as const).flatMap(
  (api) => [
    [api, "printed", false],
    [api, "walked", true],
  ],
);

const open: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

/** Ends with the test. */
export function kept<T extends { close: () => unknown }>(resource: T): T {
  open.push(resource);
  return resource;
}

export const peer = async (...given: Parameters<typeof modelPeer>): Promise<ModelPeer> => kept(await modelPeer(...given));

export interface Desk {
  readonly served: Served;
  /** The outcome of the action of that name, or the whole answer. */
  readonly ask: (path: string, body: Json, headers?: Record<string, string>) => Promise<{ status: number; body: JsonObject }>;
}

/** Serves interfaces whose agents ask the model at `MODEL`. */
export async function desk(interfaces: string, model: string, options: ServeOptions & { interpret?: boolean } = {}): Promise<Desk> {
  const { interpret = false, env = {}, ...rest } = options;
  const text = `name: desk\n${interfaces}`;
  const { code } = await printOne(planned(text), { interpret });
  const served = await serve([await evaluate(code)], {
    port: 0,
    address: "127.0.0.1",
    log: () => undefined,
    noticeMs: 0,
    metricsBind: undefined,
    env: { MODEL: `${model}/v1`, ...env },
    ...rest,
  });
  kept(served);
  return {
    served,
    ask: async (path, body, headers = {}) => {
      const got = await send(served.url, path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      return { status: got.status, body: JSON.parse(got.text || "null") };
    },
  };
}

/** The entry of an action in the envelope of an answer. */
export const entryOf = ({ body }: { readonly body: JsonObject }, action = "A"): JsonObject =>
  ((body.data as JsonObject)[action] ?? {}) as JsonObject; // the envelope of the product

export const dataOf = (answer: { readonly body: JsonObject }, action = "A"): JsonObject =>
  (entryOf(answer, action).data ?? {}) as JsonObject; // the same
