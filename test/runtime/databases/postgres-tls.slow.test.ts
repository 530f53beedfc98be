import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgres } from "../../../runtime/features/actions/database/postgres.ts";
import type { JsonObject } from "../../../runtime/value/json.ts";
import { certificate, privateKey } from "../../harness/certificate.ts";
import { failure, session } from "../../harness/database-run.ts";
import { server } from "../../harness/peers/postgres-server.ts";

const requestForTls = Buffer.from("0000000804d2162f", "hex");

describe.runIf(server !== undefined)("postgres with TLS", () => {
  const to = new URL(server ?? "postgres://127.0.0.1");
  let lender: Server;
  let folder: string;
  let secured = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "pipewright-tls-"));
    writeFileSync(join(folder, "ca.pem"), certificate);
    // A server that has TLS, by one that has none.
    lender = createServer((near) => {
      const far = connect(Number(to.port || 5432), to.hostname);
      for (const socket of [near, far]) socket.on("error", () => undefined);
      near.once("data", (first) => {
        if (!first.equals(requestForTls)) {
          far.write(first);
          near.pipe(far).pipe(near);
          return;
        }
        near.write("S");
        const inner = new TLSSocket(near, { isServer: true, cert: certificate, key: privateKey });
        inner.on("error", () => far.destroy());
        inner.once("secure", () => (secured += 1));
        inner.pipe(far).pipe(inner);
      });
    });
    await new Promise<void>((resolve) => lender.listen(0, "127.0.0.1", resolve));
  });

  afterAll(() => {
    lender.close();
    rmSync(folder, { recursive: true });
  });

  /** Tells whether the connection of a query had TLS, or why there was none. */
  async function outcome(settings: JsonObject): Promise<string> {
    const before = secured;
    const { query, host } = session(postgres, settings);
    const said = await failure(query("SELECT 1 AS n"));
    await host.close();
    if (said !== "no failure") return said.replace(/^database: database: |; NODE_EXTRA_CA_CERTS.*/g, "");
    return secured > before ? "TLS" : "plain";
  }

  const address = (params: string, host = "127.0.0.1"): string => {
    const url = new URL(to);
    url.host = `${host}:${(lender.address() as AddressInfo).port}`;
    return `${url.href}?${params.replace("CA", encodeURIComponent(join(folder, "ca.pem")))}`;
  };

  test.each([
    ["ssl=false", "plain"],
    ["ssl=0", "plain"],
    ["ssl=true", "self-signed certificate"],
    ["ssl=1", "self-signed certificate"],
    ["ssl=no-verify", "TLS"],
    ["ssl=require", "ssl is true, false or no-verify, not 'require'; sslmode has other words"],
    ["ssl=verify-full", "ssl is true, false or no-verify, not 'verify-full'; sslmode has other words"],
    ["ssl", "ssl is true, false or no-verify, not ''; sslmode has other words"],
    ["", "plain"],
    ["sslmode=disable", "plain"],
    ["sslmode=allow", "self-signed certificate"],
    ["sslmode=prefer", "self-signed certificate"],
    ["sslmode=require", "self-signed certificate"],
    ["sslmode=no-verify", "TLS"],
    ["sslmode=verify-full&sslrootcert=CA", "TLS"],
    ["sslmode=verify-ca&sslrootcert=CA", "TLS"],
    ["sslrootcert=CA", "TLS"],
    ["sslmode=require&uselibpqcompat=true", "TLS"],
    ["sslmode=verify-full&uselibpqcompat=true", "self-signed certificate"],
    ["sslmode=verify-ca&uselibpqcompat=true", "sslmode=verify-ca needs sslrootcert"],
    ["sslmode=", "sslmode is disable, allow, prefer, require, verify-ca, verify-full, no-verify, not ''"],
    ["sslmode=VERIFY-FULL", "sslmode is disable, allow, prefer, require, verify-ca, verify-full, no-verify, not 'VERIFY-FULL'"],
    ["sslMode=verify-full", "unknown parameter 'sslMode' of the connection"],
    ["ssl_mode=verify-full", "unknown parameter 'ssl_mode' of the connection"],
    ["application_name=a+b&%73slmodes=verify-full", "unknown parameter 'sslmodes' of the connection"],
    ["%73sl=false", "plain"],
    ["tls=true", "unknown parameter 'tls' of the connection"],
    ["sslnegotiation=directly", "sslnegotiation is postgres or direct, not 'directly'"],
    ["sslnegotiation=direct&ssl=false", "sslnegotiation=direct needs TLS"],
  ])("an address with %s", async (params, expected) => {
    expect(await outcome({ conn_string: address(params) })).toBe(expected);
  });

  test.each<[JsonObject, string]>([
    [{ ssl: "false" }, "plain"],
    [{ ssl: true }, "self-signed certificate"],
    [{ sslmode: "no-verify", application_name: "parts" }, "TLS"],
    [{ ssl_mode: "verify-full" }, "unknown parameter 'ssl_mode' of the connection"],
  ])("parts with %j", async (params, expected) => {
    const { port } = lender.address() as AddressInfo;
    expect(await outcome({ host: "127.0.0.1", port, user: to.username, pass: to.password || null, dbname: "postgres", params })).toBe(
      expected,
    );
  });

  test("a certificate that is gone fails the connections that come after", async () => {
    const file = join(folder, "other.pem");
    writeFileSync(file, certificate);
    const { query, host } = session(postgres, { conn_string: address(`sslrootcert=${encodeURIComponent(file)}`), max_open_conns: 1 });
    expect(await query("SELECT 1 AS n")).toEqual([{ n: 1 }]);
    rmSync(file);
    // The pool connects anew for the one that waits when it drops the connection of the first.
    const [first, waiting] = await Promise.all([failure(query("BEGIN")), failure(query("SELECT 1", undefined, { timeout: 5000 }))]);
    expect(first).toBe("database: database: the query left a transaction open; it was rolled back");
    expect(waiting).toMatch(/ENOENT/);
    writeFileSync(file, certificate);
    expect(await query("SELECT 1 AS n")).toEqual([{ n: 1 }]);
    await host.close();
  });
});
