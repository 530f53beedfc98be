import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { matches } from "#runtime/features/actions/sftp/listing.ts";
import { type SftpArgs, sftp } from "#runtime/features/actions/sftp.ts";
import { createHost } from "#runtime/process/host.ts";
import { bundled } from "../../harness/bundled.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { type Faults, type SftpPeer, sftpPeer } from "../../harness/peers/sftp-peer.ts";
import { act, actOn } from "../../harness/sockets.ts";
import { untilTrue } from "../../harness/until.ts";

const peers: SftpPeer[] = [];
afterEach(async () => {
  await Promise.all(peers.splice(0).map((each) => each.close()));
});

async function peer(faults?: Faults): Promise<SftpPeer> {
  const made = await sftpPeer(faults);
  peers.push(made);
  return made;
}

const login = ({ port, fingerprint }: SftpPeer) => ({ host: "127.0.0.1", port, user: "ann", password: "let me in", host_key: fingerprint });
const outcome = (at: SftpPeer, args: Partial<SftpArgs> & Pick<SftpArgs, "operation" | "path">) =>
  act((made) => sftp(made, { ...login(at), ...args }));
const errorOf = async (...given: Parameters<typeof outcome>): Promise<string | undefined> => (await outcome(...given)).error;
const content = "0123456789".repeat(20_000);

describe("a server that fails", () => {
  test("has no space: nothing incomplete stays, and the old file does", async () => {
    const at = await peer({ writeStatus: [4, "No space\r\nleft on device"] });
    at.files.set("/a", Buffer.from("old"));
    expect(await errorOf(at, { operation: "put", path: "/a", content })).toBe("sftp put: No space left on device");
    expect([...at.files]).toEqual([["/a", Buffer.from("old")]]);
  });

  test("permits nothing", async () => {
    const at = await peer();
    for (const operation of ["get", "put"] as const)
      expect(await errorOf(at, { operation, path: "/locked/a", content: "a" })).toBe(`sftp ${operation}: permission denied`);
  });

  test.each(["read", "write"] as const)("breaks off in the middle of a %s", async (breaksOn) => {
    const at = await peer({ breaksOn });
    at.files.set("/a", Buffer.from(content));
    const operation = breaksOn === "read" ? "get" : "put";
    expect(await errorOf(at, { operation, path: "/a", content })).toBe("sftp: the connection was lost");
    expect(at.files.get("/a")?.toString()).toBe(content);
  });

  test.each(["open", "read", "write"] as const)("is silent at %s", async (silentOn) => {
    // A busy machine logs in within this time, too.
    const at = await peer({ silentOn });
    at.files.set("/a", Buffer.from(content));
    const operation = silentOn === "write" ? "put" : "get";
    expect(await errorOf(at, { operation, path: "/a", content, timeout: 2_000 })).toBe("sftp: the server was silent for 2000ms");
    await untilTrue(() => at.open() === 0);
  });

  test("a put that is cancelled while its file is opened leaves nothing", async () => {
    const at = await peer({ silentOn: "opened" });
    const ended = await act((made) => {
      void untilTrue(() => at.files.size > 0).then(() => made.cancellation.abort(new Error("enough")));
      return sftp(made, { ...login(at), operation: "put", path: "/a", content });
    });
    expect([ended.error, at.files.size]).toEqual(["sftp: cancelled", 0]);
  });

  test("is silent at the login", async () => {
    const at = await peer({ silentOn: "login" });
    expect(await errorOf(at, { operation: "list", path: "/", timeout: 300 })).toBe("sftp: no connection within 300ms");
  });

  test("is not there, or is no server of SSH", async () => {
    const at = await peer();
    await at.close();
    peers.length = 0;
    expect(await errorOf(at, { operation: "list", path: "/" })).toBe(`sftp: connect failed: connect ECONNREFUSED 127.0.0.1:${at.port}`);
  });
});

describe("what a server says is not believed", () => {
  test("a size that is too large is refused before anything is read", async () => {
    const at = await peer({ size: 67_108_865 });
    at.files.set("/a", Buffer.from("a"));
    expect(await errorOf(at, { operation: "get", path: "/a" })).toBe("sftp get: the file is larger than 64 MiB");
  });

  test.each([0, 5, 1_000_000])("a size of %d bytes makes a file neither shorter nor longer", async (size) => {
    const at = await peer({ size });
    at.files.set("/a", Buffer.from(content));
    expect((await outcome(at, { operation: "get", path: "/a" })).data).toEqual({ path: "/a", size: 200_000, encoding: "text", content });
  });

  test("more bytes than were asked for move nothing that follows", async () => {
    const at = await peer({ excess: 40_000 });
    at.files.set("/a", Buffer.from(content));
    const read = (await outcome(at, { operation: "get", path: "/a" })).data as { readonly content: string };
    // Bytes behind the end are a part of the file: only the server knows where the end is.
    expect(read.content.replace(/\0+$/, "") === content).toBe(true);
  });

  test("entries without attributes have a size and a time of 0", async () => {
    const at = await peer({ isBare: true, entries: ["a"] });
    expect((await outcome(at, { operation: "list", path: "/" })).data).toEqual([
      { name: "a", path: "/a", size: 0, is_dir: false, modified: 0 },
    ]);
  });

  test.each([
    ["HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n"],
    ["garbage", "\0\xff".repeat(40_000)],
    ["half of SSH", "SSH-2.0-x\r\n\0\0\xff\xff\x01"],
  ])("a server that speaks %s is no server of files", async (_, says) => {
    const server = createServer((socket) => socket.on("error", () => undefined).end(says, "latin1")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const at = { port, fingerprint: `SHA256:${"A".repeat(43)}` } as SftpPeer;
    expect(await errorOf(at, { operation: "list", path: "/" })).toMatch(/^sftp: connect failed: /);
    server.close();
  });

  test("a file that comes in sips is whole", async () => {
    const at = await peer({ sip: 777 });
    at.files.set("/a", Buffer.from(content));
    expect((await outcome(at, { operation: "get", path: "/a" })).data).toMatchObject({ content });
  });

  test("names of a folder are data", async () => {
    const at = await peer({ entries: ["..", ".", "__proto__", "a\\b", "\u202etxt"] });
    const { data } = await outcome(at, { operation: "list", path: "/" });
    expect(data).toMatchObject([{ name: "__proto__" }, { name: "a\\b" }, { name: "\u202etxt" }]);
  });
});

describe("connections", () => {
  test("are used again, and given up with the host", async () => {
    const at = await peer();
    const host = createHost({ env: {}, log: () => undefined });
    at.files.set("/a", Buffer.from("a"));
    for (let i = 0; i < 3; i += 1) {
      const { data } = await actOn(host, (made) => sftp(made, { ...login(at), operation: "get", path: "/a" }));
      expect(data).toMatchObject({ content: "a" });
    }
    expect(at.logins()).toBe(1);
    await host.close();
    await untilTrue(() => at.open() === 0);
  });

  test("to one server are eight at most, and the others wait", async () => {
    const at = await peer();
    const host = createHost({ env: {}, log: () => undefined });
    at.files.set("/a", Buffer.from("a"));
    const all = await Promise.all(
      Array.from({ length: 30 }, () => actOn(host, (made) => sftp(made, { ...login(at), operation: "get", path: "/a" }))),
    );
    expect(all.map(({ error }) => error)).toEqual(all.map(() => undefined));
    expect(at.logins()).toBeLessThanOrEqual(8);
    await host.close();
  });

  test("with another password are others", async () => {
    const at = await peer();
    const host = createHost({ env: {}, log: () => undefined });
    at.files.set("/a", Buffer.from("a"));
    await actOn(host, (made) => sftp(made, { ...login(at), operation: "get", path: "/a" }));
    const { error } = await actOn(host, (made) => sftp(made, { ...login(at), password: "guess", operation: "get", path: "/a" }));
    expect(error).toBe("sftp: the server refused the login");
    await host.close();
  });
});

test("a server without the extensions of OpenSSH gets whole files, too", async () => {
  const at = await peer();
  at.files.set("/a", Buffer.from("old"));
  expect((await outcome(at, { operation: "put", path: "/a", content })).data).toEqual({ path: "/a", size: 200_000 });
  expect([...at.files]).toEqual([["/a", Buffer.from(content)]]);
});

test("a bundle speaks to a server, too: it takes the JavaScript of ssh2, since it carries no add-on", async () => {
  const at = await peer();
  at.files.set("/a", Buffer.from("hello"));
  const text = `name: s
interfaces:
  get:
    method: GET
    actions:
      - name: A
        sftp: { host: 127.0.0.1, port: ${at.port}, user: ann, password: a|env::P|, host_key: "${at.fingerprint}", operation: get, path: /a }
    response: { custom_body: a|A::content| }
`;
  const { config, open } = (await bundled([await printOne(planned(text, "s.yaml"))]))("s");
  const host = createHost({ env: { P: "let me in" }, log: () => undefined });
  const { url, close } = await open(host, config);
  const answer = await fetch(`${url}/get`);
  expect([answer.status, await answer.text()]).toEqual([200, "hello"]);
  await close();
  await host.close();
});

test("no secret is in an error", async () => {
  const at = await peer();
  const secret = "-----BEGIN OPENSSH PRIVATE KEY-----\nnonsense";
  for (const args of [{ private_key: secret }, { password: secret }]) {
    const error = await errorOf(at, { operation: "list", path: "/", ...args });
    expect(error).toMatch(/^sftp: /);
    expect(error).not.toContain("nonsense");
  }
  expect(at.tried.every((method) => method === "password")).toBe(true);
});

/** The head of an OpenSSH key whose passphrase is stretched so many times, as its format puts it. */
function keyOfRounds(rounds: number): string {
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const field = (bytes: Buffer): Buffer => Buffer.concat([number(bytes.length), bytes]);
  const options = Buffer.concat([field(Buffer.alloc(16)), number(rounds)]);
  const head = [Buffer.from("openssh-key-v1\0"), field(Buffer.from("aes256-ctr")), field(Buffer.from("bcrypt")), field(options)];
  const text = Buffer.concat([...head, number(1), field(Buffer.alloc(51)), field(Buffer.alloc(128))]).toString("base64");
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${text}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

test.each<[Partial<SftpArgs>, string]>([
  [{ host: "" }, "field host: expected text, got none"],
  [{ host: "a b" }, "field host: not a host"],
  [{ host: null }, "field host: expected text, got null"],
  [{ port: 0 }, "field port: expected 1 to 65535, got 0"],
  [{ user: null }, "field user: expected text, got null"],
  [{ password: null }, "sftp needs password or private_key"],
  [{ host_key: null }, "sftp needs host_key or accept_any_host_key"],
  [{ host_key: "MD5:aa" }, "field host_key: expected SHA256: and 43 characters of base64"],
  [{ timeout: 0 }, "field timeout: expected more than 0, got 0"],
  [{ private_key: "-".repeat(65_537) }, "sftp: private_key is longer than 65536 characters"],
  [{ private_key: keyOfRounds(1_000_000) }, "sftp: private_key has more than 256 rounds; ssh-keygen -p -a 100 writes it with fewer"],
  [{ path: null }, "field path: expected a path, got null"],
  [{ path: "a\0b" }, "field path: not a path"],
  [{ path: "a".repeat(4097) }, "field path: not a path"],
  [{ limit: 0 }, "field limit: expected at least 1, got 0"],
  [{ limit: -1 }, "field limit: expected at least 1, got -1"],
  [{ operation: "put" }, "field content: expected text, got null"],
  [{ operation: "put", content: "%", encoding: "base64" }, "field content: not base64"],
  [{ operation: "rename", to: null }, "field to: expected a path, got null"],
])("%j is refused before anybody is asked", async (args, error) => {
  const { error: found } = await act((made) =>
    sftp(made, {
      host: "127.0.0.1",
      port: 1,
      user: "ann",
      password: "p",
      host_key: `SHA256:${"A".repeat(43)}`,
      operation: "list",
      path: "/",
      ...args,
    }),
  );
  expect(found).toBe(error);
});

test("a host that comes from data is not one of this machine", async () => {
  const { error } = await act((made) =>
    sftp(made, {
      host: "127.0.0.1",
      user: "ann",
      password: "p",
      accept_any_host_key: true,
      operation: "list",
      path: "/",
      from_data: ["host"],
    }),
  );
  expect(error).toBe("address not allowed");
});

test.each([
  ["a.csv", "*.csv", true],
  ["a.csv", "?.csv", true],
  ["ab.csv", "?.csv", false],
  ["a.csv.old", "*.csv", false],
  ["aXbXc", "a*b*c", true],
  ["", "*", true],
  ["", "?", false],
  ["𝒳.csv", "?.csv", true],
  ["[a]", "[a]", true],
  ["a", "[a]", false],
])("name %j and glob %j: %s", (name, glob, isMatch) => {
  expect(matches(name, glob)).toBe(isMatch);
});

test("a glob of many stars takes no longer than both lengths", () => {
  expect(matches("a".repeat(255), `${"*a".repeat(127)}b`)).toBe(false);
});
