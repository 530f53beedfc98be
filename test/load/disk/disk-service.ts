import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A record of the log of a service. */
export interface LogRecord {
  readonly level: string;
  readonly msg: string;
  readonly url?: string;
}

/** The answer to a call. */
export interface Answered {
  readonly status: number;
  readonly body: string;
  readonly ms: number;
  readonly retryAfter: string | null;
}

const script = fileURLToPath(new URL("../../runtime/durable/serving.ts", import.meta.url));

/** A service of a printed module in a process of its own, with all that it logs. */
export class DiskService {
  readonly url: string;
  readonly records: readonly LogRecord[];
  readonly #child: ChildProcess;

  private constructor(url: string, records: readonly LogRecord[], child: ChildProcess) {
    this.url = url;
    this.records = records;
    this.#child = child;
  }

  /** Starts it; resolves when it listens. */
  static async start(module: string, database: string, upstream = ""): Promise<DiskService> {
    const child = spawn(process.execPath, [script, module, database, upstream], { stdio: ["ignore", "pipe", "pipe"] });
    const records: LogRecord[] = [];
    let err = "";
    child.stderr.on("data", (chunk: Buffer) => {
      err += chunk;
    });
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        const record: LogRecord = JSON.parse(line);
        records.push(record);
        if (record.msg === "listening" && record.url !== undefined) resolve(record.url);
      });
      child.once("exit", (code) => reject(new Error(`the service ended with ${code}: ${err}`)));
    });
    return new DiskService(url, records, child);
  }

  async post(path: string, body: unknown = null): Promise<Answered> {
    const began = performance.now();
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${this.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await answer.text();
    return { status: answer.status, body: text, ms: performance.now() - began, retryAfter: answer.headers.get("retry-after") };
  }

  /** Texts of the log about durable runs, with their levels. */
  get durableLines(): readonly string[] {
    return this.records.filter(({ msg }) => msg.startsWith("durable runs: ")).map(({ level, msg }) => `${level} ${msg}`);
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Ends it by a signal; gives its exit status. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (!this.isAlive) return this.#child.exitCode;
    const exit = once(this.#child, "exit");
    this.#child.kill(signal);
    const [code] = await exit;
    return code;
  }
}
