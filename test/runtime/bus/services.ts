import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import type { JsonObject } from "#runtime/value/json.ts";
import { until } from "../../harness/until.ts";

export const key = "key-of-the-organisation";

/** A process of a service, as the command starts it. */
export interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly lines: () => readonly JsonObject[];
  /** Ends it at once, with its workers. */
  readonly kill: () => Promise<void>;
  /** Lets it end what it has begun; gives the exit status. */
  readonly end: () => Promise<number | null>;
}

/** A socket, and what it was sent. */
export interface Client {
  readonly socket: WebSocket;
  readonly got: JsonObject[];
  readonly say: (frame: unknown) => void;
  /** Resolves with the first frame that has this member. */
  readonly answer: (name: string) => Promise<JsonObject>;
}

export interface Processes {
  readonly start: (text: string, env?: Readonly<Record<string, string>>, flags?: readonly string[]) => Promise<Running>;
  readonly connect: (service: Running, name: string) => Promise<Client>;
  readonly endAll: () => void;
}

const bin = fileURLToPath(new URL("../../../bin/pipewright.mjs", import.meta.url));

/** Starts processes, and ends them all. */
export function processes(): Processes {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-test-"));
  const children: ChildProcess[] = [];
  const sockets: WebSocket[] = [];
  let files = 0;
  const start: Processes["start"] = async (text, env = {}, flags = []) => {
    const file = join(folder, `service-${++files}.yaml`);
    writeFileSync(file, text);
    const child = spawn(process.execPath, [bin, "serve", file, "--address", "127.0.0.1", "--port", "0", ...flags], {
      env: {
        PATH: process.env.PATH,
        PIPEWRIGHT_API_KEYS: key,
        PIPEWRIGHT_ADMIN_BIND: "off",
        PIPEWRIGHT_METRICS_BIND: "127.0.0.1:0",
        ...env,
      },
      stdio: ["ignore", "pipe", "inherit"],
      // A group of its own, so that workers end with it.
      detached: true,
    });
    children.push(child);
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
    });
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    const lines = (): readonly JsonObject[] =>
      out
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as JsonObject);
    const url = await until(() => {
      const listening = lines().find(({ msg }) => msg === "listening");
      if (listening === undefined) throw new Error(`it does not listen: ${out}`);
      return String(listening.url);
    });
    const kill = async (): Promise<void> => {
      process.kill(-(child.pid ?? 0), "SIGKILL");
      await ended;
    };
    const end = (): Promise<number | null> => {
      child.kill("SIGTERM");
      return ended;
    };
    return { child, url, lines, kill, end };
  };
  const connect: Processes["connect"] = async ({ url }, name) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws/local/production/${name}`, { headers: { "x-api-key": key } });
    sockets.push(socket);
    const got: JsonObject[] = [];
    socket.on("message", (data) => got.push(JSON.parse(String(data)) as JsonObject));
    await new Promise((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    const answer = (member: string): Promise<JsonObject> =>
      until(() => {
        const found = got.find((frame) => member in frame);
        if (found === undefined) throw new Error(`no ${member} in ${JSON.stringify(got)}`);
        return found;
      });
    return { socket, got, say: (frame) => socket.send(JSON.stringify(frame)), answer };
  };
  const endAll = (): void => {
    for (const socket of sockets.splice(0)) socket.terminate();
    for (const { pid, exitCode, signalCode } of children.splice(0))
      if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  return { start, connect, endAll };
}
