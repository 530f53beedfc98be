import { generateKeyPairSync } from "node:crypto";
import type { AddressInfo } from "node:net";
import ssh2, { type Connection, type FileEntry, type SFTPWrapper } from "ssh2";

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp;

/** Answers that a server gives in place of the usual ones. */
export interface Faults {
  /** Requests of this kind are never answered; with `opened` the file is created first. */
  readonly silentOn?: "open" | "opened" | "read" | "write" | "login";
  /** Kind of request at which the connection breaks. */
  readonly breaksOn?: "read" | "write";
  /** The status of every write, with its text. */
  readonly writeStatus?: readonly [code: number, text: string];
  /** The size that the server reports for every file. */
  readonly size?: number;
  /** The largest number of bytes in one answer. */
  readonly sip?: number;
  /** Number of bytes that it sends beyond the requested ones. */
  readonly excess?: number;
  /** True when entries come without attributes. */
  readonly isBare?: boolean;
  /** Names of the entries of every folder. */
  readonly entries?: readonly string[];
  /** True when no folder has an end. */
  readonly isEndless?: boolean;
}

export interface SftpPeer {
  readonly port: number;
  readonly fingerprint: string;
  /** Contents of the files, by path. */
  readonly files: Map<string, Buffer>;
  /** Number of connections that have logged in so far. `open` counts those that are still open. */
  readonly logins: () => number;
  readonly open: () => number;
  /** Methods of the attempted logins, in order. */
  readonly tried: string[];
  readonly close: () => Promise<void>;
}

/** The key of all servers of a test file: making one takes long. */
let hostKey: string | undefined;

/** A server on this machine for `ann` with the password `let me in`. Its files are in memory, and it has no extensions. */
export async function sftpPeer(faults: Faults = {}): Promise<SftpPeer> {
  hostKey ??= generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "pkcs1", format: "pem" },
  }).privateKey;
  const files = new Map<string, Buffer>();
  const tried: string[] = [];
  const connections = new Set<Connection>();
  let logins = 0;
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (connection) => {
    connections.add(connection);
    connection
      .on("error", () => undefined)
      .on("close", () => connections.delete(connection))
      .on("authentication", (login) => {
        tried.push(login.method);
        if (faults.silentOn === "login") return;
        if (login.method === "password" && login.username === "ann" && login.password === "let me in") login.accept();
        else login.reject(["password"]);
      })
      .on("ready", () => {
        logins += 1;
        connection.on("session", (accept) => accept().on("sftp", (open) => serve(open(), connection, files, faults)));
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const parsed = ssh2.utils.parseKey(hostKey);
  if (parsed instanceof Error) throw parsed;
  const { shownKey } = await import("#runtime/features/actions/sftp/server.ts");
  return {
    port: (server.address() as AddressInfo).port,
    fingerprint: shownKey(parsed.getPublicSSH()),
    ...{ files, tried, logins: () => logins, open: () => connections.size },
    close: () =>
      new Promise((resolve) => {
        for (const connection of connections) connection.end();
        server.close(() => resolve());
      }),
  };
}

function serve(sftp: SFTPWrapper, connection: Connection, files: Map<string, Buffer>, faults: Faults): void {
  const handles: { readonly path: string; isRead?: boolean }[] = [];
  const handle = (path: string): Buffer => {
    handles.push({ path });
    return Buffer.from([handles.length - 1]);
  };
  const of = (given: Buffer) => handles[given[0] ?? -1] ?? { path: "" };
  const is = (what: Faults["silentOn"]): boolean => {
    if (faults.breaksOn === what) connection.end();
    return faults.silentOn === what || faults.breaksOn === what;
  };
  const ok = (id: number): void => {
    sftp.status(id, STATUS_CODE.OK);
  };
  const stats = (path: string) => ({
    mode: files.has(path) ? 0o100644 : 0o40755,
    uid: 0,
    gid: 0,
    size: faults.size ?? files.get(path)?.length ?? 0,
    atime: 0,
    mtime: 1_700_000_000,
  });
  const statOf = (id: number, path: string): void => {
    if (files.has(path) || path === "/") sftp.attrs(id, stats(path));
    else sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
  };
  const move = (id: number, from: string, to: string): void => {
    const bytes = files.get(from);
    if (bytes === undefined) return void sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
    files.delete(from);
    files.set(to, bytes);
    ok(id);
  };
  sftp
    .on("error", () => undefined)
    .on("OPEN", (id, path, flags) => {
      if (is("open")) return;
      if (path.startsWith("/locked")) return void sftp.status(id, STATUS_CODE.PERMISSION_DENIED);
      if (flags & OPEN_MODE.WRITE) files.set(path, Buffer.alloc(0));
      else if (!files.has(path)) return void sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
      if (!is("opened")) sftp.handle(id, handle(path));
    })
    .on("READ", (id, given, offset, length) => {
      if (is("read")) return;
      const bytes = files.get(of(given).path) ?? Buffer.alloc(0);
      const part = bytes.subarray(offset, offset + Math.min(length, faults.sip ?? length));
      if (part.length === 0) sftp.status(id, STATUS_CODE.EOF);
      else sftp.data(id, Buffer.concat([part, Buffer.alloc(faults.excess ?? 0)]));
    })
    .on("WRITE", (id, given, offset, data) => {
      if (is("write")) return;
      if (faults.writeStatus !== undefined) return void sftp.status(id, ...faults.writeStatus);
      const { path } = of(given);
      const before = files.get(path) ?? Buffer.alloc(0);
      const after = Buffer.alloc(Math.max(before.length, offset + data.length));
      before.copy(after);
      data.copy(after, offset);
      files.set(path, after);
      ok(id);
    })
    .on("FSTAT", (id, given) => sftp.attrs(id, stats(of(given).path)))
    .on("STAT", statOf)
    .on("LSTAT", statOf)
    .on("OPENDIR", (id, path) => sftp.handle(id, handle(path)))
    .on("READDIR", (id, given) => {
      const opened = of(given);
      if (opened.isRead) return void sftp.status(id, STATUS_CODE.EOF);
      opened.isRead = faults.isEndless !== true;
      const entry = (filename: string): FileEntry => ({
        filename,
        longname: filename,
        // The protocol permits an entry without attributes, the types of ssh2 do not.
        attrs: faults.isBare === true ? ({} as FileEntry["attrs"]) : stats(`/${filename}`),
      });
      sftp.name(id, (faults.entries ?? []).map(entry));
    })
    .on("REMOVE", (id, path) => sftp.status(id, files.delete(path) ? STATUS_CODE.OK : STATUS_CODE.NO_SUCH_FILE))
    .on("RENAME", move)
    .on("CLOSE", (id) => ok(id));
}
