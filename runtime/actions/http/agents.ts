import type { Agent } from "undici";
import type { Host, Resource } from "../../host.ts";

/** Sockets to one origin; further requests wait in line. */
const connectionsPerOrigin = 256;

/** The pool of connections of a process. undici is loaded by the first call, since it costs a start more than all else. */
class Agents implements Resource {
  agent: Agent | undefined;
  #loading: Promise<Agent> | undefined;

  load(): Promise<Agent> {
    this.#loading ??= import("undici").then(({ Agent }) => {
      // Every call has its own time limits (exchange.ts), finer than those of the pool.
      const limits = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 120_000 } };
      this.agent = new Agent({ ...limits, connections: connectionsPerOrigin, allowH2: false });
      return this.agent;
    });
    return this.#loading;
  }

  async close(): Promise<void> {
    // Whoever closes has waited for the runs: what is still open now belongs to nobody.
    await (await this.#loading)?.destroy();
  }
}

/** The agent of this host: at hand after the first call. */
export function agentOf(host: Host): Agent | Promise<Agent> {
  const agents = host.resource("http", () => new Agents());
  return agents.agent ?? agents.load();
}
