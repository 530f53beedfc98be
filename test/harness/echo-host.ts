import { MockAgent } from "undici";
import type { Host, HostOptions, Resource } from "#runtime/process/host.ts";
import { stillHost } from "./still-host.ts";

/** A host whose HTTP calls stay in this process, and the list of its calls: one line each, in order. */
export interface EchoHost extends Host {
  readonly called: readonly string[];
}

/** A still host on which `http://upstream/<status>/…` answers with that status and echoes the request. */
export function echoHost(options: HostOptions): EchoHost {
  const host = stillHost(options);
  const called: string[] = [];
  const agent = new MockAgent();
  agent.disableNetConnect();
  const pool = agent.get("http://upstream");
  pool
    .intercept({ path: () => true, method: () => true })
    .reply((sent) => {
      const { method, path, headers } = sent;
      const body = shown(sent.body);
      called.push(JSON.stringify([method, path, headers, body]));
      const status = Number(path.split("/")[1]);
      const data = status === 204 ? "" : JSON.stringify({ a: body, b: path, list: [{ a: status }, null] });
      return { statusCode: status, data, responseOptions: { headers: { "content-type": "application/json" } } };
    })
    .persist();
  const agents = { usual: agent, load: async () => agent, close: () => agent.close() };
  return {
    ...host,
    called,
    // The cast is safe: only runtime/outgoing/agents.ts uses this resource, and `agents` has the members that it calls.
    resource: <R extends Resource>(key: string, open: () => R): R => (key === "http" ? (agents as unknown as R) : host.resource(key, open)),
    close: async () => {
      await agents.close();
      await host.close();
    },
  };
}

const shown = (body: unknown): string => (body instanceof Uint8Array ? Buffer.from(body).toString("latin1") : String(body ?? ""));
