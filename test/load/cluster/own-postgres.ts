import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync } from "node:fs";

import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../../harness/peers/free-port.ts";

/** The folder with `initdb` and `postgres`, of the newest version that is installed; undefined where there is none. */
export function postgresPrograms(): string | undefined {
  const base = "/usr/lib/postgresql";
  const versions = existsSync(base) ? readdirSync(base).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(base, version, "bin")).find((folder) => existsSync(join(folder, "initdb")));
}

/** The address of a server, and the networks that it trusts. */
interface PostgresNetwork {
  readonly host: string;
  readonly subnet: string;
}

/** A server of PostgreSQL for one test alone, so that it may crash. */
export class OwnPostgres {
  readonly url: string;
  readonly port: number;
  readonly #programs: string;
  readonly #address: string;
  readonly #folder: string;
  readonly #owner: Owner;
  #server: ChildProcess | undefined;

  private constructor(programs: string, port: number, address: string, base = tmpdir()) {
    this.#programs = programs;
    this.port = port;
    this.#address = address;
    this.url = `postgres://postgres@${address}:${port}/postgres`;
    this.#folder = mkdtempSync(join(base, "pipewright-postgres-"));
    this.#owner = ownerOf(this.#folder);
  }

  /** `base` is the folder in which it has its own, by default that of the system for what is temporary. */
  static async start(
    programs: string,
    network: PostgresNetwork = { host: "127.0.0.1", subnet: "127.0.0.1/32" },
    base?: string,
  ): Promise<OwnPostgres> {
    const own = new OwnPostgres(programs, await freePort(), network.host, base);
    await own.#makeBy("initdb", ["-U", "postgres", "-A", "trust", "-E", "UTF8"]);
    appendFileSync(join(own.#folder, "pg_hba.conf"), `host all all ${network.subnet} trust\n`);
    await own.#start();
    return own;
  }

  /** Starts a server that follows this one, transaction by transaction. */
  async standby(): Promise<OwnPostgres> {
    const standby = new OwnPostgres(this.#programs, await freePort(), this.#address);
    const from = ["-h", this.#address, "-p", String(this.port), "-U", "postgres"];
    await standby.#makeBy("pg_basebackup", [...from, "--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast"]);
    await standby.#start();
    return standby;
  }

  async ask(sql: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Ends the server at once, as a crash does: nothing is written but what was. It comes back after so many milliseconds. */
  async crash(downMs: number): Promise<void> {
    await this.#stop("SIGQUIT");
    await sleep(downMs);
    await this.#start();
  }

  async #makeBy(program: string, words: readonly string[]): Promise<void> {
    const options = { ...this.#owner, stdio: "ignore" } as const;
    const [code] = await once(spawn(join(this.#programs, program), ["-D", this.#folder, ...words], options), "exit");
    if (code !== 0) throw new Error(`${program} ended with ${code}`);
  }

  /** Ends the server at once, and forgets its data. */
  async close(): Promise<void> {
    await this.#stop("SIGQUIT");
    // A thousand files: callers of the same process would measure how long it stands still.
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Resolves when the server answers. */
  async #start(): Promise<void> {
    const settings = [`listen_addresses=${this.#address}`, `unix_socket_directories=${this.#folder}`, "max_connections=200"];
    const words = ["-D", this.#folder, "-p", String(this.port), ...settings.flatMap((each) => ["-c", each])];
    this.#server = spawn(join(this.#programs, "postgres"), words, { ...this.#owner, stdio: "ignore" });
    while (!(await this.#answers())) {
      if (this.#server.exitCode !== null) throw new Error(`PostgreSQL ended with ${this.#server.exitCode}`);
      await sleep(20);
    }
  }

  async #answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 1_000 });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      return false;
    }
  }

  async #stop(signal: NodeJS.Signals): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exit = once(server, "exit");
    server.kill(signal);
    await exit;
  }
}

/** The user to whom a folder and its processes belong; the current user when absent. */
interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

/** PostgreSQL does not run as root: there, the user of its package owns the folder and the processes. */
function ownerOf(folder: string): Owner {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  const [uid, gid] = [id("-u"), id("-g")];
  chownSync(folder, uid, gid);
  return { uid, gid };
}
