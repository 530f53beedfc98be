import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SftpArgs, sftp } from "#runtime/features/actions/sftp.ts";
import type { Json } from "#runtime/value/json.ts";
import { type Sshd, sshdPath, startSshd } from "../../harness/peers/sshd.ts";
import { act } from "../../harness/sockets.ts";

const path = sshdPath();
if (path === undefined) console.log("skipped: OpenSSH is not installed (apt-get install openssh-server)");

describe.skipIf(path === undefined)("against OpenSSH", () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(() => sshd.close());

  const login = (): Omit<SftpArgs, "operation" | "path"> => ({
    ...{ host: "127.0.0.1", port: sshd.port, user: sshd.user, private_key: sshd.keys.openssh, host_key: sshd.fingerprints.ed25519 },
  });
  const at = (name: string): string => join(sshd.folder, name);
  const outcome = (args: Partial<SftpArgs> & Pick<SftpArgs, "operation" | "path">) => act((made) => sftp(made, { ...login(), ...args }));
  const done = async (args: Partial<SftpArgs> & Pick<SftpArgs, "operation" | "path">): Promise<Json> => {
    const { data, error } = await outcome(args);
    expect(error).toBeUndefined();
    return data;
  };

  test.each(["openssh", "pem"] as const)("a key as %s writes it logs in", async (key) => {
    mkdirSync(at(key));
    expect(await done({ operation: "list", path: at(key), private_key: sshd.keys[key] })).toEqual([]);
  });

  test("keys as `openssl genpkey` writes them log in: RSA, P-256 and Ed25519", async () => {
    mkdirSync(at("pkcs8"));
    for (const private_key of sshd.pkcs8) expect(await done({ operation: "list", path: at("pkcs8"), private_key })).toEqual([]);
    expect(sshd.pkcs8).toHaveLength(3);
  });

  test("a request does not wait until the one before is acknowledged", async () => {
    const times: number[] = [];
    for (const name of ["a", "b", "c"]) {
      const before = performance.now();
      await done({ operation: "mkdir", path: at(`${name}${"/x".repeat(30)}`) });
      times.push(performance.now() - before);
    }
    // Linux delays acknowledgements by 40 ms, and every folder is a request.
    expect(Math.min(...times)).toBeLessThan(900);
  });

  test("a key with a passphrase logs in with it, and not with another one", async () => {
    const given = { operation: "list", path: sshd.folder, private_key: sshd.keys.locked } as const;
    await done({ ...given, private_key_passphrase: "open sesame" });
    for (const wrong of [{}, { private_key_passphrase: "wrong" }])
      expect((await outcome({ ...given, ...wrong })).error).toBe(
        "sftp: private_key cannot be read: it is no private key of OpenSSH or PEM, or its passphrase is another one",
      );
  });

  test("a key that may not log in is refused", async () => {
    expect((await outcome({ operation: "list", path: "/", private_key: sshd.keys.stranger })).error).toBe(
      "sftp: the server refused the login",
    );
  });

  test.each(["ed25519", "ecdsa", "rsa"] as const)("the fingerprint of any key of the host will do: %s", async (kind) => {
    await done({ operation: "list", path: sshd.folder, host_key: sshd.fingerprints[kind] });
  });

  test("another host is refused before anybody logs in", async () => {
    const { error } = await outcome({ operation: "list", path: "/", host_key: `SHA256:${"A".repeat(43)}` });
    expect(error).toBe(`sftp: the host is not the one of host_key (it showed ${sshd.fingerprints.ed25519}, ssh-ed25519)`);
  });

  test("any host is accepted where that is written", async () => {
    await done({ operation: "list", path: sshd.folder, host_key: null, accept_any_host_key: true });
  });

  test("what is put is what is got, and nothing else is left", async () => {
    mkdirSync(at("put"));
    const text = "Grüße\n".repeat(100_000);
    expect(await done({ operation: "put", path: at("put/a.txt"), content: text })).toEqual({ path: at("put/a.txt"), size: 800_000 });
    expect(readFileSync(at("put/a.txt"), "utf8")).toBe(text);
    expect(await done({ operation: "put", path: at("put/a.txt"), content: "shorter" })).toMatchObject({ size: 7 });
    expect(await done({ operation: "get", path: at("put/a.txt") })).toEqual({
      path: at("put/a.txt"),
      size: 7,
      encoding: "text",
      content: "shorter",
    });
    expect(readdirSync(at("put"))).toEqual(["a.txt"]);
  });

  test("bytes travel as base64, and are refused as text", async () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    await done({ operation: "put", path: at("bytes"), content: bytes.toString("base64"), encoding: "base64" });
    expect(await done({ operation: "get", path: at("bytes"), encoding: "base64" })).toMatchObject({
      size: 4,
      content: bytes.toString("base64"),
    });
    expect((await outcome({ operation: "get", path: at("bytes") })).error).toBe(
      "sftp get: the file is no UTF-8 text; use encoding: base64",
    );
  });

  test("a list has names in order, whatever they are", async () => {
    mkdirSync(at("list/folder"), { recursive: true });
    for (const name of ["b.csv", "a 'quoted' \"name\".csv", "line\nbreak.csv", "*.csv", "ü.txt"]) writeFileSync(at(`list/${name}`), name);
    symlinkSync("/nowhere", at("list/link"));
    const names = async (args: Partial<SftpArgs>): Promise<unknown> => {
      const list = await done({ operation: "list", path: at("list"), ...args });
      return Array.isArray(list) ? list.map((entry) => (entry as { name: string }).name) : list;
    };
    expect(await names({})).toEqual(["*.csv", "a 'quoted' \"name\".csv", "b.csv", "folder", "line\nbreak.csv", "link", "ü.txt"]);
    expect(await names({ glob: "*.csv", sort: "-name", limit: 2 })).toEqual(["line\nbreak.csv", "b.csv"]);
    expect(await names({ glob: "?.csv" })).toEqual(["*.csv", "b.csv"]);
    expect(await done({ operation: "list", path: at("list"), glob: "f*" })).toEqual([
      { name: "folder", path: at("list/folder"), size: expect.any(Number), is_dir: true, modified: expect.any(Number) },
    ]);
  });

  test("a folder of 10,000 files", async () => {
    mkdirSync(at("many"));
    for (let i = 0; i < 10_000; i += 1) writeFileSync(at(`many/${i}`), "");
    expect(await done({ operation: "list", path: at("many") })).toHaveLength(10_000);
  });

  test("folders are made with those above them, and once more", async () => {
    for (let i = 0; i < 2; i += 1) expect(await done({ operation: "mkdir", path: at("x/y/z") })).toEqual({ path: at("x/y/z"), ok: true });
    writeFileSync(at("x/file"), "");
    expect((await outcome({ operation: "mkdir", path: at("x/file/more") })).error).toMatch(/^sftp mkdir: /);
  });

  test("a rename replaces nothing", async () => {
    writeFileSync(at("from"), "1");
    writeFileSync(at("taken"), "2");
    expect((await outcome({ operation: "rename", path: at("from"), to: at("taken") })).error).toBe("sftp rename: Failure");
    expect(readFileSync(at("taken"), "utf8")).toBe("2");
    expect(await done({ operation: "rename", path: at("from"), to: at("free") })).toEqual({ from: at("from"), to: at("free"), ok: true });
  });

  test("files and empty folders are deleted", async () => {
    mkdirSync(at("gone/full"), { recursive: true });
    expect((await outcome({ operation: "delete", path: at("gone") })).error).toBe("sftp delete: Failure");
    expect(await done({ operation: "delete", path: at("gone/full") })).toEqual({ path: at("gone/full"), ok: true });
    expect((await outcome({ operation: "delete", path: at("never") })).error).toBe("sftp delete: no such file");
  });

  test("a file that grows for ever is not read for ever", async () => {
    expect((await outcome({ operation: "get", path: "/dev/zero", encoding: "base64" })).error).toBe(
      "sftp get: the file is larger than 64 MiB",
    );
  });

  test("a file that is replaced keeps its rights", async () => {
    mkdirSync(at("rights"));
    writeFileSync(at("rights/secret"), "old", { mode: 0o600 });
    await done({ operation: "put", path: at("rights/secret"), content: "new" });
    expect(readFileSync(at("rights/secret"), "utf8")).toBe("new");
    expect(statSync(at("rights/secret")).mode & 0o7777).toBe(0o600);
    symlinkSync("secret", at("rights/link"));
    await done({ operation: "put", path: at("rights/link"), content: "other" });
    expect(statSync(at("rights/link")).mode & 0o7777).toBe(0o600);
    expect(readFileSync(at("rights/secret"), "utf8")).toBe("new");
  });

  test("a cancelled put leaves nothing", async () => {
    mkdirSync(at("cancelled"));
    const content = "x".repeat(60_000_000);
    const ended = await act((made) => {
      const timer = setInterval(() => {
        if (readdirSync(at("cancelled")).length === 0) return;
        clearInterval(timer);
        made.cancellation.abort(new Error("enough"));
      }, 1);
      return sftp(made, { ...login(), operation: "put", path: at("cancelled/big"), content });
    });
    expect(ended.error).toBe("sftp: cancelled");
    expect(readdirSync(at("cancelled"))).toEqual([]);
  });
});
