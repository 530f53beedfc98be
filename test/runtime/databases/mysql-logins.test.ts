import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { mysql } from "../../../runtime/features/actions/database/mysql.ts";
import { failure, session } from "../../harness/database-run.ts";

const packet = (sequence: number, ...payload: readonly (number | string | Buffer)[]): Buffer => {
  const bytes = Buffer.concat(payload.map((part) => (typeof part === "number" ? Buffer.from([part]) : Buffer.from(part))));
  const head = Buffer.alloc(4);
  head.writeUIntLE(bytes.length, 0, 3);
  head.writeUInt8(sequence, 3);
  return Buffer.concat([head, bytes]);
};

/** Greets as a server of protocol 4.1 with plugins of authentication, and asks for the login, whatever the client shows. */
function asksFor(login: string, socket: Socket): void {
  socket.on("error", () => undefined);
  const scramble = Buffer.alloc(12, "b");
  const [lower, upper] = [Buffer.from([0x08, 0x82]), Buffer.from([0x08, 0x00])];
  const limits = [lower, 45, Buffer.from([2, 0]), upper, 21, Buffer.alloc(10)];
  socket.write(
    packet(0, 10, "10.11.0-MariaDB\0", Buffer.alloc(4), Buffer.alloc(8, "a"), 0, ...limits, scramble, 0, "mysql_native_password\0"),
  );
  socket.once("data", () => socket.write(packet(2, 0xfe, `${login}\0`, Buffer.alloc(32, "c"))));
}

describe("mysql", () => {
  test.each(["client_ed25519", "mysql_clear_password"])("a login by %s is refused in plain words", async (login) => {
    const server = createServer((socket) => asksFor(login, socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { query, host } = session(mysql, { conn_string: `mysql://ann:s3cret@127.0.0.1:${port}/db` });
    expect(await failure(query("SELECT 1"))).toBe(
      `database: database: the server asks for a login by ${login}, which is not supported; mysql_native_password and caching_sha2_password are`,
    );
    await host.close();
    server.close();
  });
});
