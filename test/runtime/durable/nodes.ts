import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach } from "vitest";
import { createHost } from "#runtime/process/host.ts";
import { runsOf } from "#runtime/store/open-runs.ts";
import type { RunStore } from "#runtime/store/runs.ts";
import type { Json } from "#runtime/value/json.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { type Stub, stub } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";
import type { DurablePlace } from "../store/run-stores.ts";

const script = fileURLToPath(new URL("serving.ts", import.meta.url));

/** A node of a service, in a process of its own. */
export interface Node {
  readonly url: string;
  readonly log: readonly Readonly<Record<string, Json>>[];
  /** Sends the signal, and waits for the end of the process where it ends it. Gives the exit status. */
  readonly signal: (signal: NodeJS.Signals) => Promise<number | null>;
}

/** Nodes that share a store, and the service that they ask. */
export interface Service {
  /** Starts a node with the configuration, printed or walked; `keys` seal its runs. */
  readonly node: (how: "printed" | "walked", other?: { readonly config?: string; readonly keys?: string }) => Promise<Node>;
  /** The address of the service that they ask. */
  readonly upstream: string;
  /** Requests that have come, and are not answered until `answer`. */
  readonly asked: Stub["seen"];
  /** Answers the request of this number, from 0 on. */
  readonly answer: (number: number, status?: number, body?: string) => void;
  /** The runs, as a process sees them that serves nothing. */
  readonly runs: RunStore;
  readonly close: () => Promise<void>;
}

/** For each test of a suite a store of its own, and the service that uses it. */
export interface GivenService {
  readonly place: DurablePlace;
  readonly nodes: Service;
}

/** Opens a store and a service of the configuration before each test, and closes them after it. */
export function servicesOf(config: string, open: () => Promise<DurablePlace>): GivenService {
  let given: GivenService | undefined;
  beforeEach(async () => {
    const place = await open();
    given = { place, nodes: await service(config, place.address) };
  });
  afterEach(async () => {
    await given?.nodes.close();
    await given?.place.close();
  });
  const now = (): GivenService => {
    if (given === undefined) throw new Error("no test runs");
    return given;
  };
  return {
    get place() {
      return now().place;
    },
    get nodes() {
      return now().nodes;
    },
  };
}

/** A request with a body of JSON. */
export const json = (body: object) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** Makes a service of a configuration whose store has this address. */
export async function service(config: string, address: string): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-durable-"));
  const children = new Set<ChildProcess>();
  const responses: ServerResponse[] = [];
  const upstream = await stub((response) => void responses.push(response));
  const host = createHost({ env: { PIPEWRIGHT_DATABASE_URL: address } });
  let files = 0;
  return {
    node: async (how, { config: text = config, keys } = {}) => {
      const file = join(folder, `${++files}.ts`);
      writeFileSync(file, (await printOne(planned(text), { interpret: how === "walked" })).code);
      const child = spawn(process.execPath, [script, file, address, upstream.url], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, ...(keys === undefined ? {} : { RUNS_KEY: keys }) },
      });
      children.add(child);
      return started(child);
    },
    upstream: upstream.url,
    asked: upstream.seen,
    answer: (number, status = 200, body = "ok") => {
      const response = responses[number];
      if (response === undefined) throw new Error(`request ${number} has not come`);
      response.writeHead(status).end(body);
    },
    runs: runsOf(host),
    close: async () => {
      for (const child of children) child.kill("SIGKILL");
      await Promise.all([...children].map((child) => (child.exitCode === null && child.signalCode === null ? once(child, "exit") : null)));
      for (const response of responses) response.destroy();
      await upstream.close();
      await host.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function started(child: ChildProcess): Promise<Node> {
  const log: Record<string, Json>[] = [];
  if (child.stdout === null) throw new Error("a node without output");
  createInterface({ input: child.stdout }).on("line", (line) => log.push(JSON.parse(line)));
  const exit = once(child, "exit");
  const url = await until(() => {
    const record = log.find(({ msg }) => msg === "listening");
    if (typeof record?.url !== "string") throw new Error(`the node does not listen: ${JSON.stringify(log)}`);
    return record.url;
  });
  return {
    url,
    log,
    signal: async (signal) => {
      child.kill(signal);
      if (signal === "SIGSTOP" || signal === "SIGCONT") return null;
      await exit;
      return child.exitCode;
    },
  };
}
