import { afterEach, expect, test } from "vitest";
import { sftp } from "#runtime/features/actions/sftp.ts";
import { type Faults, type SftpPeer, sftpPeer } from "../harness/peers/sftp-peer.ts";
import { act } from "../harness/sockets.ts";

// A hostile server of files shows entries that lead out of the folder, and lists that do not end.

let peer: SftpPeer | undefined;
afterEach(() => peer?.close());

async function listed(faults: Faults) {
  peer = await sftpPeer(faults);
  const { port, fingerprint } = peer;
  const login = { host: "127.0.0.1", port, user: "ann", password: "let me in", host_key: fingerprint };
  return act((made) => sftp(made, { ...login, operation: "list", path: "/in" }));
}

test.each(["../../etc/passwd", "/etc/passwd", "a/", "a\0b"])("an entry whose path would lead elsewhere is refused: %j", async (name) => {
  expect((await listed({ entries: ["a", name] })).error).toBe("sftp list: an entry has a name that no file has");
});

test("a folder of empty batches without end is empty", async () => {
  expect((await listed({ isEndless: true })).data).toEqual([]);
});
