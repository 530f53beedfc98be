import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { until } from "../until.ts";
import { freePort } from "./free-port.ts";
import { pkcs8Pairs } from "./ssh-pairs.ts";

/** Path of OpenSSH's server, undefined when it is not installed. */
export const sshdPath = (): string | undefined => ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].find(existsSync);

export interface Sshd {
  readonly port: number;
  readonly user: string;
  /** A folder that is empty at first. */
  readonly folder: string;
  /** Private keys that may log in: as OpenSSH and as PEM write them, and one with the passphrase `open sesame`. */
  readonly keys: { readonly openssh: string; readonly pem: string; readonly locked: string; readonly stranger: string };
  /** Private keys of PKCS #8 that may log in. */
  readonly pkcs8: readonly string[];
  /** Fingerprints of the keys of the host. */
  readonly fingerprints: { readonly ed25519: string; readonly ecdsa: string; readonly rsa: string };
  readonly close: () => Promise<void>;
}

/** Starts a server of OpenSSH on a port of its own, with keys of its own. */
export async function startSshd(): Promise<Sshd> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "sshd-")));
  const make = (name: string, ...args: readonly string[]): string => {
    const file = join(base, name);
    run("ssh-keygen", "-q", "-f", file, ...(args.includes("-N") ? args : ["-N", "", ...args]));
    return file;
  };
  const host = {
    ed25519: make("host_ed25519", "-t", "ed25519"),
    ecdsa: make("host_ecdsa", "-t", "ecdsa"),
    rsa: make("host_rsa", "-t", "rsa", "-b", "2048"),
  };
  const logins = {
    openssh: make("openssh", "-t", "ed25519"),
    pem: make("pem", "-t", "rsa", "-b", "2048", "-m", "PEM"),
    locked: make("locked", "-t", "ed25519", "-N", "open sesame", "-a", "16"),
  };
  const stranger = make("stranger", "-t", "ed25519");
  const pairs = pkcs8Pairs();
  const authorized = join(base, "authorized_keys");
  writeFileSync(
    authorized,
    [...Object.values(logins).map((file) => readFileSync(`${file}.pub`, "utf8").trim()), ...pairs.map(({ line }) => line)].join("\n"),
    { mode: 0o600 },
  );
  const folder = join(base, "files");
  mkdirSync(folder);
  const port = await freePort();
  const config = join(base, "sshd_config");
  writeFileSync(config, settings({ port, hostKeys: Object.values(host), authorized, pid: join(base, "pid") }));
  // As root the server requires this folder.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true });
  const server = spawn(sshdPath() ?? "sshd", ["-D", "-e", "-f", config], { stdio: ["ignore", "ignore", "pipe"] });
  await listening(server, port);
  const read = (file: string): string => readFileSync(file, "utf8");
  return {
    ...{ port, user: userInfo().username, folder },
    keys: { openssh: read(logins.openssh), pem: read(logins.pem), locked: read(logins.locked), stranger: read(stranger) },
    pkcs8: pairs.map(({ pem }) => pem),
    fingerprints: { ed25519: fingerprint(host.ed25519), ecdsa: fingerprint(host.ecdsa), rsa: fingerprint(host.rsa) },
    close: async () => {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill();
      await ended;
      rmSync(base, { recursive: true, force: true });
    },
  };
}

interface Settings {
  readonly port: number;
  readonly hostKeys: readonly string[];
  readonly authorized: string;
  readonly pid: string;
}

const settings = ({ port, hostKeys, authorized, pid }: Settings): string =>
  [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    ...hostKeys.map((file) => `HostKey ${file}`),
    `AuthorizedKeysFile ${authorized}`,
    `PidFile ${pid}`,
    ...["StrictModes no", "UsePAM no", "PasswordAuthentication no", "KbdInteractiveAuthentication no", "PermitRootLogin yes"],
    "Subsystem sftp internal-sftp",
  ].join("\n");

const fingerprint = (file: string): string => run("ssh-keygen", "-lf", `${file}.pub`).split(" ")[1] ?? "";

function run(command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
  return stdout;
}

/** Resolves once the port takes connections; rejects with the server's stderr when the server ends before. */
async function listening(server: ChildProcess, port: number): Promise<void> {
  let said = "";
  server.stderr?.on("data", (chunk) => {
    said += String(chunk);
  });
  await until(async () => {
    if (server.exitCode !== null) throw new Error(`sshd: ${said}`);
    await connection(port);
  });
}

function connection(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", reject).once("connect", () => {
      socket.destroy();
      resolve();
    });
  });
}
