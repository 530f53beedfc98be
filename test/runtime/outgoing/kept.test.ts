import { type AddressInfo, createServer, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { http } from "#runtime/features/actions/http.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import { actOn } from "../../harness/sockets.ts";

// Connections that are kept, and which the service closes when the next request comes (RFC 9112, 9.3.1).

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

interface Peer {
  readonly url: string;
  /** The first lines of requests, by connection. */
  readonly seen: string[][];
}

/** A service of TCP, which does something for the n-th request of each connection. */
async function peer(answer: (socket: Socket, request: number, connection: number) => void): Promise<Peer> {
  const seen: string[][] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const lines: string[] = [];
    const connection = seen.push(lines);
    sockets.add(socket);
    let text = "";
    socket.on("error", () => undefined);
    socket.on("data", (piece) => {
      text += piece.toString("latin1");
      if (!text.includes("\r\n\r\n")) return;
      answer(socket, lines.push(text.slice(0, text.indexOf(" HTTP"))), connection);
      text = "";
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen };
}

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

const empty = "HTTP/1.1 204 No Content\r\n\r\n";

function host(): Host {
  const made = createHost({ env: {} });
  opened.push(() => made.close());
  return made;
}

/** The connection is free again in the turn behind the answer. */
async function asked(on: Host, url: string, method = "GET") {
  const ended = await actOn(on, (made) => http(made, { url, method }));
  await setImmediate();
  return ended;
}

describe("a service that answers the first request of each connection, and closes at the second", () => {
  const closing = (end: (socket: Socket) => void) => peer((socket, request) => (request === 1 ? socket.write(empty) : end(socket)));

  test.each([
    ["by an end", (socket: Socket) => void socket.end()],
    ["by a reset", (socket: Socket) => void socket.resetAndDestroy()],
  ])("is asked again on a connection of its own: %s", async (_name, end) => {
    const { url, seen } = await closing(end);
    const on = host();
    for (const method of ["GET", "GET", "OPTIONS", "HEAD"]) expect(await asked(on, url, method)).toMatchObject({ state: "succeeded" });
    expect(seen).toEqual([["GET /", "GET /"], ["GET /", "OPTIONS /"], ["OPTIONS /", "HEAD /"], ["HEAD /"]]);
  });

  test.each(["POST", "PATCH", "PUT", "DELETE"])("is not asked again by %s", async (method) => {
    const { url, seen } = await closing((socket) => void socket.end());
    const on = host();
    await asked(on, url);
    expect(await asked(on, url, method)).toMatchObject({ error: "http connection lost: other side closed" });
    expect(seen).toEqual([["GET /", `${method} /`]]);
  });
});

test("a connection that was not used before is not opened twice", async () => {
  const { url, seen } = await peer((socket) => void socket.end());
  expect(await asked(host(), url)).toMatchObject({ error: "http connection lost: other side closed" });
  expect(seen).toEqual([["GET /"]]);
});

test("an answer that has begun is not asked for again", async () => {
  const { url, seen } = await peer((socket, request) =>
    request === 1 ? socket.write(ok) : socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"),
  );
  const on = host();
  await asked(on, url);
  expect((await asked(on, url)).error).toMatch(/^http connection lost: /);
  expect(seen).toEqual([["GET /", "GET /"]]);
});

test("the second try is the last one", async () => {
  const { url, seen } = await peer((socket, _, connection) =>
    connection === 1 && seen[0]?.length === 1 ? socket.write(ok) : socket.end(),
  );
  const on = host();
  await asked(on, url);
  expect(await asked(on, url)).toMatchObject({ error: "http connection lost: other side closed" });
  expect(seen).toEqual([["GET /", "GET /"], ["GET /"]]);
});

test("the call that is asked again ends with its action", async () => {
  const { url, seen } = await peer((socket, request, connection) => {
    if (connection === 1) request === 1 ? socket.write(ok) : socket.end();
    else cancel();
  });
  let cancel = (): void => undefined;
  const on = host();
  await asked(on, url);
  const ended = await actOn(
    on,
    (made) => http(made, { url }),
    (run) => {
      cancel = () => run.cancel("test");
    },
  );
  expect(ended).toMatchObject({ error: "http connect failed: cancelled" });
  expect(seen).toHaveLength(2);
});

describe("100 Continue that nobody has asked for", () => {
  const continued = "HTTP/1.1 100 Continue\r\n\r\n";

  test.each([
    ["before the answer", continued + ok],
    ["with header lines, twice", `HTTP/1.1 100 Go on\r\nx-a: b\r\n\r\n${continued}${ok}`],
  ])("is passed over: %s", async (_name, bytes) => {
    const { url, seen } = await peer((socket) => socket.write(bytes));
    const on = host();
    for (const method of ["GET", "POST", "GET"]) expect(await asked(on, url, method)).toMatchObject({ data: { status: 200, body: "ok" } });
    expect(seen).toHaveLength(1);
  });

  test("in pieces of one byte", async () => {
    const bytes = [...(continued + ok)];
    const { url } = await peer((socket) => {
      socket.setNoDelay(true);
      let next = 0;
      const write = (): void => {
        const byte = bytes[next++];
        if (byte !== undefined) socket.write(byte, () => void setImmediate().then(write));
      };
      write();
    });
    expect(await asked(host(), url)).toMatchObject({ data: { status: 200, body: "ok" } });
  });

  test("behind another interim answer it fails with a text that says so", async () => {
    const { url } = await peer((socket) => socket.write(`HTTP/1.1 103 Early Hints\r\n\r\n${continued}${ok}`));
    expect(await asked(host(), url)).toMatchObject({
      error: "http connection lost: the service has sent 100 Continue where it cannot be read",
    });
  });
});
