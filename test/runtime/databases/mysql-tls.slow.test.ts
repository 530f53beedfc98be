import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mysql } from "../../../runtime/features/actions/database/mysql.ts";
import { certificate, privateKey } from "../../harness/certificate.ts";
import { failure, session } from "../../harness/database-run.ts";
import { mysqlServer } from "../../harness/peers/mysql-server.ts";

const ssl = 0x08;

/** Whole packets of a stream: length in three bytes, sequence number, payload. */
function packets(each: (packet: Buffer) => void): (chunk: Buffer) => void {
  let left = Buffer.alloc(0);
  return (chunk) => {
    left = Buffer.concat([left, chunk]);
    while (left.length >= 4 && left.length >= 4 + left.readUIntLE(0, 3)) {
      const length = 4 + left.readUIntLE(0, 3);
      each(Buffer.from(left.subarray(0, length)));
      left = left.subarray(length);
    }
  };
}

/** Lends TLS to a server that has none: it offers and ends it, and hides from the server that the client has asked for it. */
function lendTls(near: Socket, far: Socket, secured: () => void): void {
  let greeted = false;
  let authenticated = false;
  let secure: TLSSocket | undefined;
  for (const socket of [near, far]) socket.on("error", () => undefined);
  const passOn = packets((packet) => {
    if (authenticated) return void far.write(packet);
    // The request for TLS was one packet, which the server has not seen; the answer to the greeting repeats the wish.
    packet.writeUInt8(packet.readUInt8(3) - 1, 3);
    if (packet.readUInt8(3) === 1) packet.writeUInt8(packet.readUInt8(5) & ~ssl, 5);
    far.write(packet);
  });
  const fromServer = packets((packet) => {
    if (!greeted) {
      greeted = true;
      const flags = packet.indexOf(0, 5) + 1 + 4 + 8 + 1;
      packet.writeUInt8(packet.readUInt8(flags + 1) | ssl, flags + 1);
      return void near.write(packet);
    }
    if (authenticated) return void secure?.write(packet);
    const first = packet.readUInt8(4);
    packet.writeUInt8(packet.readUInt8(3) + 1, 3);
    authenticated = first === 0 || first === 255;
    secure?.write(packet);
  });
  far.on("data", fromServer);
  near.once("readable", () => {
    // Without TLS the answer to the greeting is longer than the request for it; the client's hello comes right behind that.
    const request: Buffer | null = near.read(36);
    if (request?.readUIntLE(0, 3) !== 32) return void near.destroy();
    secured();
    secure = new TLSSocket(near, { isServer: true, cert: certificate, key: privateKey });
    secure.on("error", () => far.destroy());
    secure.on("data", passOn);
    secure.on("close", () => far.destroy());
  });
  near.on("close", () => far.destroy());
}

describe.runIf(mysqlServer !== undefined)("TLS of mysql", () => {
  let folder: string;
  let proxy: Server;
  let secured = 0;
  const address = (host: string, query: string): string =>
    `mysql://${new URL(mysqlServer ?? "").username}@${host}:${(proxy.address() as AddressInfo).port}/?${query}`;
  const ask = async (conn_string: string): Promise<unknown> => {
    const { query, host } = session(mysql, { conn_string });
    const answer = await query("SELECT ? AS n", [1]).catch((error: unknown) => failure(Promise.reject(error)));
    await host.close();
    return answer;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "pipewright-tls-"));
    writeFileSync(join(folder, "ca.pem"), certificate);
    const { hostname, port } = new URL(mysqlServer ?? "");
    proxy = createServer((near) => lendTls(near, connect(Number(port || 3306), hostname), () => (secured += 1)));
    await new Promise<void>((resolve) => proxy.listen(0, resolve));
  });
  afterAll(() => {
    proxy.close();
    rmSync(folder, { recursive: true });
  });

  test.each(["ssl-mode=REQUIRED", "sslmode=require", "", "ssl-mode=VERIFY_CA&ssl-ca=CA", "ssl_mode=verify_identity&ssl-ca=CA"])(
    "is used with '%s'",
    async (query) => {
      const before = secured;
      expect(await ask(address("localhost", query.replace("=CA", `=${join(folder, "ca.pem")}`)))).toEqual([{ n: 1 }]);
      expect(secured).toBe(before + 1);
    },
  );

  test("a certificate of nobody is refused where it counts, and the connection does not go on without TLS", async () => {
    expect(await ask(address("localhost", "ssl-mode=VERIFY_CA"))).toMatch(/^database: database: self-signed certificate/);
    expect(await ask(address("localhost", "ssl-mode=VERIFY_IDENTITY"))).toMatch(/self-signed certificate/);
  });

  test("a server without TLS is refused where it is required, and used where it is preferred", async () => {
    const plain = createServer((near) => {
      const { hostname, port } = new URL(mysqlServer ?? "");
      const far = connect(Number(port || 3306), hostname);
      for (const socket of [near, far]) socket.on("error", () => undefined);
      // The greeting says that the server has no TLS, even where it has.
      far.once("data", (greeting: Buffer) => {
        const flags = greeting.indexOf(0, 5) + 1 + 4 + 8 + 1;
        greeting.writeUInt8(greeting.readUInt8(flags + 1) & ~ssl, flags + 1);
        near.write(greeting);
        far.pipe(near).pipe(far);
      });
    });
    await new Promise<void>((resolve) => plain.listen(0, resolve));
    const at = `mysql://${new URL(mysqlServer ?? "").username}@localhost:${(plain.address() as AddressInfo).port}/`;
    expect(await ask(`${at}?ssl-mode=REQUIRED`)).toBe("database: database: Server does not support secure connection");
    expect(await ask(at)).toEqual([{ n: 1 }]);
    expect(await ask(`${at}?ssl-mode=DISABLED`)).toEqual([{ n: 1 }]);
    plain.close();
  });
});
