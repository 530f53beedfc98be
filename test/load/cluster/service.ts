import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { planned, printOne } from "../../harness/compile.ts";
import type { NetworkPlace } from "./own-network.ts";
import { steps } from "./steps.ts";

// The service of the cluster: a run of five actions, each of which asks the same upstream, one after the other.

/** Two versions of the service. Their difference does not concern the runs, so that each goes on with those of the other. */
export const versions = ["old", "new"] as const;
export type Version = (typeof versions)[number];

const config = (version: Version): string => `
name: orders
interfaces:
  order:
    method: POST
    durable: true
    respond: early
    actions:
${steps
  .map((name, at) =>
    [
      `      - name: ${name}`,
      ...(at === 0 ? [] : [`        run_when_succeeded: [${steps[at - 1]}]`]),
      `        http: { method: POST, url: "a|env::UPSTREAM|/${name}", body: { order: a|body::order| }, idempotency: {} }`,
    ].join("\n"),
  )
  .join("\n")}
  version:
    actions: [{ name: Version, json_output: ${version} }]
`;

/** Writes the printed module of a version of the service. */
export const writeModule = (folder: string, version: Version): Promise<string> => writePrinted(folder, version, config(version));

/** Writes the printed module of a configuration. */
export async function writePrinted(folder: string, name: string, text: string): Promise<string> {
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, (await printOne(planned(text))).code);
  return file;
}

/** Effects by order and step: the keys under which the upstream has heard of them, with repeats. */
export type Effects = Map<string, string[]>;

export interface Upstream {
  readonly url: string;
  readonly effects: Effects;
  readonly close: () => Promise<void>;
}

/** Notes each request, and answers it some milliseconds later. */
export async function upstream(address = "127.0.0.1"): Promise<Upstream> {
  const effects: Effects = new Map();
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { order } = JSON.parse(Buffer.concat(parts).toString());
      const place = `${order} ${request.url?.slice(1)}`;
      const keys = effects.get(place) ?? [];
      keys.push(String(request.headers["idempotency-key"]));
      effects.set(place, keys);
      setTimeout(() => response.end("ok"), 5);
    });
  });
  server.listen(0, address);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://${address}:${port}`, effects, close };
}

const script = fileURLToPath(new URL("../../runtime/durable/serving.ts", import.meta.url));

/** A process that serves. */
export interface ServingNode {
  /** Its connections to the database have this name. */
  readonly name: string;
  readonly url: string;
  readonly child: ChildProcess;
  /** The place of the node in a network of its own, where it may be cut off. */
  readonly place?: NetworkPlace;
}

interface NodeParts {
  readonly module: string;
  readonly database: string;
  readonly upstreamUrl: string;
  readonly place?: NetworkPlace;
}

export async function startNode(name: string, { module, database, upstreamUrl, place }: NodeParts): Promise<ServingNode> {
  const words = [script, module, named(database, name), upstreamUrl];
  if (place === undefined) return started(name, [process.execPath, ...words]);
  return { ...(await started(name, [...place.enter, process.execPath, ...words, place.address])), place };
}

/** The address of the database with the name of the node; empty where there is none. */
function named(database: string, name: string): string {
  if (database === "") return "";
  const address = new URL(database);
  address.searchParams.set("application_name", name);
  return address.href;
}

/** Starts a process that says where it listens. */
export async function started(name: string, words: readonly string[]): Promise<ServingNode> {
  const [program = "", ...args] = words;
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve, reject) => {
    lines.on("line", (line) => {
      const record: { readonly msg?: string; readonly url?: string } = JSON.parse(line);
      if (record.msg === "listening" && record.url !== undefined) resolve(record.url);
    });
    child.once("exit", (code) => reject(new Error(`node ${name} ended with ${code} before it listened`)));
  });
  return { name, url, child };
}
