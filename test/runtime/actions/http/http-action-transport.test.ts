import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import { createServer as createTls } from "node:https";
import { type AddressInfo, connect, createServer as createSocketServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type HttpArgs, http } from "#runtime/features/actions/http.ts";
import type { Act } from "#runtime/run/run.ts";
import { act, stub } from "../../../harness/sockets.ts";

/** A certificate that was made for these tests, for 127.0.0.1. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUKgAwIBAgIUauJ0aC3NWqX/UtXDjuOUucUT/mwwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPcGlwZXdyaWdodC10ZXN0MCAXDTI2MTEyMTA4MzkxMFoYDzIx
MjYxMDI4MDgzOTEwWjAaMRgwFgYDVQQDDA9waXBld3JpZ2h0LXRlc3QwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAAS1L9oSBrCrVTCPEZymZh2uikZTuAzqcO911Cwb
Un9X+x5pZJMGGYr7RruJrXrSDs19nYiKZ7IqBhwCTn/Ifakko2QwYjAdBgNVHQ4E
FgQU+TAudSitJcnN5AjpNlWUTtx791IwHwYDVR0jBBgwFoAU+TAudSitJcnN5Ajp
NlWUTtx791IwDwYDVR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqG
SM49BAMCA0cAMEQCIBDV6SanWCXUPkqVrYX6GNCfDq7D57mdx0+iBhZGkR9sAiBT
ElvDEuCx0tt6RjwXZzWfbHLKZWecN1ddzQJmNVKlcA==
-----END CERTIFICATE-----`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+32ZgiWKO+Kq0yp8
7RWt5dYCSVU9YJe5bAbufslGnpyhRANCAAS1L9oSBrCrVTCPEZymZh2uikZTuAzq
cO911CwbUn9X+x5pZJMGGYr7RruJrXrSDs19nYiKZ7IqBhwCTn/Ifakk
-----END PRIVATE KEY-----`;

const servers: HttpServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function listening(server: HttpServer, scheme: string): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const secure = (): Promise<string> =>
  listening(
    createTls({ cert: certificate, key }, (_, response) => response.end("ok")),
    "https",
  );

const call = (args: HttpArgs): Promise<Act> => act((made) => http(made, args));

describe("certificates", () => {
  test("of nobody known are refused", async () => {
    const error = "http connect failed: self-signed certificate; NODE_EXTRA_CA_CERTS=FILE adds authorities to trust";
    expect(await call({ url: await secure() })).toMatchObject({ state: "failed", error });
  });

  test.each<[string, Partial<HttpArgs>]>([
    ["as ca", { ca: certificate }],
    ["in a list", { root_certificates: [certificate] }],
    ["of a text with several", { ca: `# mine\n${certificate}\n${certificate}` }],
    ["unchecked", { accept_invalid_certs: true }],
  ])("trusted: %s", async (_, args) => {
    expect((await call({ url: await secure(), ...args })).data).toMatchObject({ status: 200, body: "ok" });
  });

  test.each<[Partial<HttpArgs>, string]>([
    [{ ca: "ca.pem" }, "field ca: expected certificates as PEM"],
    [
      { root_certificates: ["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"] },
      "field root_certificates: expected certificates as PEM",
    ],
  ])("a text that holds none fails: %j", async (args, error) => {
    expect(await call({ url: "https://127.0.0.1:1/", ...args })).toMatchObject({ state: "failed", error });
  });

  test("trust of one action is none of another", async () => {
    const url = await secure();
    const made = await act(async (one) => {
      await http(one, { url, accept_invalid_certs: true });
      return http(one, { url });
    });
    expect(made).toMatchObject({ state: "failed", error: expect.stringMatching(/^http connect failed: /) });
  });
});

describe("a proxy", () => {
  /** Forwards what it is asked for, and remembers how. */
  async function proxy(): Promise<{ readonly url: string; readonly seen: string[] }> {
    const seen: string[] = [];
    const server = createServer((message, response) => {
      seen.push(`${message.method} ${message.url} ${message.headers["proxy-authorization"]}`);
      response.end("by proxy");
    });
    server.on("connect", (message, socket) => {
      seen.push(`CONNECT ${message.url} ${message.headers["proxy-authorization"]}`);
      const [host, port] = String(message.url).split(":");
      const onward = connect(Number(port), host, () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
      for (const end of [onward, socket]) end.on("error", () => undefined);
    });
    return { url: await listening(server, "http"), seen };
  }

  test("is asked for a plain address", async () => {
    const { url, seen } = await proxy();
    const made = await call({ url: "http://service.test/a?b=1", proxy: url.replace("//", "//us%20er:p@") });
    expect(made.data).toMatchObject({ status: 200, body: "by proxy" });
    expect(seen).toEqual([`GET http://service.test/a?b=1 Basic ${Buffer.from("us er:p").toString("base64")}`]);
  });

  test("opens a tunnel to a secure one, whose certificate counts", async () => {
    const { url, seen } = await proxy();
    const service = await secure();
    expect((await call({ url: service, proxy: url, ca: certificate })).data).toMatchObject({ status: 200, body: "ok" });
    expect(seen).toEqual([`CONNECT ${service.slice("https://".length)} undefined`]);
    expect(await call({ url: service, proxy: url })).toMatchObject({ state: "failed" });
  });

  test("that refuses fails the action, without its password", async () => {
    const refusing = await stub((response) => response.writeHead(407).end());
    const made = await call({ url: "http://service.test/", proxy: refusing.url.replace("//", "//user:hidden@") });
    await refusing.close();
    expect(made).toMatchObject({ state: "failed", upstream: 502, error: expect.stringMatching(/^http connect failed: /) });
    expect(made.error).not.toContain("hidden");
  });

  test("that opens no tunnel is told in plain words", async () => {
    const refusing = createSocketServer((socket) => socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"));
    await once(refusing.listen(0, "127.0.0.1"), "listening");
    const { port } = refusing.address() as AddressInfo;
    const made = await call({ url: "https://service.test/", proxy: `http://127.0.0.1:${port}` });
    refusing.close();
    expect(made).toMatchObject({ upstream: 502, error: "http connect failed: the proxy opens no connection to the service (407)" });
  });

  test.each(["127.0.0.1:8080", "ftp://a.example", ""])("without a usable address fails: %j", async (address) => {
    expect(await call({ url: "http://service.test/", proxy: address })).toMatchObject({ error: "field proxy: invalid url" });
  });
});

test("headers that are too long fail the action in plain words", async () => {
  const { url, close } = await stub((response) => response.writeHead(200, { "x-long": "a".repeat(20_000) }).end());
  const made = await call({ url });
  await close();
  expect(made).toMatchObject({ upstream: 502, error: "http connection lost: the headers of the response are longer than 16 KiB" });
});

test("a status that is none fails the action in plain words", async () => {
  const server = createSocketServer((socket) => socket.end("HTTP/1.1 000 Nothing\r\ncontent-length: 0\r\n\r\n"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const made = await call({ url: `http://127.0.0.1:${port}/` });
  server.close();
  expect(made).toMatchObject({ state: "failed", upstream: 502, error: "http connection lost: the response is not valid HTTP" });
});
